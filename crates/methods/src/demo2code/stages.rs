//! The stages before a program, read from the records: which demonstrations are summed up how far, and the specification made of them.

use crate::react::{examples_of, transcript_of};
use stepwright_episode::{Ask, AskKind, Node, OwnAsk};
use stepwright_method::prompting::of_demonstration;
use stepwright_method::{Context, Section, SectionLine, StepStatus};

/// Demonstrations that are summed up.
const SCENARIOS: usize = 2;
/// Rounds of summing up, as published.
const ROUNDS: usize = 4;
/// What ends a summary and a specification, as published.
pub(super) const END: &str = "[[end of response]]";
/// The purposes of asks.
pub(super) const SUMMARIZE: &str = "summarize";
pub(super) const SPECIFY: &str = "specify";
pub(super) const CODE: &str = "code";
const SUMMARY: &str = "summary";
const SPECIFICATION: &str = "specification";

/// The stage that is due before a program can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    Summarize {
        /// Which demonstration, from 0.
        number: usize,
        round: usize,
        /// It, or its summary of the round before.
        record: String,
    },
    Specify {
        goal: String,
        summaries: Vec<String>,
    },
    Code {
        specification: String,
    },
}

/// A demonstration: what was to be done, and what happened.
struct Scenario {
    goal: String,
    text: String,
}

/// The ask for the summary of a demonstration in a round, both from 0.
pub(super) fn summary(number: usize, round: usize) -> AskKind {
    let label = format!("a summary of demonstration {}, round {}", number + 1, round + 1);
    AskKind::Other(OwnAsk { tag: SUMMARY.into(), of: number.to_string(), nth: round, label })
}

pub(super) fn specification() -> AskKind {
    AskKind::own(SPECIFICATION, "one specification of all demonstrations")
}

/// The purpose of a stage's ask; `None` of any other.
pub(super) fn purpose(kind: &AskKind) -> Option<&'static str> {
    let AskKind::Other(own) = kind else { return None };
    match own.tag.as_ref() {
        SUMMARY => Some(SUMMARIZE),
        SPECIFICATION => Some(SPECIFY),
        _ => None,
    }
}

impl Stage {
    /// Errors: an answer that is not in its form, in words; where one is asked again it is that stage's.
    pub(super) fn of(cx: &Context<'_>) -> Result<Self, String> {
        let (path, again) = (cx.path(), cx.samples.is_some());
        let mut records: Vec<String> = Vec::new();
        let mut goal = String::new();
        for (number, scenario) in (1..).zip(scenarios(cx)?) {
            records.push(format!("[Scenario {number}]\n{}\n\n{}", scenario.goal, scenario.text));
            if goal.is_empty() {
                goal = scenario.goal;
            }
        }
        for round in 0..ROUNDS {
            let mut further = false;
            for (number, record) in records.iter_mut().enumerate() {
                match answer(&path, &summary(number, round)).map(summed_up) {
                    Some(Some((enough, text))) => {
                        further |= !enough;
                        *record = text.to_owned();
                    }
                    Some(None) if !again => {
                        return Err(format!(
                            "the summary of demonstration {} is not in its form; ask again",
                            number + 1
                        ));
                    }
                    _ => return Ok(Stage::Summarize { number, round, record: record.clone() }),
                }
            }
            if !further {
                break;
            }
        }
        if goal.is_empty() {
            goal.clone_from(&cx.session.header.sentence);
        }
        match answer(&path, &specification()).map(specified) {
            Some(Some(text)) => Ok(Stage::Code { specification: text.to_owned() }),
            Some(None) if !again => Err("the specification is not in its form; ask again".to_owned()),
            _ => Ok(Stage::Specify { goal, summaries: records }),
        }
    }
}

/// The demonstrations of the session with their lines, those of the task's kind first; where there are none, the world's examples.
fn scenarios(cx: &Context<'_>) -> Result<Vec<Scenario>, String> {
    let (examples, kind) = (examples_of(cx)?, cx.knowledge.kind.as_str());
    let mut logged: Vec<_> = cx.knowledge.demonstrations.iter().collect();
    logged.sort_by_key(|demonstration| demonstration.task_type != kind);
    let logged = logged.into_iter().map(|demonstration| {
        let text =
            transcript_of(examples.form, demonstration).unwrap_or_else(|| match demonstration.steps.as_slice() {
                // States alone are a record too; a file that holds calls is a program.
                [states] => states.observed().to_owned(),
                _ => of_demonstration(demonstration, false),
            });
        Scenario { goal: demonstration.sentence.clone(), text }
    });
    let found: Vec<Scenario> = logged.take(SCENARIOS).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let chosen = examples.choose(kind, &cx.session.header.task, SCENARIOS).into_iter();
    Ok(chosen.map(|example| Scenario { goal: goal(&example.text).to_owned(), text: example.text.clone() }).collect())
}

/// The goal in a transcript's first observation.
fn goal(text: &str) -> &str {
    let after = |mark: &str| text.split_once(mark).and_then(|(_, rest)| rest.trim_start().lines().next());
    after("Your task is to:").or_else(|| after("Instruction:")).map_or("", str::trim)
}

/// The last answer to an ask of that kind on a path.
fn answer<'a>(path: &[&'a Node], kind: &AskKind) -> Option<&'a str> {
    let asks = path.iter().rev().flat_map(|node| node.turn.asks.iter().rev());
    asks.filter(|ask| ask.kind == *kind).find_map(Ask::text)
}

/// The parts of an answer: each mark `[[…:]]` with what stands below it.
fn marked(answer: &str) -> Vec<(&str, &str)> {
    let answer = answer.split_once(END).map_or(answer, |(before, _)| before);
    let parts = answer.split("[[").skip(1).filter_map(|part| part.split_once("]]"));
    parts.map(|(mark, text)| (mark, text.trim())).collect()
}

/// Whether a summary says that nothing is left to be joined, and the summary. A "no" anywhere in what it says counts.
fn summed_up(answer: &str) -> Option<(bool, &str)> {
    let parts = marked(answer);
    let (_, said) = parts.iter().find(|(mark, _)| mark.contains("(yes/no)"))?;
    let (mark, text) = parts.last()?;
    (!mark.contains("(yes/no)")).then(|| (!said.to_lowercase().contains("no"), *text))
}

fn specified(answer: &str) -> Option<&str> {
    marked(answer).into_iter().rfind(|(mark, _)| mark.contains("Specification")).map(|(_, text)| text)
}

/// The specification, for panes and exports.
pub(super) fn rows(path: &[&Node]) -> Option<Section> {
    let kind = specification();
    let made = path.iter().rev().find(|node| node.turn.asks.iter().any(|ask| ask.kind == kind))?;
    let text = specified(answer(path, &kind)?)?;
    let line = |text: &str| SectionLine { text: text.to_owned(), mark: StepStatus::Open };
    let (title, lines) = ("specification".to_owned(), text.lines().map(line).collect());
    Some(Section { title, made_at: made.id, lines, ..Section::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_says_whether_it_is_short_enough() {
        let answer = |said: &str| {
            format!(
                "[[Reasons:]]\nno more\n[[Short enough? (yes/no):]]\n{said}\n[[Summary:]]\n* a\n* b\n[[end of response]]\nx"
            )
        };
        assert_eq!(summed_up(&answer("yes")), Some((true, "* a\n* b")));
        assert_eq!(summed_up(&answer("No.")), Some((false, "* a\n* b")));
        assert_eq!(summed_up(&answer("yes, there is no more to do")), Some((false, "* a\n* b")), "as published");
        for wrong in ["", "* a", "[[Summary:]]\n* a", "[[Short enough? (yes/no):]]\nyes"] {
            assert_eq!(summed_up(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn goals_are_found_in_transcripts() {
        assert_eq!(goal("A room.\nYour task is to: put a mug in desk.\n> look\n"), "put a mug in desk.");
        assert_eq!(goal("WebShop \nInstruction:  \ni want a lamp \n[Search] \n"), "i want a lamp");
        assert_eq!(goal("A room."), "");
    }
}
