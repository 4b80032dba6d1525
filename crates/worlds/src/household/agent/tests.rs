use super::*;
use crate::planner_testing::{after, calls_of, demonstrated, forbidding};
use stepwright_world::program::CheckedProgram;

/// A kitchen as the agent has come to know it.
struct Scene {
    program: CheckedProgram,
    history: Vec<Step>,
}

impl Scene {
    fn new(places: &str) -> Self {
        let mut scene = Scene { program: after(&[]), history: Vec::new() };
        scene.live("", &[&format!("agent.update_visible_objects({places})")]);
        scene
    }

    fn kitchen() -> Self {
        Scene::new("'cabinet 2', 'cabinet 1', 'countertop 1', 'fridge 1', 'microwave 1', 'sinkbasin 1', 'shelf 1'")
    }

    fn live(&mut self, action: &str, calls: &[&str]) -> &mut Self {
        let calls = calls_of(calls);
        self.program.apply(&calls);
        let action = (!action.is_empty()).then(|| action.parse().unwrap());
        self.history.push(Step { call: action, calls, ..Step::default() });
        self
    }

    fn refuse(&mut self, action: &str) -> &mut Self {
        let (call, observation) = (Some(action.parse().unwrap()), Some("Nothing happens.".to_owned()));
        self.history.push(Step { call, observation, refused: true, ..Step::default() });
        self
    }

    fn with_mug_in_view() -> Self {
        let mut scene = Scene::kitchen();
        scene.live(
            "agent.goto('countertop 1')",
            &["agent.update_visible_objects('countertop 1', 'bread 1', 'mug 1', 'mug 2')"],
        );
        scene
    }

    fn propose(&self, sentence: &str, k: usize) -> Vec<Ranked> {
        self.propose_without(sentence, &[], k)
    }

    fn propose_without(&self, sentence: &str, rejected: &[(Call, String)], k: usize) -> Vec<Ranked> {
        proposer().propose(&self.context(sentence, rejected), k)
    }

    fn context<'a>(&'a self, sentence: &'a str, rejected: &'a [(Call, String)]) -> AgentContext<'a> {
        AgentContext {
            sentence,
            program: &self.program,
            history: &self.history,
            rejected,
            observed: None,
            reference: None,
        }
    }
}

fn proposer() -> HouseholdAgent {
    HouseholdAgent::learn(&demonstrated())
}

const HEAT: &str = "put a hot mug in cabinet.";

/// Each script: where it begins, then what was done and observed, or what is asked (`? HOW MANY SENTENCE`) with the proposals, best first.
#[test]
fn scripts_propose_what_they_proposed() {
    let mut out = String::new();
    for script in include_str!("tests/agent.script").split("\n# ") {
        let mut lines = script.lines().filter(|line| !line.is_empty());
        out += &format!("# {}\n", lines.next().unwrap().trim_start_matches("# "));
        let mut scene = match lines.next().unwrap() {
            "mugs" => Scene::with_mug_in_view(),
            "kitchen" => Scene::kitchen(),
            _ => Scene::new("'desk 1', 'shelf 1', 'bed 1'"),
        };
        let (mut agent, mut rejected) = (proposer(), Vec::new());
        for line in lines {
            out += &format!("> {line}\n");
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "refused" => {
                    scene.refuse(rest);
                }
                "rejected" => rejected.push((rest.parse().unwrap(), "not that one".to_owned())),
                "forbidden" => scene.program = forbidding(&scene.program, rest),
                "blank" => agent = HouseholdAgent::learn([]),
                "?" => {
                    let (k, sentence) = rest.split_once(' ').unwrap();
                    let context = scene.context(sentence, &rejected);
                    let ranked = agent.propose(&context, k.parse().unwrap());
                    assert_eq!(ranked, agent.propose(&context, k.parse().unwrap()), "the same every time");
                    assert!(ranked.windows(2).all(|w| w[0].score >= w[1].score), "the best first");
                    ranked.iter().for_each(|one| out += &format!("    {}: {}\n", one.call, one.rationale));
                }
                _ => {
                    let (action, observed) = line.split_once(" -> ").unwrap();
                    scene.live(action, &[observed]);
                }
            }
        }
    }
    insta::assert_snapshot!(out);
}

#[test]
fn goal_parts_say_what_holds() {
    let scene = Scene::with_mug_in_view();
    let parts: Vec<_> = proposer().goal_parts(HEAT, &scene.history).into_iter().map(|p| (p.text, p.holds)).collect();
    let expected = [("a mug is found", true), ("a mug is hot", false), ("a hot mug is in or on a cabinet", false)];
    assert_eq!(parts, expected.map(|(text, holds)| (text.to_owned(), holds)));
}

#[test]
fn every_shipped_line_of_likely_places_reads() {
    for line in LIKELY.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
        let (name, rest) = line.split_once(':').unwrap();
        assert!(!rest.trim().is_empty(), "{line}");
        if name != "closed" {
            for group in rest.split(';') {
                let (level, places) = group.trim().split_once(' ').unwrap();
                assert!(["usual", "often", "sometimes", "seldom"].contains(&level) && !places.is_empty(), "{line}");
            }
        }
    }
    let prior = location_prior();
    assert!(prior.objects().count() > 40);
    assert!(prior.is_closed_at_first("fridge") && !prior.is_closed_at_first("shelf"));
    assert!(prior.chance("mug", "coffeemachine") > prior.chance("mug", "drawer"));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]

    /// For any history, sensible or not: at most k different proposals, none of them rejected.
    #[test]
    fn no_history_breaks_it(
        steps in proptest::collection::vec(proptest::sample::select(vec![
            ("agent.goto('countertop 1')", "agent.update_visible_objects('countertop 1', 'mug 1', 'apple 1')"),
            ("agent.goto('fridge 1')", "env.set_property('fridge 1', 'open', False)"),
            ("agent.open('fridge 1')", "env.set_property('fridge 1', 'open', True)"),
            ("agent.take('mug 1', 'countertop 1')", "agent.add_inventory('mug 1')"),
            ("agent.put('mug 1', 'fridge 1')", "agent.remove_inventory('mug 1')"),
            ("agent.take('apple 1', 'countertop 1')", "agent.add_inventory('apple 1')"),
            ("agent.goto('cabinet 1')", ""),
            ("agent.goto('sinkbasin 1')", ""),
            ("agent.take('mug 1', 'countertop 1')", ""),
        ]), 0..12),
        sentence in proptest::sample::select(vec![
            "put a mug in fridge.", "put a hot apple in cabinet.", "put two mug in shelf.", "look at mug under the desklamp.", "?",
        ]),
        k in 1usize..6,
    ) {
        let mut scene = Scene::kitchen();
        for (action, call) in steps {
            if call.is_empty() { scene.refuse(action); } else { scene.live(action, &[call]); }
        }
        let rejected: Vec<(Call, String)> =
            scene.propose(sentence, 1).into_iter().map(|r| (r.call, String::new())).collect();
        let ranked = scene.propose_without(sentence, &rejected, k);
        proptest::prop_assert!(ranked.len() <= k);
        for (i, one) in ranked.iter().enumerate() {
            proptest::prop_assert!(rejected.iter().all(|(c, _)| *c != one.call));
            proptest::prop_assert!(ranked[i + 1..].iter().all(|other| other.call != one.call));
            proptest::prop_assert!(one.score.is_finite() && !one.rationale.is_empty());
        }
    }
}
