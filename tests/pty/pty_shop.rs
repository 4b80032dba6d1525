//! A shop by hand, in a pseudo-terminal: an item is searched for, one of two options chosen, bought, and the screen says where the reward
//! comes from; and by a program with two faults, which a person mends.

use crate::scripts::play;
use crate::support::server::{Server, good};

const SHOP: (&str, &str) = ("STEPWRIGHT_SHOP", concat!(env!("CARGO_MANIFEST_DIR"), "/worlds/shop"));

#[test]
fn a_person_buys_without_a_size_and_reads_why_the_reward_is_what_it_is() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/shop_by_hand.script"), home.path(), &[SHOP]);
}

/// A world that is named begins as the start screen suggests it: with the method of its paper.
#[test]
fn a_world_that_is_named_begins_with_the_method_of_its_paper() {
    let papers = [("shop", "o3d"), ("graph", "reprompt"), ("table", "statler"), ("kitchen", "blocking")];
    for (world, method) in papers.into_iter().chain([("household", "precondition-aware")]) {
        let home = tempfile::tempdir().unwrap();
        let script =
            format!("start 120x40 --world {world}\n? {world} · step 0 ·\n? {method} · no language model\nq\nend\n");
        play(&script, home.path(), &[]);
    }
}

/// A program with a fault before anything can be run, and one that shows after the first step.
const FAULTY: &str = "```python\nobs = env.step(['search[charcoal shag rug machine washable]'])[0][0]\nif 'S0FNDM03KM' in obs\n    \
                      env.step([first(obs)])\nenv.step(['click[Buy Now]'])\n```";

#[test]
fn a_person_mends_a_program_twice_goes_back_and_buys() {
    let server = Server::start(vec![good(FAULTY)]);
    let home = tempfile::tempdir().unwrap();
    let env: Vec<(&str, &str)> = server.variables().into_iter().chain([SHOP]).collect();
    // Programs are composed of functions of skills; this one calls none.
    let skills = home.path().join("shop.skills.toml");
    let function = "[[skill]]\nname = \"buy()\"\n[[skill.function]]\ncode = \"def buy(): pass\"\nwhy = \"\"\n";
    std::fs::write(&skills, function).unwrap();
    let script = include_str!("scripts/shop_by_program.script");
    let script = script.replace("--method o3d-code", &format!("--method o3d-code --skills {}", skills.display()));
    play(&script, home.path(), &env);
}
