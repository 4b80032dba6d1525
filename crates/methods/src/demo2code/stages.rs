//! The stages before a program, read from the records: which demonstrations are summed up how far, and the specification made of them.

use crate::react::{examples_of, transcript_of};
use stepwright_episode::{Ask, AskKind, Node, OwnAsk};
use stepwright_method::prompting::of_demonstration;
use stepwright_method::{Context, Section, SectionLine, StepStatus};
use stepwright_text::words::stripped;

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

stepwright_world::option_specs! {
    pub(super) STAGES: "stages", "Stages in answers", "how a model's answers are read", [
        "mended" = "by like marks; again without a program",
        "published" = "as Demo2Code's program reads them: by the very marks; an empty program is one"
    ] or "mended";
}

/// The stage that is due before a program can run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    Summarize {
        /// Which demonstration, from 0.
        number: usize,
        round: usize,
        record: Record,
    },
    Specify {
        goal: String,
        summaries: Vec<String>,
    },
    Code {
        specification: String,
    },
}

/// A demonstration, or its summary of the round before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Record {
    pub(super) text: String,
    /// Whether it is a whole request: an answer that said it again instead of shortening it, which is sent as it is, as published.
    pub(super) whole: bool,
}

/// A demonstration: what was to be done, and what happened.
struct Scenario {
    goal: String,
    text: String,
}

impl Scenario {
    /// It as it is shown first, with the goal of all.
    fn record(&self, number: usize, goal: &str) -> String {
        let goal = if goal.is_empty() { String::new() } else { format!("{goal}\n\n") };
        format!("[Scenario {number}]\n{goal}{}", self.text)
    }
}

/// What a demonstration has become.
struct Summary {
    /// Whether the model says that it is short enough.
    enough: bool,
    /// `None` where the answer is in no form.
    text: Option<String>,
    /// What is asked with in the next round, where that is not the text.
    whole: Option<String>,
    /// What it was made of.
    given: Record,
}

impl Summary {
    fn of(record: String) -> Summary {
        Summary { enough: false, text: Some(record), whole: None, given: Record::default() }
    }

    fn read(ask: &Ask, given: Record, published: bool) -> Summary {
        match summed_up(ask.text().unwrap_or_default(), &Marks::of(ask, published)) {
            Some(SummedUp { enough, text, whole }) => Summary { enough, text: Some(text), whole, given },
            None => Summary { enough: false, text: None, whole: None, given },
        }
    }

    /// What the next round is asked with; nothing where the answer was in no form.
    fn take(&mut self) -> Option<Record> {
        let text = self.text.take()?;
        Some(match self.whole.take() {
            Some(text) => Record { text, whole: true },
            None => Record { text, whole: false },
        })
    }

    /// What comes of an answer in no form in the round before: it is asked for once more if something is asked again.
    fn formless(&self, number: usize, round: usize, again: bool) -> Result<Stage, String> {
        match round.checked_sub(1).filter(|_| again) {
            Some(round) => Ok(Stage::Summarize { number, round, record: self.given.clone() }),
            None => Err(format!("the summary of demonstration {} is not in its form; ask again", number + 1)),
        }
    }
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
        let (path, again, published) = (cx.path(), cx.samples.is_some(), is_published(cx));
        let scenarios = scenarios(cx)?;
        let mut goal = scenarios.first().map(|scenario| scenario.goal.clone()).unwrap_or_default();
        let mut summaries: Vec<Summary> =
            (1..).zip(&scenarios).map(|(number, scenario)| Summary::of(scenario.record(number, &goal))).collect();
        for round in 0..ROUNDS {
            // All are asked for again where one can be shortened. That one is in no form counts when it would be used.
            if summaries.iter().all(|summary| summary.enough) {
                break;
            }
            for (number, summary) in summaries.iter_mut().enumerate() {
                let Some(record) = summary.take() else { return summary.formless(number, round, again) };
                match answer(&path, &self::summary(number, round)) {
                    Some(ask) => *summary = Summary::read(ask, record, published),
                    None => return Ok(Stage::Summarize { number, round, record }),
                }
            }
        }
        if let Some((number, summary)) = summaries.iter().enumerate().find(|(_, summary)| summary.text.is_none()) {
            return summary.formless(number, ROUNDS, again);
        }
        let records = summaries.into_iter().filter_map(|summary| summary.text).collect();
        if goal.is_empty() {
            goal.clone_from(&cx.session.header.sentence);
        }
        match answer(&path, &specification()).map(|ask| specified_by(ask, published)) {
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

/// Whether answers are read as published.
pub(super) fn is_published(cx: &Context<'_>) -> bool {
    cx.options().is(&STAGES, "published")
}

/// The last ask of that kind on a path that was answered.
fn answer<'a>(path: &[&'a Node], kind: &AskKind) -> Option<&'a Ask> {
    let asks = path.iter().rev().flat_map(|node| node.turn.asks.iter().rev());
    asks.filter(|ask| ask.kind == *kind).find(|ask| ask.text().is_some())
}

/// The marks that answers are read by: as published those that the prompt asks for, letter by letter; else any whose words are such.
#[derive(Debug, Default)]
struct Marks {
    published: bool,
    asked: String,
    summary: String,
    specification: String,
}

impl Marks {
    fn of(ask: &Ask, published: bool) -> Self {
        let messages = ask.prompt.iter().filter(|_| published).flat_map(|prompt| &prompt.messages);
        let texts: Vec<&str> = messages.map(|message| message.text.as_str()).collect();
        // The first ones are those of the instruction.
        let first =
            |is: fn(&str) -> bool| texts.iter().find_map(|text| mark(text, is)).map(str::to_owned).unwrap_or_default();
        let [asked, summary, specification] = [is_asked, is_summary, is_specification].map(first);
        Marks { published, asked, summary, specification }
    }

    fn find<'a>(&'a self, answer: &'a str, known: &'a str, is: fn(&str) -> bool) -> Option<&'a str> {
        if !self.published {
            return mark(answer, is);
        }
        Some(known).filter(|known| !known.is_empty() && answer.contains(known))
    }
}

fn is_asked(words: &str) -> bool {
    words.contains("(yes/no)")
}

fn is_summary(words: &str) -> bool {
    words.starts_with("Summ")
}

fn is_specification(words: &str) -> bool {
    words.contains("Specification")
}

/// The first mark `[[…]]` of an answer whose words are such.
fn mark(answer: &str, is: impl Fn(&str) -> bool) -> Option<&str> {
    answer.match_indices("[[").find_map(|(at, _)| {
        let (words, _) = answer.get(at + 2..)?.split_once("]]")?;
        answer.get(at..at + words.len() + 4).filter(|_| is(words))
    })
}

/// What stands below a mark, as published: nothing where the line goes on.
fn below<'a>(answer: &'a str, mark: &str) -> &'a str {
    answer.split_once(&format!("{mark}\n")).map_or("", |(_, below)| below)
}

/// An answer to a request for a summary.
#[derive(Debug, PartialEq, Eq)]
struct SummedUp {
    /// Whether it says that nothing is left to be joined. A "no" anywhere in what it says counts, as published, and is written small.
    enough: bool,
    text: String,
    /// As in [`Summary`].
    whole: Option<String>,
}

fn summed_up(answer: &str, marks: &Marks) -> Option<SummedUp> {
    let shown = "[[Input Trajectory:]]";
    let answer = answer.split_once(END).map_or(answer, |(answer, _)| answer);
    let (asked, summary) = (marks.find(answer, &marks.asked, is_asked), marks.find(answer, &marks.summary, is_summary));
    let Some((asked, summary)) = asked.zip(summary) else {
        // A demonstration said again: as published wherever the mark is, and the text is what stands below it.
        let answer = stripped(answer);
        let text = match marks.published {
            true => answer.contains(shown).then(|| below(answer, shown)),
            false => answer.strip_prefix(shown),
        };
        let whole = marks.published.then(|| answer.to_owned());
        return text.map(|text| SummedUp { enough: false, text: stripped(text).to_owned(), whole });
    };
    let said = below(answer, asked);
    let said = said.split_once(summary).map_or(said, |(said, _)| said);
    let text = stripped(below(answer, summary)).to_owned();
    Some(SummedUp { enough: !said.contains("no"), text, whole: None })
}

/// The specification in the answer to an ask.
fn specified_by(ask: &Ask, published: bool) -> Option<&str> {
    specified(ask.text()?, &Marks::of(ask, published))
}

fn specified<'a>(answer: &'a str, marks: &Marks) -> Option<&'a str> {
    let mark = marks.find(answer, &marks.specification, is_specification)?;
    // On the mark's own line it is read too, which as published is nothing at all.
    let text = Some(below(answer, mark)).filter(|text| marks.published || !text.is_empty());
    let text = text.or_else(|| answer.split_once(mark).map(|(_, text)| text)).unwrap_or_default();
    Some(stripped(text.split_once(END).map_or(text, |(text, _)| text)))
}

/// The specification, for panes and exports.
pub(super) fn rows(path: &[&Node], published: bool) -> Option<Section> {
    let kind = specification();
    let made = path.iter().rev().find(|node| node.turn.asks.iter().any(|ask| ask.kind == kind))?;
    let text = specified_by(answer(path, &kind)?, published)?;
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
        let summary = "* a\n* b";
        let plain = |read: SummedUp| (read.enough, read.text);
        let (any, summed_up) =
            (Marks::default(), |answer: &str| super::summed_up(answer, &Marks::default()).map(plain));
        let of = |said: &str| summed_up(&answer(said));
        assert_eq!(of("yes"), Some((true, summary.to_owned())));
        assert_eq!(of("no."), Some((false, summary.to_owned())));
        assert_eq!(of("yes, there is no more to do"), Some((false, summary.to_owned())), "as published");
        assert_eq!(of("No"), Some((true, summary.to_owned())), "as published");
        let brackets = answer("yes").replace("* b", "[[x]] c");
        assert_eq!(summed_up(&brackets), Some((true, "* a\n[[x]] c".to_owned())), "marks of its own are kept");
        for wrong in ["", "* a", "[[Summary:]]\n* a", "[[Short enough? (yes/no):]]\nyes"] {
            assert_eq!(summed_up(wrong), None, "{wrong}");
        }
        assert_eq!(specified("[[Specification:]]\nA\n[[Note:]]\nB[[end of response]]C", &any), Some("A\n[[Note:]]\nB"));
        assert_eq!((specified("[[Specification:]] A", &any), specified("A", &any)), (Some("A"), None));
        // As published it is by the marks that were asked for, and nothing on their line.
        let own = |text: &str| text.to_owned();
        let exact = Marks {
            published: true,
            asked: own("[[Short? (yes/no):]]"),
            summary: own("[[Summary:]]"),
            specification: own("[[Task Specification:]]"),
        };
        assert_eq!(super::summed_up(&answer("yes"), &exact), None);
        let short = answer("yes").replace("Short enough?", "Short?");
        assert_eq!(super::summed_up(&short, &exact).map(plain), Some((true, summary.to_owned())));
        assert_eq!(specified("[[Specification:]]\nA", &exact), None);
        assert_eq!(specified("[[Task Specification:]] A\nB", &exact), Some(""));
        assert_eq!(specified("[[Task Specification:]]\nA\n", &exact), Some("A"));
    }

    #[test]
    fn a_demonstration_said_again_is_sent_as_it_is_where_that_is_published() {
        let again = |answer: &str, published| {
            let read = super::summed_up(answer, &Marks { published, ..Marks::default() });
            read.map(|read| (read.text, read.whole))
        };
        let own = |text: &str, whole: Option<&str>| Some((text.to_owned(), whole.map(str::to_owned)));
        for (answer, text, mended) in [
            ("[[Input Trajectory:]]\n* a", "* a", own("* a", None)),
            ("[[Input Trajectory:]] x", "", own("x", None)),
            ("Here: [[Input Trajectory:]]\n* a", "* a", None),
        ] {
            let spaced = format!("\u{1c}\n{answer}\n\u{1f}");
            assert_eq!(again(&spaced, true), own(text, Some(answer)), "{answer}");
            assert_eq!(again(answer, false), mended, "{answer}");
        }
        assert_eq!(again("x", true), None);
        let mut summary = Summary { whole: Some("w".to_owned()), ..Summary::of("t".to_owned()) };
        assert_eq!(summary.take(), Some(Record { text: "w".to_owned(), whole: true }));
        assert_eq!(summary.take(), None);
    }

    #[test]
    fn goals_are_found_in_transcripts() {
        assert_eq!(goal("A room.\nYour task is to: put a mug in desk.\n> look\n"), "put a mug in desk.");
        assert_eq!(goal("WebShop \nInstruction:  \ni want a lamp \n[Search] \n"), "i want a lamp");
        assert_eq!(goal("A room."), "");
    }
}
