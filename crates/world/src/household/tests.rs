use super::*;
use crate::World;

#[test]
fn the_recorded_expert_steps_replay() {
    let Some(data) = crate::recordings::recordings("alfworld") else { return };
    let traces = std::fs::read_to_string(data.join("traces/expert.jsonl")).unwrap();
    let mut world = HouseholdWorld::new(Source::open(&data.join("games.jsonl")).unwrap(), Edition::Put);
    for line in traces.lines() {
        let episode: serde_json::Value = serde_json::from_str(line).unwrap();
        let mut outcome = world.reset(episode["game"].as_str().unwrap(), 0).unwrap();
        assert_eq!(serde_json::json!(outcome.observation), episode["reset"]["observation"]);
        for step in episode["steps"].as_array().unwrap() {
            outcome = world.act(step["command"].as_str().unwrap()).unwrap();
            assert_eq!(serde_json::json!(outcome.observation), step["observation"]);
            assert_eq!(serde_json::json!(world.admissible()), step["admissible"]);
            assert_eq!(serde_json::json!(outcome.won), step["won"]);
        }
    }
}
