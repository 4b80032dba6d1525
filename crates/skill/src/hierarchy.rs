//! Acting by skills as one sequence of lines: how a text is read at either level, what belongs to which call, and which line an agent's
//! wish for an action comes to.

use crate::agent::Past;
use crate::call::SkillCall;
pub use crate::history::{
    Entry, Line, OK, Style, base_history, open, record, recorded, skill_history, surroundings, write,
};
use crate::knowledge::{Knowledge, Skill};
use crate::line::{self, Level, Reading};
use crate::primitive::{bracketed, fits, name_of};

/// The style of what is known: sites are acted on by names with brackets.
pub fn style(knowledge: &Knowledge) -> Style {
    let forms = knowledge.primitives();
    let site = forms.iter().filter(|primitive| bracketed(&primitive.syntax).is_some()).count();
    if site * 2 > forms.len() { Style::Action } else { Style::Arrow }
}

pub fn level(entries: &[Entry]) -> Level {
    if open(entries).is_some() { Level::Skill } else { Level::Base }
}

/// A text at a level, as a line that could be carried out.
pub fn read(text: &str, level: Level, knowledge: &Knowledge) -> Result<Line, String> {
    match line::read(text, level, knowledge) {
        Reading::Think => Ok(Line::Thought(thought(text))),
        Reading::Call(call) => Ok(Line::Call(call)),
        Reading::Primitive { action } => Ok(Line::Act(action)),
        Reading::Done { message, .. } => Ok(Line::Report(message)),
        Reading::Invalid { reason } => Err(reason),
    }
}

/// The call that a report says to be done, where it names one (`> Done heat(egg): …`).
pub fn reported(text: &str) -> Option<SkillCall> {
    match line::done(bare(text))? {
        Reading::Done { call, .. } => call?.parse().ok(),
        _ => None,
    }
}

fn thought(text: &str) -> String {
    stepwright_trajectory::react::words_of(bare(text)).to_owned()
}

/// A line without what marks it as one.
pub fn bare(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('>').or_else(|| text.strip_prefix("Action:")).unwrap_or(text).trim()
}

/// The lines as an agent by skills follows them.
pub fn past(entries: &[Entry]) -> Vec<Past> {
    let past = |entry: &Entry| match &entry.line {
        Line::Thought(_) => None,
        Line::Call(call) => Some(Past::Call(call.clone())),
        Line::Report(_) => Some(Past::Done),
        Line::Act(action) => {
            Some(Past::Act { action: action.clone(), observation: entry.observation.clone(), refused: entry.refused })
        }
    };
    entries.iter().filter_map(past).collect()
}

/// Whether a skill may emit an action. Of a site's buttons, those of the primitive's kind.
pub fn may(skill: &Skill, action: &str) -> bool {
    skill.primitives.iter().any(|primitive| {
        let kind = name_of(action);
        // `click[Attributes]` is written for the choice of any option.
        let alike = match primitive.syntax.as_str() {
            "click[Item ID]" => kind == "click[Item ID]",
            "click[Attributes]" => kind == "click[Attribute]",
            syntax => kind == name_of(syntax),
        };
        fits(&primitive.syntax, action).is_ok() && (bracketed(action).is_none() || alike)
    })
}

/// The line that a wish for an action comes to, for an agent that knows no skills: the action where the skill at hand has it, a
/// report where not, and at base level the call of a skill without parameters that has it.
pub fn layered(knowledge: &Knowledge, entries: &[Entry], action: &str) -> Result<Line, String> {
    let caller = knowledge.skills.iter().find(|skill| skill.signature.parameters.is_empty() && may(skill, action));
    let none = || format!("no skill without parameters has the action `{action}` among its primitives");
    if let Some((at, call)) = open(entries) {
        let skill = knowledge.skill(&call.skill);
        if skill.is_some_and(|skill| may(skill, action)) {
            return Ok(Line::Act(action.to_owned()));
        }
        // Giving control back for what no skill has would only have it called again.
        caller.ok_or_else(none)?;
        let acted =
            entries.get(at..).unwrap_or_default().iter().filter(|entry| matches!(entry.line, Line::Act(_))).count();
        let actions = if acted == 1 { "action" } else { "actions" };
        return Ok(Line::Report(format!("{call} took {acted} {actions}; what is next is none of its own")));
    }
    let call = caller.map(|skill| SkillCall { skill: skill.signature.name.clone(), args: Vec::new() });
    call.map(Line::Call).ok_or_else(none)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its depth: 0 a call or what the base policy does, 1 what belongs to a call.
    pub depth: usize,
    pub text: String,
    pub at: usize,
    pub refused: bool,
}

/// The tree of calls: each with its lines, and what came back.
pub fn tree(entries: &[Entry]) -> Vec<Row> {
    let mut inside = false;
    let row = |(at, entry): (usize, &Entry)| {
        let text = match &entry.line {
            Line::Report(message) => format!("done: {message}"),
            line => record(line),
        };
        let begins = matches!(entry.line, Line::Call(_));
        let row = Row { depth: usize::from(inside && !begins), text, at, refused: entry.refused };
        inside = match entry.line {
            Line::Call(_) => true,
            Line::Report(_) => false,
            _ => inside,
        };
        row
    };
    entries.iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file;

    fn entry(line: Line, observation: &str) -> Entry {
        Entry { line, observation: observation.to_owned(), refused: false }
    }

    fn entries() -> Vec<Entry> {
        vec![
            entry(Line::Thought("a mug first".into()), OK),
            entry(Line::Call("find(mug)".parse().unwrap()), ""),
            entry(Line::Act("go to desk 1".into()), "On the desk 1, you see a mug 1."),
            entry(Line::Report("mug 1 is at desk 1".into()), ""),
            entry(Line::Call("take(mug)".parse().unwrap()), ""),
        ]
    }

    #[test]
    fn each_level_sees_its_own() {
        let entries = entries();
        assert_eq!(open(&entries).map(|(at, call)| (at, call.to_string())), Some((4, "take(mug)".to_owned())));
        assert_eq!(level(&entries[..4]), Level::Base);
        let base = "> think: a mug first\nOK.\n> call: find(mug)\nSubprocedure finished.\n> call: take(mug)\n";
        assert_eq!(base_history(&entries, Style::Arrow, ""), base);
        let (before, own) = skill_history(&entries, Style::Arrow);
        assert_eq!((before.as_str(), own.as_str()), ("> go to desk 1\nOn the desk 1, you see a mug 1.\n", ""));
        let site = base_history(&entries[1..4], Style::Action, "first");
        assert!(
            site.ends_with("Subprocedure Done[mug 1 is at desk 1]\nCurrent Page:\nOn the desk 1, you see a mug 1.\n\n"),
            "{site}"
        );
        let depths: Vec<usize> = tree(&entries).iter().map(|row| row.depth).collect();
        assert_eq!(depths, [0, 0, 1, 1, 0]);
    }

    #[test]
    fn lines_are_recorded_and_read_back() {
        for entry in entries() {
            let text = record(&entry.line);
            match &entry.line {
                Line::Act(_) => assert_eq!(recorded(&text), None),
                line => assert_eq!(recorded(&text).as_ref(), Some(line)),
            }
        }
        let known =
            file::read("[[skill]]\nname = \"find(object)\"\nprimitives = [{ syntax = \"go to [receptacle] [id]\" }]")
                .unwrap();
        let level_of = |level| move |text: &str| read(text, level, &known);
        let (base, skill) = (level_of.clone()(Level::Base), level_of(Level::Skill));
        assert_eq!(base("> call: find(mug)"), Ok(Line::Call("find(mug)".parse().unwrap())));
        assert_eq!(base("> think: so"), Ok(Line::Thought("so".into())));
        assert!(base("> go to desk 1").is_err());
        assert_eq!(skill("> Done find(mug): there"), Ok(Line::Report("there".into())));
        assert_eq!(skill("> Done."), Ok(Line::Report(String::new())));
        assert_eq!(reported("> Done find(mug): there").map(|call| call.skill).as_deref(), Some("find"));
        assert_eq!([reported("> Done: there"), reported("> go to desk 1")], [None, None]);
        assert_eq!(skill("Action: think[so]"), Ok(Line::Thought("so".into())));
        assert_eq!(
            write(&Line::Report("there".into()), Style::Arrow, Some(&"find(mug)".parse().unwrap())),
            "> Done find(mug): there"
        );
    }

    #[test]
    fn a_wish_for_an_action_is_layered_by_the_skills() {
        let known = file::read(
            "[[skill]]\nname = \"search_item()\"\nprimitives = [{ syntax = \"search[Query]\" }]\n[[skill]]\nname = \"select_item()\"\nprimitives = [{ syntax = \"click[Item ID]\" }]\n[[skill]]\nname = \"choose()\"\nprimitives = [{ syntax = \"click[Attributes]\" }]",
        )
        .unwrap();
        assert_eq!(style(&known), Style::Action);
        let call = |text: &str| Line::Call(text.parse().unwrap());
        let mut entries = Vec::new();
        assert_eq!(layered(&known, &entries, "search[a mug]"), Ok(call("search_item()")));
        entries.push(entry(call("search_item()"), ""));
        assert_eq!(layered(&known, &entries, "search[a mug]"), Ok(Line::Act("search[a mug]".into())));
        entries.push(entry(Line::Act("search[a mug]".into()), "[B000000001]"));
        assert!(matches!(layered(&known, &entries, "click[B000000001]"), Ok(Line::Report(_))));
        assert!(layered(&known, &entries, "click[Buy Now]").is_err(), "no other skill has it either");
        entries.push(entry(Line::Report(String::new()), ""));
        assert_eq!(layered(&known, &entries, "click[B000000001]"), Ok(call("select_item()")));
        assert_eq!(layered(&known, &entries, "click[large]"), Ok(call("choose()")));
        assert!(layered(&known, &entries, "click[Buy Now]").is_err());
        assert!(layered(&Knowledge::default(), &entries, "click[large]").is_err());
    }
}
