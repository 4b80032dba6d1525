//! Discovery in logs of a site with buttons (`search[…]`, `click[…]`): skills by kind of button, tips by what successful purchases
//! had done that failed ones had not.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cut, Distilled, Settings, Tip, Witness, examples};
use crate::call::{Signature, SkillCall};
use crate::knowledge::{Knowledge, Primitive, Skill};
use crate::primitive::name_of;
use crate::rules::{Plan, Rules};
use crate::segment::Segment;
use stepwright_trajectory::Trajectory;

/// How much more often successes are to have done something than failures.
const MORE: f64 = 0.1;
/// Steps kept to show for a tip.
const WITNESSES: usize = 3;

/// Whether logs are of such a site: most actions are names with square brackets.
pub(super) fn is_site(logs: &[Trajectory]) -> bool {
    let steps = logs.iter().flat_map(|log| &log.steps);
    let (mut all, mut own) = (0usize, 0usize);
    for step in steps {
        all += 1;
        own += usize::from(step.action.contains('[') && step.action.ends_with(']'));
    }
    own * 2 > all
}

/// The skill that an action belongs to, by its kind; `None` for what belongs to the action before.
fn skill_of(action: &str) -> Option<&'static str> {
    match name_of(action).as_str() {
        "search[Query]" | "click[Back to Search]" | "click[Next >]" => Some("search_item"),
        "click[Item ID]" => Some("select_item"),
        "click[Attribute]" => Some("select_item_attributes"),
        "click[Buy Now]" => Some("purchase_item"),
        _ => None,
    }
}

/// A trajectory by runs of actions of one skill. Pages of an item (`click[Features]`) belong to what goes on.
fn segments(log: &Trajectory) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for (at, step) in log.steps.iter().enumerate() {
        let skill = skill_of(&step.action);
        match (segments.last_mut(), skill) {
            (Some(last), None) => last.end = at,
            (Some(last), Some(skill)) if last.skill == skill => last.end = at,
            (before, skill) => {
                let skill = skill.unwrap_or("search_item").to_owned();
                let start = if before.is_none() { 0 } else { at };
                segments.push(Segment { skill, args: Vec::new(), start, end: at });
            }
        }
    }
    segments
}

/// Finds skills, primitives and tips in logs of a site.
pub(super) fn discover(logs: &[Trajectory], settings: &Settings) -> Distilled {
    let successes: Vec<&Trajectory> = logs.iter().filter(|log| log.succeeded()).collect();
    let cuts: Vec<Cut> =
        successes.iter().map(|log| Cut { trajectory: log.id.clone(), segments: segments(log) }).collect();
    let mut skills = Vec::new();
    for name in super::cut::names(&cuts) {
        let mut counted: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
        for (log, cut) in successes.iter().zip(&cuts) {
            for segment in cut.segments.iter().filter(|segment| segment.skill == name) {
                for step in log.steps.get(segment.start..=segment.end).into_iter().flatten() {
                    *counted.entry(name_of(&step.action)).or_default().entry(&step.action).or_default() += 1;
                }
            }
        }
        let mut primitives: Vec<(usize, Primitive)> = Vec::new();
        for (syntax, actions) in counted {
            let sum = actions.values().sum::<usize>();
            let mut actions: Vec<(usize, &str)> = actions.into_iter().map(|(action, count)| (count, action)).collect();
            actions.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
            let examples = actions.into_iter().take(settings.examples).map(|(_, action)| action.to_owned()).collect();
            if sum >= settings.least {
                primitives.push((sum, Primitive { syntax, examples }));
            }
        }
        primitives.sort_by_key(|(count, _)| usize::MAX - count);
        let primitives = primitives.into_iter().map(|(_, primitive)| primitive).collect();
        let signature = Signature { name, parameters: Vec::new() };
        skills.push(Skill { signature, primitives, ..Skill::default() });
    }
    let tips = if settings.contrast { tips(logs) } else { Vec::new() };
    for tip in &tips {
        if let Some(skill) = skills.iter_mut().find(|skill| Some(&skill.signature.name) == tip.skill.as_ref()) {
            skill.tips.push(tip.text.clone());
        }
    }
    let general = tips.iter().filter(|tip| tip.skill.is_none()).map(|tip| tip.text.clone()).collect();
    let plans = plan(&cuts).into_iter().collect();
    let examples = examples(logs, &cuts);
    let knowledge = Knowledge { skills, tips: general, examples, rules: Rules { plans, ..Rules::default() } };
    Distilled { knowledge, cuts, tips }
}

fn plan(cuts: &[Cut]) -> Option<Plan> {
    let mut counted: BTreeMap<Vec<SkillCall>, usize> = BTreeMap::new();
    for cut in cuts {
        *counted.entry(cut.segments.iter().map(Segment::call).collect()).or_default() += 1;
    }
    let (calls, seen) = counted.into_iter().max_by_key(|(calls, seen)| (*seen, usize::MAX - calls.len()))?;
    Some(Plan { task: String::new(), calls, seen })
}

fn norm(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

struct Purchase<'a> {
    log: &'a Trajectory,
    at: usize,
    clicked: Vec<&'a str>,
    /// Rows of options on the item's page: the texts of each.
    rows: Vec<Vec<&'a str>>,
    query: &'a str,
    price: Option<f64>,
    first: bool,
}

fn purchase(log: &Trajectory) -> Option<Purchase<'_>> {
    let at = log.steps.iter().rposition(|step| step.action == "click[Buy Now]")?;
    let item = log.steps.get(..at)?.iter().rposition(|step| name_of(&step.action) == "click[Item ID]")?;
    let inside = |action: &'_ str| {
        action.split_once('[').and_then(|(_, rest)| rest.strip_suffix(']')).unwrap_or_default().to_owned()
    };
    let page = log.steps.get(item)?.observation.as_deref().unwrap_or_default();
    let row = |line: &'_ str| -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        let mut open = None;
        for (place, c) in line.char_indices() {
            match (c, open) {
                ('[', _) => open = Some(place + 1),
                (']', Some(start)) => {
                    found.push((start, place));
                    open = None;
                }
                _ => {}
            }
        }
        found
    };
    let rows = page
        .lines()
        .filter(|line| !line.trim_start().starts_with('[') && line.contains('['))
        .map(|line| row(line).into_iter().filter_map(|(start, end)| line.get(start..end)).collect())
        .collect();
    let clicked = log.steps.get(item..at)?.iter().filter(|step| name_of(&step.action) == "click[Attribute]");
    let clicked = clicked.filter_map(|step| step.action.split_once('[')?.1.strip_suffix(']')).collect();
    let search = log.steps.get(..item)?.iter().rev().find(|step| step.action.starts_with("search["));
    let query = search.and_then(|step| step.action.split_once('[')?.1.strip_suffix(']')).unwrap_or_default();
    let price =
        page.lines().find_map(|line| line.trim().strip_prefix("Price: $")?.split_whitespace().next()?.parse().ok());
    let results = log.steps.get(..item)?.iter().rev().find_map(|step| step.observation.as_deref());
    let id = inside(&log.steps.get(item)?.action);
    let first = results.and_then(|page| page.find(&format!("[{id}]")).map(|place| (page, place))).is_some_and(
        |(page, place)| {
            let before = page.get(..place).unwrap_or_default();
            !before.lines().any(|line| line.trim().starts_with("[B0") || line.trim().starts_with("$"))
        },
    );
    Some(Purchase { log, at, clicked, rows, query, price, first })
}

fn limit(task: &str) -> Option<f64> {
    let (_, rest) = task.split_once("price lower than ")?;
    rest.split_whitespace().next()?.trim_start_matches('$').parse().ok()
}

type Condition = fn(&Purchase<'_>) -> bool;

const CONDITIONS: [(&str, &str, Condition); 6] = [
    ("select_item_attributes", "Choose one option of every row on the item's page before you buy it.", |p| {
        p.rows.iter().all(|row| row.iter().any(|option| p.clicked.iter().any(|own| norm(own) == norm(option))))
    }),
    ("select_item_attributes", "Choose the options whose words stand in the instruction.", |p| {
        let task = norm(&p.log.task);
        p.clicked.iter().all(|own| {
            norm(own).split(' ').any(|word| word.len() > 2 && task.contains(word)) || task.contains(&norm(own))
        })
    }),
    ("select_item_attributes", "Write an option exactly as its button does, upper and lower case alike.", |p| {
        p.clicked.iter().all(|own| p.rows.iter().flatten().any(|option| option == own))
    }),
    ("search_item", "Leave the price out of the search; compare it with the prices of the results.", |p| {
        !norm(p.query).contains("price") && !p.query.contains('$') && !norm(p.query).contains("dollar")
    }),
    ("select_item", "Choose an item whose price is below the limit of the instruction.", |p| {
        limit(&p.log.task).zip(p.price).is_none_or(|(limit, price)| price <= limit)
    }),
    ("select_item", "Compare the results with the instruction; the first is not always the one.", |p| !p.first),
];

/// Conditions that hold before successful purchases and more seldom before failed ones.
fn tips(logs: &[Trajectory]) -> Vec<Tip> {
    let bought: Vec<Purchase<'_>> = logs.iter().filter_map(purchase).collect();
    let (good, bad): (Vec<&Purchase<'_>>, Vec<&Purchase<'_>>) =
        bought.iter().filter(|p| p.log.success.is_some()).partition(|p| p.log.succeeded());
    let share = |count: usize, of: usize| count as f64 / of.max(1) as f64;
    let mut tips = Vec::new();
    for (skill, text, holds) in CONDITIONS {
        let held = good.iter().filter(|p| holds(p)).count();
        let missed: Vec<&&Purchase<'_>> = bad.iter().filter(|p| !holds(p)).collect();
        let gap = share(missed.len(), bad.len()) - share(good.len() - held, good.len());
        if !good.is_empty() && missed.len() >= WITNESSES && gap >= MORE {
            let witness = |p: &&&Purchase<'_>| Witness { trajectory: p.log.id.clone(), step: p.at };
            tips.push(Tip {
                skill: Some(skill.to_owned()),
                text: text.to_owned(),
                form: Some("click[Buy Now]".to_owned()),
                need: None,
                successes: (held, good.len()),
                failures: (missed.len(), bad.len()),
                witnesses: missed.iter().take(WITNESSES).map(witness).collect(),
            });
        }
    }
    // Failed episodes that never bought.
    let ends = |logs: &mut dyn Iterator<Item = &Trajectory>| {
        let all: Vec<bool> = logs.map(|log| purchase(log).is_some()).collect();
        (all.iter().filter(|bought| **bought).count(), all.len())
    };
    let good = ends(&mut logs.iter().filter(|log| log.succeeded()));
    let bad = ends(&mut logs.iter().filter(|log| log.failed()));
    let never: BTreeSet<&str> =
        logs.iter().filter(|log| log.failed() && purchase(log).is_none()).map(|log| log.id.as_str()).collect();
    if never.len() >= WITNESSES && share(never.len(), bad.1) >= MORE {
        tips.push(Tip {
            skill: None,
            text: "Buy before the episode ends: what is not bought scores nothing.".to_owned(),
            form: Some("click[Buy Now]".to_owned()),
            need: None,
            successes: good,
            failures: (never.len(), bad.1),
            witnesses: never
                .iter()
                .take(WITNESSES)
                .map(|id| Witness { trajectory: (*id).to_owned(), step: 0 })
                .collect(),
        });
    }
    tips
}
