//! Think comments of demonstrations: `# think: …` before an action, as in ReAct.
//!
//! A demonstration may bring its own ([`Step::thought`]). For one that has none, thoughts are derived by rule from the
//! demonstration itself, so that nothing is invented:
//! - where the agent handles objects (`take`, `put`, `heat`, …): at the start and after each such act, the next such act is
//!   named as the sub-goal (`I need to find and take a mug`, `I have the mug 1; next I heat it in the microwave`). What is still
//!   to be found is named by its kind, as the agent cannot know which one it will be;
//! - where a user talks to a system: before the first act of a turn, which user acts are being answered. So also where a dialogue's
//!   recorded beginning is in the program.

use stepwright_program::{Call, Literal};
use stepwright_trajectory::Step;
use stepwright_world::demonstration::Demonstration;

/// The thought before each step's action, one a step; `None` where there is none.
pub fn thoughts(demonstration: &Demonstration) -> Vec<Option<String>> {
    let steps = &demonstration.steps;
    if steps.iter().any(|s| s.thought.is_some()) {
        return steps.iter().map(|s| s.thought.as_deref().map(one_line)).collect();
    }
    if steps.iter().flat_map(|s| &s.calls).any(|c| c.receiver == "user") {
        return answered(steps);
    }
    sub_goals(steps)
}

/// The thoughts of a recorded beginning, one a call: the comment before the first action that answers what others said. `is_action`
/// recognises the agent's actions; what is neither an action nor another party's call is an observation.
pub(crate) fn thoughts_of_prefix(calls: &[Call], is_action: impl Fn(&Call) -> bool) -> Vec<Option<String>> {
    let steps = calls.iter().map(|call| {
        let own = is_action(call);
        Step {
            call: own.then(|| call.clone()),
            calls: if own { Vec::new() } else { vec![call.clone()] },
            ..Step::default()
        }
    });
    answered(&steps.collect::<Vec<_>>())
}

pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Which user acts are answered, before the first act that follows them.
fn answered(steps: &[Step]) -> Vec<Option<String>> {
    let mut heard: Vec<String> = Vec::new();
    let thoughts = steps.iter().map(|step| {
        let thought = (step.call.is_some() && !heard.is_empty())
            .then(|| format!("I answer the user: {}", std::mem::take(&mut heard).join(", ")));
        let acts = step.calls.iter().filter(|c| c.receiver == "user");
        heard.extend(acts.map(|c| Call { receiver: String::new(), ..c.clone() }.to_string().split_off(1)));
        thought
    });
    thoughts.collect()
}

/// The next sub-goal, at the start and after each sub-goal reached.
fn sub_goals(steps: &[Step]) -> Vec<Option<String>> {
    let mut thoughts = vec![None; steps.len()];
    let mut since = 0;
    for (at, step) in steps.iter().enumerate() {
        let Some(goal) = step.call.as_ref().and_then(sub_goal) else { continue };
        // Before the first action of the stretch that leads to it; the reset has none.
        let first = (since..=at).find(|i| steps.get(*i).is_some_and(|s| s.call.is_some()));
        if let Some(slot) = first.and_then(|i| thoughts.get_mut(i)) {
            *slot = Some(goal);
        }
        since = at + 1;
    }
    thoughts
}

/// An act that handles an object, as the sub-goal it fulfils.
fn sub_goal(call: &Call) -> Option<String> {
    let name = |at: usize| match call.args.get(at) {
        Some(Literal::Str(name)) => Some(name.as_str()),
        _ => None,
    };
    Some(match call.function.as_str() {
        "take" => format!("I need to find and take {}", some(name(0)?)),
        "put" => format!("I have the {}; next I put it in or on {}", name(0)?, some(name(1)?)),
        "clean" | "heat" | "cool" => {
            format!("I have the {}; next I {} it with {}", name(0)?, call.function, some(name(1)?))
        }
        "toggle" => format!("I need to find and switch on {}", some(name(0)?)),
        _ => return None,
    })
}

/// A name's kind with its article: `shelf 2` is `a shelf`.
fn some(name: &str) -> String {
    let kind = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_world::ProgramHeader;

    fn demonstration(steps: &[(&str, &[&str])]) -> Demonstration {
        let call = |c: &&str| c.parse::<Call>().unwrap();
        let step = |(action, observations): &(&str, &[&str])| Step {
            call: (!action.is_empty()).then(|| call(action)),
            calls: observations.iter().map(call).collect(),
            ..Step::default()
        };
        Demonstration {
            id: "d".into(),
            task_type: "t".into(),
            sentence: "s".into(),
            header: ProgramHeader { function: "f".into(), comment: "c".into(), setup: vec![] },
            steps: steps.iter().map(step).collect(),
        }
    }

    #[test]
    fn the_next_sub_goal_is_thought_of_where_one_begins() {
        let d = demonstration(&[
            ("", &["agent.update_visible_objects('shelf 1')"]),
            ("agent.goto('shelf 1')", &[]),
            ("agent.take('apple 1', 'shelf 1')", &[]),
            ("agent.goto('fridge 1')", &[]),
            ("agent.cool('apple 1', 'fridge 1')", &[]),
            ("agent.put('apple 1', 'fridge 1')", &[]),
            ("agent.goto('shelf 1')", &[]),
        ]);
        let some = |t: &str| Some(t.to_owned());
        assert_eq!(
            thoughts(&d),
            [
                None,
                some("I need to find and take an apple"),
                None,
                some("I have the apple 1; next I cool it with a fridge"),
                None,
                some("I have the apple 1; next I put it in or on a fridge"),
                None,
            ]
        );
    }

    #[test]
    fn the_user_acts_that_are_answered_are_named_once_a_turn() {
        let d = demonstration(&[
            ("", &["user.INFORM('city')", "user.REQUEST('phone')"]),
            ("system.FindBus()", &["system.set_query_status(True)"]),
            ("system.INFORM('phone')", &["user.GOODBYE()"]),
            ("system.GOODBYE()", &[]),
        ]);
        let thoughts = thoughts(&d);
        assert_eq!(thoughts[1].as_deref(), Some("I answer the user: INFORM('city'), REQUEST('phone')"));
        assert_eq!(thoughts[2], None);
        assert_eq!(thoughts[3].as_deref(), Some("I answer the user: GOODBYE()"));
    }

    #[test]
    fn own_thoughts_stand_as_they_are_on_one_line() {
        let mut d = demonstration(&[("", &[]), ("agent.take('mug 1', 'desk 1')", &[])]);
        d.steps[1].thought = Some("first\n  this".into());
        assert_eq!(thoughts(&d), [None, Some("first this".into())]);
    }

    #[test]
    fn every_shipped_demonstration_has_a_thought_for_each_sub_goal() {
        let shipped = stepwright_worlds::household::shipped::demonstrations(Default::default()).unwrap();
        for d in &shipped {
            let count = thoughts(d).iter().flatten().count();
            assert!((2..=8).contains(&count), "{}: {count}", d.id);
        }
    }
}
