//! The policies' prompts: the skills that can be called, or the tips and primitives of the one at hand; examples; the history.

use serde::Serialize;
use stepwright_skill::example::OF_SKILL;
use stepwright_skill::hierarchy::{self, Style, surroundings};
use stepwright_skill::{Knowledge, Primitive};

use super::{is_layered, lines, parts};
use crate::react::{Notes, material, render};
use stepwright_episode::PromptRecord;
use stepwright_method::Context;
use stepwright_method::prompting::Rejection;

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
    /// The first observation; a skill's policy is not shown the goal.
    first: String,
    /// Steps before the call at hand.
    history: String,
    /// The policy's own lines.
    so_far: String,
    /// The call at hand; empty for the base policy.
    call: String,
    /// The beginning of the next line, where a text is gone on with.
    cue: &'static str,
    rejections: Vec<Rejection>,
}

#[derive(Serialize)]
struct Form {
    syntax: String,
    example: Option<String>,
    examples: Vec<String>,
}

pub(super) fn of(cx: &Context<'_>, known: &Knowledge) -> Result<PromptRecord, String> {
    if !is_layered(cx) {
        return one_policy(cx, known);
    }
    let entries = lines::here(cx);
    let style = lines::style(cx, known);
    let first = lines::first(cx);
    let open = hierarchy::open(&entries).map(|(_, call)| call.clone());
    let skill = open.as_ref().and_then(|call| known.skill(&call.skill));
    let (history, so_far) = match open {
        None => (String::new(), hierarchy::base_history(&entries, style, &first)),
        Some(_) => hierarchy::skill_history(&entries, style),
    };
    let arguments = |name: &str| known.skill(name).map(|skill| skill.signature.parameters.len());
    let fitting = known.examples.iter().filter(|example| example.fits(arguments));
    let examples: Vec<String> = match &open {
        None => fitting.map(|example| example.of_base(style)).collect(),
        Some(call) => fitting.filter_map(|example| example.of_skill(&call.skill, style)).take(OF_SKILL).collect(),
    };
    let material = Material {
        about: cx.world.kind().about,
        site: style == Style::Action,
        skills: known.skills.iter().map(|skill| skill.signature.to_string()).collect(),
        tips: skill.map(|skill| skill.tips.iter().chain(&known.tips).cloned().collect()).unwrap_or_default(),
        intro: skill.map(|skill| skill.intro.clone()).unwrap_or_default(),
        primitives: skill.map(|skill| skill.primitives.iter().map(form).collect()).unwrap_or_default(),
        examples,
        first: if open.is_some() { surroundings(&first) } else { first },
        history,
        so_far,
        cue: if style == Style::Action { "Action:" } else { ">" },
        rejections: Rejection::all(cx.node(), |proposal| Some(proposal.raw.trim().to_owned())),
        call: open.as_ref().map(ToString::to_string).unwrap_or_default(),
    };
    let name = if open.is_none() { "o3d/base" } else { "o3d/skill" };
    cx.prompting.render(&if cx.prompting.raw { name.to_owned() } else { format!("{name}_chat") }, &material)
}

/// The prompt of an ablation that calls no skills: the baseline's with its examples, led by the one part.
fn one_policy(cx: &Context<'_>, known: &Knowledge) -> Result<PromptRecord, String> {
    let prompt = render(cx, "react/act", &material(cx, false, &Notes::default())?)?;
    Ok(stepwright_method::skills::led(prompt, &parts(known)))
}

fn form(primitive: &Primitive) -> Form {
    let Primitive { syntax, examples } = primitive.clone();
    Form { syntax, example: examples.first().cloned(), examples }
}

/// The line of an answer: its first that is not empty and no fence.
pub(super) fn line_of(answer: &str) -> String {
    let mut lines = answer.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("```"));
    lines.next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use stepwright_model::prompt::Prompts;

    use super::*;

    /// The places of parts in a prompt.
    fn places(name: &str, call: &str, parts: &[&str]) -> Vec<Option<usize>> {
        let text = |text: &str| text.to_owned();
        let material = Material {
            about: "ABOUT",
            site: false,
            skills: vec![text("SKILL(x)")],
            tips: vec![text("TIP")],
            intro: String::new(),
            primitives: vec![Form { syntax: text("FORM"), example: Some(text("AS")), examples: vec![text("AS")] }],
            examples: vec![text("EXAMPLE")],
            first: text("FIRST"),
            history: text("BEFORE\n"),
            so_far: text("OWN\n"),
            call: text(call),
            cue: ">",
            rejections: Vec::new(),
        };
        let prompt = Prompts::default().render(name, &material).unwrap();
        let all: String = prompt.messages.iter().map(|message| message.text.as_str()).collect();
        parts.iter().map(|part| all.find(part)).collect()
    }

    #[test]
    fn parts_stand_in_the_papers_order() {
        for form in ["", "_chat"] {
            let base = places(&format!("o3d/base{form}"), "", &["ABOUT", "SKILL(x)", "EXAMPLE", "FIRST", "OWN"]);
            assert!(base.iter().all(Option::is_some) && base.is_sorted(), "{form}: {base:?}");
            assert_eq!(places(&format!("o3d/base{form}"), "", &["TIP", "FORM"]), [None, None], "no tips in it");
            let order = ["ABOUT", "TIP", "FORM", "AS", "EXAMPLE", "FIRST", "BEFORE", "CALL(x)", "OWN"];
            let skill = places(&format!("o3d/skill{form}"), "CALL(x)", &order);
            assert_eq!(skill.iter().filter(|at| at.is_some()).count(), order.len(), "{form}: {skill:?}");
            let chat = form == "_chat";
            // Where a chat model is asked, the form of a line names the call once before.
            assert!(chat || skill.is_sorted(), "{form}: {skill:?}");
        }
    }
}
