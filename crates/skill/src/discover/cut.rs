//! Skills by what changed: a success is cut where an action on a thing that its task names was taken. The steps that led to a thing
//! not acted on before are its finding.

use std::collections::{BTreeMap, BTreeSet};

use super::forms::{OBJECT, PLACE, Shape, taken};
use super::{Cut, words};
use crate::call::{Signature, SkillCall};
use crate::form::{Binding, kind_of};
use crate::rules::Plan;
use crate::segment::Segment;
use stepwright_trajectory::Trajectory;

pub(super) const FIND: &str = "find";
/// The share of a form's uses in which a slot's thing is named by the task, from which on it is a parameter.
const PARAMETER: f64 = 0.6;

/// An action on a thing that the task names.
struct Change<'a> {
    at: usize,
    shape: &'a Shape,
    binding: Binding,
    before: bool,
}

/// The cuts of all successes, and how their tasks were divided, the most frequent first.
pub(super) fn cut(logs: &[Trajectory], shapes: &[Shape], refused: &[String]) -> (Vec<Cut>, Vec<Plan>) {
    let successes: Vec<(&Trajectory, Vec<Change<'_>>)> = logs
        .iter()
        .filter(|log| log.succeeded())
        .map(|log| (log, changes(log, shapes, refused)))
        .filter(|(_, changes)| !changes.is_empty())
        .collect();
    let parameters = parameters(&successes);
    let mut cuts = Vec::new();
    let mut plans: BTreeMap<(String, Vec<SkillCall>), usize> = BTreeMap::new();
    for (log, changes) in &successes {
        let segments = segments(log, changes, &parameters);
        *plans.entry(divided(log, changes, &segments)).or_default() += 1;
        cuts.push(Cut { trajectory: log.id.clone(), segments });
    }
    // Of several ways to divide tasks of a form, the most frequent; of these, the shortest.
    let mut best: BTreeMap<String, Plan> = BTreeMap::new();
    for ((task, calls), seen) in plans {
        let plan = Plan { task: task.clone(), calls, seen };
        let is_better = |known: &Plan| (plan.seen, known.calls.len()) > (known.seen, plan.calls.len());
        if best.get(&task).is_none_or(is_better) {
            best.insert(task, plan);
        }
    }
    let all: Vec<Plan> = best.into_values().collect();
    let mut plans: Vec<Plan> =
        all.iter().filter(|plan| !all.iter().any(|other| is_case(plan, other))).cloned().collect();
    plans.sort_by(|a, b| b.seen.cmp(&a.seen).then_with(|| a.task.cmp(&b.task)));
    (cuts, plans)
}

/// Whether a plan is for single cases of what another is for: it has words where the other has slots.
fn is_case(plan: &Plan, other: &Plan) -> bool {
    let (own, theirs): (Vec<&str>, Vec<&str>) =
        (plan.task.split_whitespace().collect(), other.task.split_whitespace().collect());
    let covers = |theirs: &str, own: &str| theirs == own || theirs.starts_with('[') && !own.starts_with('[');
    plan.task != other.task
        && own.len() == theirs.len()
        && theirs.iter().zip(&own).all(|(theirs, own)| covers(theirs, own))
}

fn task_words(log: &Trajectory) -> BTreeSet<&str> {
    log.task.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

fn changes<'a>(log: &Trajectory, shapes: &'a [Shape], refused: &[String]) -> Vec<Change<'a>> {
    let named = task_words(log);
    let mut acted: BTreeSet<String> = BTreeSet::new();
    let mut changes = Vec::new();
    for (at, step) in log.steps.iter().enumerate() {
        if !taken(step.observation.as_deref(), refused) {
            continue;
        }
        let found = shapes.iter().find_map(|shape| Some((shape, shape.form.bind(&step.action)?)));
        let Some((shape, binding)) = found else { continue };
        let Some(thing) = shape.object().and_then(|slot| binding.get(slot)) else { continue };
        if named.contains(kind_of(thing)) {
            let before = !acted.insert(thing.clone());
            changes.push(Change { at, shape, binding, before });
        }
    }
    changes
}

/// The slots of each form that are parameters of its skill: those whose things tasks name.
fn parameters(successes: &[(&Trajectory, Vec<Change<'_>>)]) -> BTreeMap<String, Vec<String>> {
    let mut counts: BTreeMap<String, (usize, Vec<(String, usize)>)> = BTreeMap::new();
    for (log, changes) in successes {
        let named = task_words(log);
        for change in changes {
            let form = &change.shape.form;
            let (uses, slots) = counts
                .entry(words::skill_of(form))
                .or_insert_with(|| (0, form.slots().map(|slot| (slot.to_owned(), 0)).collect()));
            *uses += 1;
            for (slot, count) in slots {
                *count += usize::from(change.binding.get(slot).is_some_and(|thing| named.contains(kind_of(thing))));
            }
        }
    }
    let keeps = |count: usize, uses: usize| count as f64 >= PARAMETER * uses as f64;
    let kept = |(uses, slots): (usize, Vec<(String, usize)>)| {
        slots.into_iter().filter(|(_, count)| keeps(*count, uses)).map(|(slot, _)| slot).collect()
    };
    counts.into_iter().map(|(skill, counted)| (skill, kept(counted))).collect()
}

fn segments(log: &Trajectory, changes: &[Change<'_>], parameters: &BTreeMap<String, Vec<String>>) -> Vec<Segment> {
    // Several things of a kind are distinguished by number, in the order they were acted on.
    let mut things: Vec<String> = Vec::new();
    for change in changes {
        let thing = change.shape.object().and_then(|slot| change.binding.get(slot));
        things.extend(thing.filter(|thing| !things.contains(thing)).cloned());
    }
    let called = |thing: &String| {
        let kind = kind_of(thing);
        let same: Vec<&String> = things.iter().filter(|known| kind_of(known) == kind).collect();
        let number = same.iter().position(|known| *known == thing);
        match number.filter(|_| same.len() > 1) {
            Some(number) => format!("{kind}{}", number + 1),
            None => kind.to_owned(),
        }
    };
    let (mut segments, mut start): (Vec<Segment>, usize) = (Vec::new(), 0);
    for change in changes {
        let skill = words::skill_of(&change.shape.form);
        let Some(thing) = change.shape.object().and_then(|slot| change.binding.get(slot)) else { continue };
        if !change.before && start < change.at {
            let args = vec![called(thing)];
            segments.push(Segment { skill: FIND.to_owned(), args, start, end: change.at - 1 });
            start = change.at;
        }
        let slots = parameters.get(&skill).map_or(&[][..], Vec::as_slice);
        let args = slots.iter().filter_map(|slot| change.binding.get(slot)).map(called).collect();
        segments.push(Segment { skill, args, start, end: change.at });
        start = change.at + 1;
    }
    if let Some(last) = segments.last_mut() {
        last.end = log.steps.len().saturating_sub(1).max(last.end);
    }
    segments
}

/// A word without the stop after it.
fn bare(word: &str) -> &str {
    word.trim_end_matches(['.', ',', '!', '?'])
}

fn divided(log: &Trajectory, changes: &[Change<'_>], segments: &[Segment]) -> (String, Vec<SkillCall>) {
    let mut names: Vec<(String, &str)> = Vec::new();
    for change in changes {
        for (slot, thing) in &change.binding {
            let kind = kind_of(thing);
            if task_words(log).contains(kind) && names.iter().all(|(known, _)| known != kind) {
                names.push((kind.to_owned(), if slot.starts_with(PLACE) { PLACE } else { OBJECT }));
            }
        }
    }
    // Slots are numbered in the order the task names their fillers.
    let place = |kind: &str| log.task.split_whitespace().position(|word| bare(word) == kind);
    let mut bases: Vec<(String, &str)> = names;
    bases.sort_by_key(|(kind, _)| place(kind));
    let mut names: Vec<(String, String)> = Vec::new();
    for (kind, base) in bases {
        let number = names.iter().filter(|(_, name)| name.starts_with(base)).count();
        names.push((kind, if number == 0 { base.to_owned() } else { format!("{base}{}", number + 1) }));
    }
    let spoken = |word: &str| {
        let kind = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let name = names.iter().find(|(known, _)| known == word || known == kind);
        name.map_or_else(
            || word.to_owned(),
            |(known, name)| format!("[{name}]{}", word.get(known.len()..).unwrap_or_default()),
        )
    };
    let task: Vec<String> = log
        .task
        .split_whitespace()
        .map(|word| {
            let bare = bare(word);
            names
                .iter()
                .find(|(known, _)| known == bare)
                .map_or_else(|| bare.to_owned(), |(_, name)| format!("[{name}]"))
        })
        .collect();
    let mut calls: Vec<SkillCall> = Vec::new();
    for segment in segments {
        let call =
            SkillCall { skill: segment.skill.clone(), args: segment.args.iter().map(|arg| spoken(arg)).collect() };
        // The same done twice in a row is a second try.
        if calls.last() != Some(&call) {
            calls.push(call);
        }
    }
    (task.join(" "), calls)
}

/// The skills of cuts, by how early they come.
pub(super) fn names(cuts: &[Cut]) -> Vec<String> {
    let mut at: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for cut in cuts {
        for (place, segment) in cut.segments.iter().enumerate() {
            let entry = at.entry(&segment.skill).or_default();
            *entry = (entry.0 + place, entry.1 + 1);
        }
    }
    let mut names: Vec<(&str, f64)> =
        at.into_iter().map(|(name, (sum, n))| (name, sum as f64 / n.max(1) as f64)).collect();
    names.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(b.0)));
    names.into_iter().map(|(name, _)| name.to_owned()).collect()
}

/// The signature of a skill: as many parameters as its segments have arguments, called as its form calls them.
pub(super) fn signature(name: &str, shapes: &[Shape], cuts: &[Cut]) -> Signature {
    let count =
        cuts.iter().flat_map(|cut| &cut.segments).find(|segment| segment.skill == name).map_or(0, |s| s.args.len());
    let form = shapes.iter().map(|shape| &shape.form).find(|form| words::skill_of(form) == name);
    let slots: Vec<String> = match form {
        Some(form) => form.slots().map(str::to_owned).collect(),
        None => vec![OBJECT.to_owned()],
    };
    Signature { name: name.to_owned(), parameters: slots.into_iter().take(count).collect() }
}
