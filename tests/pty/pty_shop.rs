//! A shop by hand, in a pseudo-terminal: an item is searched for, one of two options chosen, bought, and the screen says where the reward
//! comes from; and by a program with two faults, which a person mends.

use crate::support::pty::Pty;
use crate::support::server::{Server, good};

const PROGRAM: &str = env!("CARGO_BIN_EXE_stepwright");
const SHOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/worlds/shop");

/// Types an action; one that is not in the list of admissible ones is confirmed.
fn act(pty: &mut Pty, text: &str, listed: bool, then: &str) {
    pty.settle().send("m");
    pty.wait_for("Type an action").send(text);
    pty.settle().send("\r");
    if !listed {
        pty.wait_for("Enter again takes it").send("\r");
    }
    pty.wait_for(then).settle();
}

#[test]
fn a_person_buys_without_a_size_and_reads_why_the_reward_is_what_it_is() {
    let home = tempfile::tempdir().unwrap();
    // A world with the user's data is first.
    let mut pty = Pty::start(PROGRAM, &[], home.path(), &[("STEPWRIGHT_SHOP", SHOP)], (120, 40));
    pty.wait_for("/ searches").wait_for("▶ symbolic").wait_for("▶ shop").settle().send("\r");
    pty.wait_for("i would like a charcoal rug, 4 x 6 ft");
    act(&mut pty, "search[charcoal shag rug machine washable]", false, "step 1 ");
    // Prices stand against the limit.
    pty.wait_for("at most").wait_for("$180.00").wait_for("Brindlewick Shag Rug");
    act(&mut pty, "click[S0FNDM03KM]", true, "step 2 ");
    pty.wait_for("$162.99 (at most $180.00)").wait_for("ivory");
    act(&mut pty, "click[charcoal]", true, "step 3 ");
    pty.wait_for("[✓ charcoal]");
    act(&mut pty, "click[Buy Now]", true, "The episode is over");
    pty.send("\x1b4");
    pty.settle().send("z");
    pty.wait_for("✗ 0.750").wait_for("50 % of charcoal, 4 x 6 ft, weight 0.50");
    pty.wait_for("100 % of machine washable, weight 0.25").wait_for("within the limit: yes, weight 0.25");
    pty.wait_for("times 1 (same kind yes").settle().send("q");
    pty.settle().send("q");
}

/// A program with a fault before anything can be run, and one that shows after the first step.
const FAULTY: &str = "```python\nobs = env.step(['search[charcoal shag rug machine washable]'])[0][0]\nif 'S0FNDM03KM' in obs\n    \
                      env.step([first(obs)])\nenv.step(['click[Buy Now]'])\n```";

#[test]
fn a_person_mends_a_program_twice_goes_back_and_buys() {
    let server = Server::start(vec![good(FAULTY)]);
    let home = tempfile::tempdir().unwrap();
    let env: Vec<(&str, &str)> = server.variables().into_iter().chain([("STEPWRIGHT_SHOP", SHOP)]).collect();
    let mut pty = Pty::start(PROGRAM, &["--method", "o3d-code"], home.path(), &env, (120, 40));
    pty.wait_for("/ searches").wait_for("▶ o3d-code").wait_for("▶ shop").settle().send("\r");
    // What cannot be compiled is shown with its line, and how to mend it.
    pty.wait_for("cannot go on: line 2: SyntaxError").wait_for("✗ 2 if 'S0FNDM03KM' in obs");
    pty.wait_for("e edits the plan or").settle().send("e");
    // The text opens at the line, and still says what is wrong with it.
    pty.wait_for("Edit the program, then go on with it").settle().send(":\x13");
    pty.wait_for("▶ 1 obs = env.step").wait_for("▶★✓ search[charcoal").settle().send("a");
    // A fault after the first step: the mended program goes on there.
    pty.wait_for("cannot go on: line 3: NameError").settle().send("e");
    pty.wait_for("Edit the program, then go on with it").settle();
    pty.send("\x15    env.step(['click[S0FNDM03KM]'])\x13");
    pty.wait_for("▶★✓ click[S0FNDM03KM]").wait_for("▶ 3     env.step(['click[S0FNDM03KM]'])");
    // What the program before had done is done.
    pty.wait_for("✓ 1 obs = env.step").settle().send("a");
    // The program may be changed while an action is offered, too.
    pty.wait_for("▶★✓ click[Buy Now]").settle().send("E");
    pty.wait_for("Edit the program, then go on with it").settle();
    pty.send("\x15env.step(['click[charcoal]'])\renv.step(['click[Buy Now]'])\x13");
    // What the program before offered is shown, and not to be had any more.
    pty.wait_for("▶★✓ click[charcoal]").wait_for("click[Buy Now] of the plan before").settle().send("a");
    pty.wait_for("▶★✓ click[Buy Now]").settle().send("a");
    pty.wait_for("The episode is over: the goal is not reached, the reward").wait_for("is 0.75.");
    // Why it is that stands on the page: its parts first, the rest by scrolling.
    pty.wait_for("reward       ✗ 0.750").settle().send("\x1b4");
    pty.settle().send("G");
    pty.wait_for("✗ 50 % of charcoal, 4 x 6 ft, weight 0.50").wait_for("[✓ charcoal]").settle();
    // Back to before the purchase, and before the option.
    pty.send("u");
    pty.wait_for("step 3 ").wait_for("click[Buy Now] taken").settle().send("u");
    pty.wait_for("step 2 ").wait_for("click[charcoal] taken").settle().send("q");
    pty.settle().send("q");
}
