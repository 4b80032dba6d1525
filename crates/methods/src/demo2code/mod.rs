//! Demo2Code (Wang et al. 2023): demonstrations become a program in stages. The model shortens each demonstration, in rounds while it says
//! that one can be shortened further, makes one specification of all summaries, and writes one program for the task from it.
//!
//! Each of these is an ask whose answer is read again from the record; the program is run as those of [`super::code_policy`]. `stages` says
//! which ask is next, `prompt` fills the templates. Not carried out: the published program's expansion of functions that a program calls
//! and does not have (they are to be written with it).

mod prompt;
mod stages;

use serde_json::{Map, Value};
use stepwright_skill::code::{self, Parts};

use self::stages::{CODE, END, SPECIFY, STAGES, SUMMARIZE, Stage};
use super::code_policy::{FUNCTION_TOKENS, ask, computed, in_words, next_line, program, rows, stopped, whatever};
use super::react::{LIMITS, over};
use stepwright_episode::{Ask, AskKind, Decision, Generation, Origin, Shape};
use stepwright_method::options::TEMPERATURE;
use stepwright_method::plan_following::{ActivePlan, Taken, Upcoming, upcoming};
use stepwright_method::publications::SETTINGS;
use stepwright_method::skills::TIPS;
use stepwright_method::{
    Answer, Context, DerivedState, Method, MethodInfo, Needs, Place, Reading, Section, Step, Stop, WorkInput,
};
use stepwright_text::words::stripped;

/// Tokens of every answer, as published.
const TOKENS: u32 = 8_000;
/// What the language of a program is called behind a fence.
const LANGUAGES: [&str; 3] = ["python", "py", "Python"];

/// The program in an answer as published: what stands between the first fence and the second. The word of the language alone is left out of
/// that, lest no program of a chat model be one; where nothing else is there it is the program.
fn published(answer: &str) -> String {
    let block = code::first_block(answer, &LANGUAGES[..1]);
    let block = if block.is_empty() { answer.split("```").nth(1).unwrap_or_default() } else { &block };
    stripped(block).to_owned()
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Demo2Code;

impl Method for Demo2Code {
    fn info(&self) -> MethodInfo {
        MethodInfo {
            id: "demo2code",
            label: "Demo2Code",
            description: "The model sums each demonstration up in rounds, makes one specification of the summaries, and writes a whole \
                          program with its functions from it, for each task anew.",
            options: &[SETTINGS, STAGES, LIMITS, TIPS, TEMPERATURE],
            needs: Needs { language: true, local: true, ..Needs::NONE },
            plans: true,
            programs: true,
            ..MethodInfo::BARE
        }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        let parts = |force: &ActivePlan<'_>| {
            let parts = Parts { program: force.text.to_owned(), ..Parts::default() };
            next_line(cx, force, || (parts, Map::new()), |end, _| stopped(&in_words(end)))
        };
        if let Upcoming::Step(step) = upcoming(cx, Origin::Greedy, |force| Some(parts(force))) {
            return *step;
        }
        let again = cx.samples.is_some();
        match Stage::of(cx) {
            Ok(Stage::Summarize { number, round, record }) => {
                ask(cx, SUMMARIZE, stages::summary(number, round), again, prompt::summarize(cx, &record))
            }
            Ok(Stage::Specify { goal, summaries }) => {
                ask(cx, SPECIFY, stages::specification(), again, prompt::specify(cx, &goal, &summaries))
            }
            Ok(Stage::Code { specification }) => ask(cx, CODE, AskKind::PLAN, again, prompt::code(cx, &specification)),
            Err(why) => Step::Recommend { proposal: None, why },
        }
    }

    fn read(&self, cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
        match ask.kind {
            AskKind::PLAN if stages::is_published(cx) => whatever(ask, answer, published(answer.first()), &[], None),
            AskKind::PLAN => program(ask, answer, code::first_block(answer.first(), &LANGUAGES), &[]),
            _ => Reading::Kept,
        }
    }

    fn shape(&self, cx: &Context<'_>, kind: &AskKind, _raw: bool) -> Shape {
        let (purpose, stop, max_tokens) = match stages::purpose(kind) {
            Some(stage) => (stage, vec![END.to_owned()], TOKENS),
            None if *kind == AskKind::PLAN => (CODE, Vec::new(), TOKENS),
            None => ("function", Vec::new(), FUNCTION_TOKENS),
        };
        Shape::Generate(cx.generation(purpose, Generation { max_tokens, stop, ..Generation::default() }))
    }

    fn compute(&self, known: &WorkInput, work: &Value, _stop: &Stop) -> Result<Answer, String> {
        computed(known, work)
    }

    fn ended(&self, cx: &Context<'_>, decision: &Decision) -> Option<String> {
        over(cx, decision)
    }

    fn rows(&self, at: &Place<'_>) -> Vec<Section> {
        let mut sections = rows(at);
        let published = at.session.options.get(STAGES.key).is_some_and(|value| value == "published");
        sections.extend(stages::rows(&at.path(), published));
        sections
    }

    fn follow(&self, cx: &Context<'_>) -> Option<Box<dyn DerivedState>> {
        cx.keep(Taken::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_the_language_is_a_program_where_nothing_else_is_one() {
        for (answer, program) in [
            ("```python\nput()\n```", "put()"),
            ("```python\n```", "python"),
            ("```py\nput()\n```", "py\nput()"),
            ("``` put() ```\n```\nx\n```", "put()"),
            ("\u{1c}put()\u{1f}\n", "put()"),
            ("```\n```", ""),
            ("", ""),
        ] {
            assert_eq!(published(answer), program, "{answer}");
        }
    }
}
