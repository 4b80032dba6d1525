//! A shop by hand, in a pseudo-terminal: an item is searched for, one of two options chosen, bought, and the screen says where the reward
//! comes from.

use crate::support::pty::Pty;

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
