//! Tables of rules in a file of skills: `refused`, `[[action]]`, `[[plan]]`, `[likely]`.

use std::fmt::Write as _;

use serde::Deserialize;
use toml::Spanned;

use super::{FileError, list, put, quoted};
use crate::call::SkillCall;
use crate::form::Form;
use crate::rules::{ActionRule, Fact, Need, Plan, Rules};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ActionTable {
    form: Spanned<String>,
    #[serde(default)]
    needs: Vec<Spanned<String>>,
    #[serde(default)]
    makes: Vec<Spanned<String>>,
    shows: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlanTable {
    task: String,
    calls: Vec<Spanned<String>>,
    #[serde(default)]
    seen: usize,
}

pub(super) struct Tables {
    pub(super) refused: Vec<String>,
    pub(super) action: Vec<ActionTable>,
    pub(super) plan: Vec<PlanTable>,
    pub(super) likely: toml::Table,
}

/// Reads the rules of a file whose skills have these names and numbers of parameters.
pub(super) fn read(
    tables: Tables,
    skills: &[(String, usize)],
    line_of: &impl Fn(usize) -> usize,
) -> Result<Rules, FileError> {
    let actions = tables.action.into_iter().map(|table| action(table, line_of)).collect::<Result<_, _>>()?;
    let plans = tables.plan.into_iter().map(|table| plan(table, skills, line_of)).collect::<Result<_, _>>()?;
    let mut likely = Vec::new();
    for (kind, places) in tables.likely {
        let places: Option<Vec<String>> =
            places.as_array().and_then(|all| all.iter().map(|place| place.as_str().map(str::to_owned)).collect());
        let message = || format!("the places of {kind} are no list of words; write `{kind} = [\"shelf\", \"desk\"]`");
        likely.push((kind.clone(), places.ok_or_else(|| FileError { line: 1, message: message() })?));
    }
    Ok(Rules { refused: tables.refused, actions, plans, likely })
}

fn action(table: ActionTable, line_of: &impl Fn(usize) -> usize) -> Result<ActionRule, FileError> {
    let fail = |at: usize, message: String| FileError { line: line_of(at), message };
    let at = table.form.span().start;
    let syntax = table.form.into_inner();
    let form = Form::read(&syntax)
        .ok_or_else(|| fail(at, format!("{syntax:?} is no form whose slots are each followed by [id]")))?;
    let slots: Vec<String> = form.slots().map(str::to_owned).collect();
    let check = |at: usize, slot: &str| match slots.iter().any(|known| known == slot) {
        true => Ok(()),
        false => Err(fail(at, format!("{syntax:?} has no slot [{slot}]"))),
    };
    let mut needs = Vec::new();
    for text in table.needs {
        let at = text.span().start;
        let need: Need = text.into_inner().parse().map_err(|e| fail(at, format!("{e}")))?;
        need.fact.slots().into_iter().try_for_each(|slot| check(at, slot))?;
        needs.push(need);
    }
    let mut makes = Vec::new();
    for text in table.makes {
        let (at, text) = (text.span().start, text.into_inner());
        match text.parse() {
            Ok(Need { holds: true, fact: Fact::Is { slot, state } }) => {
                check(at, &slot)?;
                makes.push((slot, state));
            }
            _ => {
                return Err(fail(
                    at,
                    format!("{text:?} says not how an action makes a thing; write \"[slot] is STATE\""),
                ));
            }
        }
    }
    if let Some(shows) = &table.shows {
        check(shows.span().start, shows.get_ref())?;
    }
    Ok(ActionRule { form: syntax, needs, makes, shows: table.shows.map(Spanned::into_inner) })
}

fn plan(table: PlanTable, skills: &[(String, usize)], line_of: &impl Fn(usize) -> usize) -> Result<Plan, FileError> {
    let mut calls = Vec::new();
    for text in table.calls {
        let line = line_of(text.span().start);
        let fail = |message: String| FileError { line, message };
        let call: SkillCall = text.into_inner().parse().map_err(|e| fail(format!("{e}")))?;
        match skills.iter().find(|(name, _)| *name == call.skill) {
            None => return Err(fail(format!("the plan calls {}, which is no skill here", call.skill))),
            Some((_, count)) if *count != call.args.len() => {
                return Err(fail(format!(
                    "{call} has {} arguments; the skill has {count} parameters",
                    call.args.len()
                )));
            }
            Some(_) => calls.push(call),
        }
    }
    Ok(Plan { task: table.task, calls, seen: table.seen })
}

/// Writes the list of refusals, which precedes all tables.
pub(super) fn write_refused(out: &mut String, rules: &Rules) {
    if !rules.refused.is_empty() {
        put(out, "refused", &list(&rules.refused));
    }
}

pub(super) fn write(out: &mut String, rules: &Rules) {
    let texts = |texts: Vec<String>| list(&texts);
    for rule in &rules.actions {
        out.push_str("\n[[action]]\n");
        put(out, "form", &quoted(&rule.form));
        if !rule.needs.is_empty() {
            put(out, "needs", &texts(rule.needs.iter().map(ToString::to_string).collect()));
        }
        if !rule.makes.is_empty() {
            put(out, "makes", &texts(rule.makes.iter().map(|(slot, state)| format!("[{slot}] is {state}")).collect()));
        }
        if let Some(shows) = &rule.shows {
            put(out, "shows", &quoted(shows));
        }
    }
    for plan in &rules.plans {
        out.push_str("\n[[plan]]\n");
        put(out, "task", &quoted(&plan.task));
        put(out, "calls", &texts(plan.calls.iter().map(ToString::to_string).collect()));
        if plan.seen > 0 {
            put(out, "seen", &plan.seen.to_string());
        }
    }
    if !rules.likely.is_empty() {
        out.push_str("\n[likely]\n");
        for (kind, places) in &rules.likely {
            let places: Vec<String> = places.iter().map(|place| quoted(place)).collect();
            let kind = if kind.chars().all(|c| c.is_ascii_alphanumeric()) { kind.clone() } else { quoted(kind) };
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{kind} = [{}]", places.join(", "));
        }
    }
}
