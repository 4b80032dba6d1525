//! The policies' prompts: the skills that can be called, or the primitives and tips of the one at hand; examples; the history.

use serde::Serialize;
use stepwright_skill::hierarchy::{self, Line, Style};
use stepwright_skill::{Knowledge, Skill};

use super::{is_layered, lines};
use crate::Context;
use stepwright_episode::{Choice, PromptRecord};

/// Tasks shown as examples to the base policy.
const EXAMPLES: usize = 8;

#[derive(Serialize)]
struct Material {
    about: &'static str,
    /// Whether lines begin with `Action:`; else with `>`.
    site: bool,
    skills: Vec<String>,
    tips: Vec<String>,
    intro: String,
    primitives: Vec<Form>,
    examples: Vec<String>,
    first: String,
    task: String,
    /// The history before the call at hand.
    before: String,
    own: String,
    /// The call at hand; empty where skills are not called.
    call: String,
    /// The beginning of the next line, where a text is gone on with.
    cue: &'static str,
    rejections: Vec<Refused>,
}

#[derive(Serialize)]
struct Form {
    syntax: String,
    examples: Vec<String>,
}

#[derive(Serialize)]
struct Refused {
    line: String,
    reason: String,
}

pub(super) fn of(cx: &Context<'_>, known: &Knowledge) -> Result<PromptRecord, String> {
    let entries = lines::here(cx);
    let style = hierarchy::style(known);
    let first = lines::first(cx);
    let open = hierarchy::open(&entries).map(|(_, call)| call.clone());
    let base = open.is_none() && is_layered(cx);
    let skill = open.as_ref().and_then(|call| known.skill(&call.skill));
    let (before, own) = match base {
        true => (String::new(), hierarchy::base_history(&entries, style, &first)),
        false => hierarchy::skill_history(&entries, style),
    };
    let all: Vec<Form> = known.primitives().into_iter().map(form).collect();
    let material = Material {
        about: cx.world.kind().about,
        site: style == Style::Action,
        skills: known.skills.iter().map(|skill| skill.signature.to_string()).collect(),
        tips: match skill {
            Some(skill) => skill.tips.iter().chain(&known.tips).cloned().collect(),
            None if base => known.tips.clone(),
            None => known.tips.clone(),
        },
        intro: skill.map(|skill| skill.intro.clone()).unwrap_or_default(),
        primitives: match skill {
            Some(Skill { primitives, .. }) => primitives.iter().map(form).collect(),
            None if base => Vec::new(),
            None => all,
        },
        examples: if base { examples(known, style) } else { Vec::new() },
        first,
        task: cx.session.header.sentence.clone(),
        before,
        own,
        call: open.map(|call| call.to_string()).unwrap_or_default(),
        cue: if style == Style::Action { "Action:" } else { ">" },
        rejections: rejections(cx),
    };
    let name = match (base, cx.prompting.raw) {
        (true, true) => "o3d/base",
        (true, false) => "o3d/base_chat",
        (false, true) => "o3d/skill",
        (false, false) => "o3d/skill_chat",
    };
    cx.prompting.render(name, &material)
}

fn form(primitive: &stepwright_skill::Primitive) -> Form {
    Form { syntax: primitive.syntax.clone(), examples: primitive.examples.clone() }
}

/// How known tasks are divided, what varies in their words filled in.
fn examples(known: &Knowledge, style: Style) -> Vec<String> {
    let mut kinds =
        known.rules.likely.iter().filter_map(|(kind, places)| Some((kind.as_str(), places.first()?.as_str()))).cycle();
    let plans = known.rules.plans.iter().take(EXAMPLES).map(|plan| {
        let (thing, place) = kinds.next().unwrap_or(("mug", "shelf"));
        let other = kinds.next().map_or("lamp", |(kind, _)| kind);
        let fill =
            |text: &str| text.replace("[object]", thing).replace("[object2]", other).replace("[receptacle]", place);
        let mut text = format!("Your task is to: {}.\n", fill(&plan.task));
        if plan.task.is_empty() {
            text = "Any instruction.\n".to_owned();
        }
        for call in &plan.calls {
            let args = call.args.iter().map(|arg| fill(arg)).collect();
            let call = stepwright_skill::SkillCall { skill: call.skill.clone(), args };
            text.push_str(&hierarchy::write(&Line::Call(call), style, None));
            text.push_str(match style {
                Style::Arrow => "\nSubprocedure finished.\n",
                Style::Action => "\nObservation:\nSubprocedure Done[…]\n",
            });
        }
        text
    });
    plans.collect()
}

fn rejections(cx: &Context<'_>) -> Vec<Refused> {
    let Some(turn) = cx.node().map(|node| &node.turn) else { return Vec::new() };
    let rejected = turn.decisions.iter().filter_map(|decision| match &decision.choice {
        Choice::Reject { proposal, reason } => {
            let line = turn.proposal(*proposal)?.raw.trim().to_owned();
            Some(Refused { line, reason: reason.clone() })
        }
        _ => None,
    });
    rejected.collect()
}

/// The line of an answer: its first that is not empty and no fence.
pub(super) fn line_of(answer: &str) -> String {
    let mut lines = answer.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("```"));
    lines.next().unwrap_or_default().to_owned()
}
