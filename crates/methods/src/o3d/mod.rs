//! O3D: a base policy calls skills, the policy of a skill emits primitives until it says that it is done (Xiao et al. 2024, stage 3).
//!
//! Thoughts, calls and reports are decided about as actions are, and execute nothing: the session's tree of steps is the tree of calls
//! too. `lines` reads it from the records, `limits` are the published ends of episodes, `prompt` what either policy is shown. The
//! crate `stepwright-skill` interprets the lines and holds the agent by skills that acts where no language model is in use.

mod limits;
mod lines;
mod prompt;

use serde_json::{Value, json};
use stepwright_skill::hierarchy::{self, Line};
use stepwright_skill::line::Level;
use stepwright_skill::{Knowledge, Skill, agent, document};

use stepwright_episode::gate::Draft;
use stepwright_episode::{
    Action, Ask, AskKind, AskState, Check, CheckKind, Decision, Generation, Origin, Shape, Status, StepOutcome, Verdict,
};
use stepwright_method::options::{LIMITS, TEMPERATURE};
use stepwright_method::publications::SETTINGS;
use stepwright_method::skills::{self, SKILLS};
use stepwright_method::{
    Answer, Checks, Context, Deed, Method, MethodInfo, Place, Reading, Round, Section, SectionLine, Step, StepStatus,
    Stop, WorkInput,
};
use stepwright_program::Call;

pub use limits::{ACTIONS, CALLS};

pub const ID: &str = "o3d";

/// The rule that a line which is none has broken, before its reason.
const NO_ACTION: &str = "NotAnAction: ";
/// Answers that a model may give for a line.
const ANSWERS: usize = 3;
/// Tokens of a line: ReAct's limit.
const TOKENS: u32 = 100;

stepwright_world::option_specs! {
    pub(crate) VARIANT: "variant", "Variant", "which parts of the knowledge are used (the paper's ablations)", [
        "full" = "skills, primitives and tips", "sd-only" = "skills alone, with their examples",
        "pd-only" = "ReAct with the primitives, no calls", "td-only" = "ReAct with tips of no skill, no calls"
    ] or "full";
}

#[derive(Debug, Clone, Copy)]
pub(super) struct O3d;

/// The knowledge at the cursor, as far as the variant uses it.
fn known(cx: &Context<'_>) -> Result<Knowledge, String> {
    let mut known = Knowledge::clone(cx.skills(&SKILLS)?.as_ref());
    match cx.options().text(&VARIANT) {
        "sd-only" => {
            known.tips.clear();
            for skill in &mut known.skills {
                skill.tips.clear();
                skill.primitives.clear();
                skill.intro.clear();
            }
        }
        "pd-only" => {
            known.tips.clear();
            known.skills.iter_mut().for_each(|skill| skill.tips.clear());
        }
        // Its tips are those of whole episodes, which are of no skill.
        "td-only" if known.tips.is_empty() => {
            return Err(
                "these skills have no tips of whole episodes; distil some with --tips-only, or name their file".into(),
            );
        }
        "td-only" => known.skills.iter_mut().for_each(|skill| {
            skill.primitives.clear();
            skill.tips.clear();
        }),
        _ => {}
    }
    Ok(known)
}

/// Whether a skill was called at the cursor and has not given control back.
pub(super) fn is_called(cx: &Context<'_>) -> bool {
    lines::level(cx) == Level::Skill
}

/// Whether the variant calls skills.
fn is_layered(cx: &Context<'_>) -> bool {
    !matches!(cx.options().text(&VARIANT), "pd-only" | "td-only")
}

fn read_line(cx: &Context<'_>, known: &Knowledge, text: &str) -> Result<Line, String> {
    if let Some(line) = hierarchy::recorded(text) {
        // As it is recorded, and as people may type it.
        let level = lines::level(cx);
        match &line {
            Line::Call(_) => return hierarchy::read(text, Level::Base, known),
            Line::Report(_) if level == Level::Base || !is_layered(cx) => {
                return Err("only a skill says that it is done".to_owned());
            }
            Line::Report(_) => return its_own(cx, text, line),
            _ => return Ok(line),
        }
    }
    if !is_layered(cx) {
        // One policy alone: thoughts and actions.
        return match hierarchy::read(text, Level::Skill, known) {
            Ok(Line::Thought(thought)) => Ok(Line::Thought(thought)),
            _ => Ok(Line::Act(hierarchy::bare(text).to_owned())),
        };
    }
    match (lines::level(cx), hierarchy::read(text, lines::level(cx), known)) {
        // Without known primitives every line of a skill is an action; with them, the check says what is wrong with it.
        (Level::Skill, Err(why)) if !why.starts_with("a call") => Ok(Line::Act(hierarchy::bare(text).to_owned())),
        (_, Ok(line @ Line::Report(_))) => its_own(cx, text, line),
        (_, read) => read,
    }
}

/// A report of the skill that is being carried out, whatever the words of its arguments; a report that names no skill is.
/// Errors: it names another.
fn its_own(cx: &Context<'_>, text: &str, report: Line) -> Result<Line, String> {
    let entries = lines::here(cx);
    match (hierarchy::open(&entries), hierarchy::reported(text)) {
        (Some((_, call)), Some(named)) if call.skill != named.skill => {
            Err(format!("a report of {named}, while {call} is being carried out"))
        }
        _ => Ok(report),
    }
}

/// What leads the prompt of an ablation that calls no skills.
fn parts(known: &Knowledge) -> String {
    skills::primitives_led(known) + &skills::tips_led(&known.tips)
}

fn draft(cx: &Context<'_>, line: &Line, raw: String, origin: Origin, why: Option<String>) -> Draft {
    let text = match line {
        // As transcripts of a site have it.
        Line::Thought(words) if !is_layered(cx) && raw.contains("think[") => format!("think[{words}]"),
        line => hierarchy::record(line),
    };
    let action = match line {
        Line::Act(_) => cx.action(&text),
        _ => Action::new(text, None),
    };
    Draft { action: Some(action), rationale: why, ..Draft::new(raw, origin) }
}

impl Method for O3d {
    fn info(&self) -> MethodInfo {
        MethodInfo {
            id: ID,
            label: "O3D: skills from logs",
            description: "A base policy calls skills; the policy of each emits primitives until it is done. By a file of skills, with \
                          a language model or with the agent by skills (no language model).",
            options: &[SETTINGS, SKILLS, VARIANT, LIMITS, ACTIONS, CALLS, TEMPERATURE],
            ..MethodInfo::BARE
        }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        let Some(round) = cx.round() else { return Step::Stuck("the episode has not begun".into()) };
        let known = match known(cx) {
            Ok(known) => known,
            Err(why) => return Step::Error(why),
        };
        let asked = round.asked(&AskKind::GREEDY) + round.asked(&AskKind::SAMPLES) + round.asked(&AskKind::RANKED);
        if cx.samples.is_none() && asked > 0 {
            let usable = round.proposals().find(|p| p.action.is_some() && p.problem.is_none()).map(|p| p.id);
            if usable.is_some() || asked >= ANSWERS || !cx.model.language {
                let last = || round.proposals().filter_map(|p| p.problem.as_deref()).last().map(reason);
                let why = match usable {
                    Some(_) if lines::level(cx) == Level::Base => "the base policy's line".to_owned(),
                    Some(_) => "the skill's line".to_owned(),
                    // Without a language model the answer says why there is none.
                    None => last().or_else(|| said(&round)).unwrap_or_else(|| "no line can be used".to_owned()),
                };
                return Step::Recommend { proposal: usable, why };
            }
        }
        if !cx.model.language {
            if !is_layered(cx) {
                return Step::Stuck(
                    "without a language model there is no policy that calls no skills; use --variant full".into(),
                );
            }
            let takes_nothing = |skill: &Skill| skill.signature.parameters.is_empty();
            if known.rules.actions.is_empty() && !known.skills.iter().any(takes_nothing) {
                return Step::Stuck(agent::NO_RULES.to_owned());
            }
            let work = json!({
                "knowledge": document::write(&known),
                "lines": lines::past(cx),
                "first": lines::first(cx),
            });
            return Step::ask(cx.own(AskKind::RANKED, &cx.model.name, 1, work));
        }
        let prompt = match prompt::of(cx, &known) {
            Ok(prompt) => prompt,
            Err(why) => return Step::Error(why),
        };
        let (kind, n, temperature) = match cx.samples {
            Some(n) => (AskKind::SAMPLES, n, cx.temperature("act", None)),
            None if asked > 0 => (AskKind::SAMPLES, 1, cx.temperature("act", None)),
            None => (AskKind::GREEDY, 1, 0.0),
        };
        Step::ask(cx.ask(kind, prompt, n, temperature))
    }

    fn read(&self, cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
        let known = match known(cx) {
            Ok(known) => known,
            Err(why) => return Reading::Problem(why),
        };
        if ask.kind == AskKind::RANKED || ask.kind == AskKind::FURTHER {
            return by_agent(cx, &known, &answer.found);
        }
        let origin = if ask.temperature == 0.0 { Origin::Greedy } else { Origin::Sample };
        let drafts = answer.completions.iter().map(|completion| {
            let raw = prompt::line_of(&completion.text);
            let logprob = completion.mean_logprob();
            match read_line(cx, &known, &raw) {
                Ok(line) => Draft { logprob, ..draft(cx, &line, raw, origin, None) },
                Err(why) => Draft { problem: Some(format!("{NO_ACTION}{why}")), logprob, ..Draft::new(raw, origin) },
            }
        });
        Reading::drafts(drafts.collect())
    }

    fn shape(&self, _cx: &Context<'_>, _kind: &AskKind, raw: bool) -> Shape {
        let stop = if raw { vec!["\n".to_owned()] } else { Vec::new() };
        Shape::Generate(Generation { max_tokens: TOKENS, stop, logprobs: true, ..Generation::default() })
    }

    /// The agent by skills where the knowledge has rules; else what the world's own agent would do, in layers.
    fn compute(&self, known: &WorkInput, work: &Value, _stop: &Stop) -> Result<Answer, String> {
        let knowledge = document::read(work.get("knowledge").unwrap_or(&Value::Null))?;
        let entries = lines::entries_of(work.get("lines").unwrap_or(&Value::Null))?;
        let none = |why: String| Answer { found: json!({ "none": true }), ..Answer::texts([why]) };
        if knowledge.rules.actions.is_empty() {
            let wished = known.knowledge.proposer.propose(&known.agent(&[]), 4);
            if wished.is_empty() {
                return Ok(none("the agent of this world can think of nothing".to_owned()));
            }
            let wished: Vec<Value> = wished
                .into_iter()
                .map(|ranked| json!({ "call": ranked.call.to_string(), "why": ranked.rationale }))
                .collect();
            return Ok(Answer { found: json!({ "wished": wished }), ..Answer::default() });
        }
        let first = work.get("first").and_then(Value::as_str).unwrap_or_default();
        let next = agent::next(&knowledge, &known.sentence, first, &hierarchy::past(&entries));
        let (line, why) = match next {
            agent::Next::Call { call, why } => (Line::Call(call), why),
            agent::Next::Act { action, why } => (Line::Act(action), why),
            agent::Next::Done { message, reached: true } => (Line::Report(message), "the skill is done".to_owned()),
            // That it knows no further is an answer, and no fault of the program.
            agent::Next::Done { message: why, .. } | agent::Next::Stuck(why) => return Ok(none(why)),
        };
        let found = json!({ "line": hierarchy::record(&line), "why": why });
        Ok(Answer { found, ..Answer::texts([hierarchy::record(&line)]) })
    }

    /// Of a line that executes nothing, whether it may stand here; of an action, whether it is a primitive.
    fn check(&self, cx: &Context<'_>, action: &Action, _offered: bool) -> Checks {
        let Ok(known) = known(cx) else { return Checks::default() };
        let check = |condition: String, status, detail| Check { kind: CheckKind::Form, condition, status, detail };
        let holds = |condition: &str| check(condition.to_owned(), Status::Holds, None);
        let only = |check: Check| Checks::Instead(Verdict { checks: vec![check], ..Verdict::default() });
        match read_line(cx, &known, &action.text) {
            Ok(Line::Thought(_)) => only(holds("a thought")),
            Ok(Line::Call(call)) => only(holds(&format!("{} is a known skill", call.skill))),
            Ok(Line::Report(_)) => only(holds("a skill is being carried out")),
            Ok(Line::Act(text)) => match form(cx, &known, &text) {
                Some(Ok(skill)) => Checks::Beside(vec![holds(&format!("a primitive of {skill}"))]),
                Some(Err(why)) => {
                    Checks::Beside(vec![check("it is a known primitive".to_owned(), Status::Fails, Some(why))])
                }
                None => Checks::default(),
            },
            // What a person does at the level of calls is an action of the world's; a report that names a skill is none.
            Err(_) if hierarchy::recorded(&action.text).is_none() && hierarchy::reported(&action.text).is_none() => {
                Checks::default()
            }
            Err(why) => only(check("it may stand here".to_owned(), Status::Fails, Some(why))),
        }
    }

    fn carry_out(&self, cx: &Context<'_>, _decision: &Decision, action: &Action) -> Deed {
        let line = known(cx).ok().and_then(|known| read_line(cx, &known, &action.text).ok());
        let (held, observation) = match line {
            Some(Line::Thought(_)) => ("thought", hierarchy::OK),
            Some(Line::Call(_)) => ("call", ""),
            Some(Line::Report(_)) => ("report", ""),
            Some(Line::Act(_)) | None => return Deed::Act,
        };
        let (reward, won) = cx.node().map_or((0.0, false), |node| (node.outcome.reward, node.outcome.won));
        let (held, observation) = (Some(held.to_owned()), observation.to_owned());
        Deed::Hold(StepOutcome { observation, held, reward, won, ..StepOutcome::default() })
    }

    fn ended(&self, cx: &Context<'_>, decision: &Decision) -> Option<String> {
        limits::ended(cx, decision)
    }

    /// The tree of calls: each with its lines, and what came back.
    fn rows(&self, at: &Place<'_>) -> Vec<Section> {
        let path = at.path();
        let entries = lines::entries(&path);
        let tree = hierarchy::tree(&entries);
        let (open, last) = (hierarchy::open(&entries).map(|(at, _)| at), entries.len().saturating_sub(1));
        let line = |row: &hierarchy::Row| {
            let mark = match row {
                row if Some(row.at) == open => StepStatus::Next,
                row if row.refused => StepStatus::Refused,
                _ => StepStatus::Done,
            };
            SectionLine { text: format!("{}{}", "  ".repeat(row.depth), row.text), mark }
        };
        let lines: Vec<SectionLine> = tree.iter().map(line).collect();
        let made_at = path.first().map(|node| node.id).unwrap_or_default();
        if lines.is_empty() {
            return Vec::new();
        }
        let title = "calls of skills".to_owned();
        vec![Section { title, made_at, at: last, lines, ..Section::default() }]
    }

    fn warning(&self, cx: &Context<'_>) -> Option<String> {
        cx.skills(&SKILLS).err()
    }
}

/// Whether an action is a primitive of the skill at hand, or of any where none is called; with its name. `None` where no primitives are
/// known.
fn form(cx: &Context<'_>, known: &Knowledge, action: &str) -> Option<Result<String, String>> {
    let entries = lines::here(cx);
    let open = hierarchy::open(&entries).and_then(|(_, call)| known.skill(&call.skill));
    if known.primitives().is_empty() {
        return None;
    }
    if let Some(skill) = open.filter(|skill| hierarchy::may(skill, action)) {
        return Some(Ok(skill.signature.name.clone()));
    }
    let wrong = hierarchy::read(action, Level::Skill, known).err();
    Some(match (wrong, open) {
        (Some(why), _) => Err(why),
        (None, Some(skill)) => Err(format!("a primitive, but none of {}", skill.signature.name)),
        (None, None) => Ok("the skills".to_owned()),
    })
}

/// The reason that a line is none, without the name of the rule that its record has.
fn reason(problem: &str) -> String {
    problem.strip_prefix(NO_ACTION).unwrap_or(problem).to_owned()
}

/// What the last answer of a round says.
fn said(round: &Round<'_>) -> Option<String> {
    let answered = |ask: &Ask| match &ask.state {
        AskState::Answered { texts, .. } if ask.id >= round.since => texts.last().cloned(),
        _ => None,
    };
    round.turn.asks.iter().rev().find_map(answered)
}

/// The line of the agent without a language model.
fn by_agent(cx: &Context<'_>, known: &Knowledge, found: &Value) -> Reading {
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let written = |line: &Line, why: String| {
        let entries = lines::here(cx);
        let of = hierarchy::open(&entries).map(|(_, call)| call);
        let raw = hierarchy::write(line, hierarchy::style(known), of);
        draft(cx, line, raw, Origin::Symbolic, Some(why))
    };
    if found.get("none").is_some() {
        return Reading::Kept;
    }
    if let Some(wished) = found.get("wished").and_then(Value::as_array) {
        let mut refused = None;
        for wish in wished {
            let action = text(wish, "call").parse::<Call>().ok().and_then(|call| cx.world.text_of(&call));
            let Some(action) = action else { continue };
            match hierarchy::layered(known, &lines::here(cx), &action) {
                Ok(line) => return Reading::drafts(vec![written(&line, text(wish, "why"))]),
                Err(why) => {
                    refused.get_or_insert(Draft { problem: Some(why), ..Draft::new(action, Origin::Symbolic) });
                }
            }
        }
        return Reading::drafts(refused.into_iter().collect());
    }
    let line = text(found, "line");
    let line = hierarchy::recorded(&line).unwrap_or(Line::Act(line));
    Reading::drafts(vec![written(&line, text(found, "why"))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recommended_does_not_name_the_rule_of_records() {
        let why = reason("NotAnAction: neither a call of a skill nor a thought");
        assert_eq!(why, "neither a call of a skill nor a thought");
        assert_eq!(reason("the answer is empty"), "the answer is empty");
    }
}
