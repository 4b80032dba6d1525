//! Discovery without a language model: what O3D's three stages ask of one, found in logs by counting.
//!
//! `forms` generalises action texts over their things, `cut` divides successes into skills by what changed for the things a task
//! names and reads off how tasks are divided, `needs` contrasts the moments before successes and refusals of an action, `places`
//! counts where things are, `words` says it all in words. Everything is read from the logs; no world is asked.

mod cut;
mod forms;
mod needs;
mod places;
mod shop;
mod words;

use std::collections::BTreeMap;

use crate::example::{Example, choose};
use crate::knowledge::{Knowledge, Primitive, Skill};
use crate::rules::{ActionRule, Fact, Need, Rules};
use crate::segment::Segment;
use stepwright_trajectory::Trajectory;

pub use forms::Shape;
pub use needs::Found;

#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Whether successes are contrasted with refusals and failed episodes; else only successes speak.
    pub contrast: bool,
    /// Successes a form of action needs to count as a primitive.
    pub least: usize,
    /// The share of an action's successes before which a condition is to hold.
    pub share: f64,
    pub examples: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { contrast: true, least: 2, share: 0.98, examples: 3 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub trajectory: String,
    pub segments: Vec<Segment>,
}

/// A step of a log that speaks for a tip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    pub trajectory: String,
    /// The step, from 0.
    pub step: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tip {
    /// The skill it belongs to; `None` for all.
    pub skill: Option<String>,
    pub text: String,
    pub form: Option<String>,
    /// The condition, where it is one that a program can check.
    pub need: Option<Need>,
    pub successes: (usize, usize),
    /// Refusals or failures before which it did not hold, of how many.
    pub failures: (usize, usize),
    pub witnesses: Vec<Witness>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Distilled {
    /// Skills, primitives, tips, rules.
    pub knowledge: Knowledge,
    pub cuts: Vec<Cut>,
    pub tips: Vec<Tip>,
}

/// Finds skills, primitives and tips in logs.
///
/// Logs of numbered things (`take mug 1 from desk 2`) give rules too; logs of a site with buttons (`click[Buy Now]`) give skills by
/// kind of button. Trajectories without observations give forms and nothing else.
pub fn discover(logs: &[Trajectory], settings: &Settings) -> Distilled {
    discover_while(logs, settings, &|| true).unwrap_or_default()
}

/// As [`discover`], as long as it is to go on; `None` where it is stopped.
pub fn discover_while(logs: &[Trajectory], settings: &Settings, keep_running: &dyn Fn() -> bool) -> Option<Distilled> {
    let go_on = || keep_running().then_some(());
    go_on()?;
    if shop::is_site(logs) {
        return Some(shop::discover(logs, settings));
    }
    let refused = forms::refusals(logs);
    let shapes = forms::shapes(logs, &refused, settings.least);
    go_on()?;
    let (cuts, plans) = cut::cut(logs, &shapes, &refused);
    go_on()?;
    let found = needs::contrast(logs, &shapes, &refused, settings);
    go_on()?;
    let actions = places::actions(logs, &shapes, &refused, &found);
    let likely = places::likely(logs, &shapes, &refused);
    go_on()?;
    let mut skills = skills(logs, &cuts, &shapes, &refused, settings);
    skills.iter_mut().for_each(|skill| complete(skill, logs, &shapes, &actions, settings));
    let mut tips: Vec<Tip> = Vec::new();
    for skill in &mut skills {
        // What an action of the skill's own name needs is said there, what moves and opens where it is first used.
        for found in &found {
            let belongs = words::belongs(skill, &found.form);
            let said =
                tips.iter().any(|tip| tip.form.as_deref() == Some(&found.form) && tip.need == Some(found.need.clone()));
            if belongs && !said {
                let tip = words::tip(skill, found);
                skill.tips.push(tip.text.clone());
                tips.push(tip);
            }
        }
    }
    let general = if settings.contrast { words::general(logs, &refused) } else { Vec::new() };
    let knowledge = Knowledge {
        skills,
        tips: general.iter().map(|tip| tip.text.clone()).collect(),
        examples: examples(logs, &cuts),
        rules: Rules { refused, actions, plans, likely },
    };
    tips.extend(general);
    Some(Distilled { knowledge, cuts, tips })
}

fn examples(logs: &[Trajectory], cuts: &[Cut]) -> Vec<Example> {
    let by_id: BTreeMap<&str, &Trajectory> = logs.iter().map(|log| (log.id.as_str(), log)).collect();
    choose(cuts.iter().filter_map(|cut| Some((*by_id.get(cut.trajectory.as_str())?, cut.segments.as_slice()))))
}

/// The skills of the cuts, each with the forms that were used in it.
fn skills(logs: &[Trajectory], cuts: &[Cut], shapes: &[Shape], refused: &[String], settings: &Settings) -> Vec<Skill> {
    let by_id: BTreeMap<&str, &Trajectory> = logs.iter().map(|log| (log.id.as_str(), log)).collect();
    let mut skills: Vec<Skill> = Vec::new();
    for name in cut::names(cuts) {
        let segments = || {
            let all = cuts.iter().filter_map(|cut| Some((by_id.get(cut.trajectory.as_str())?, cut)));
            all.flat_map(|(log, cut)| cut.segments.iter().map(move |segment| (*log, segment)))
                .filter(|(_, segment)| segment.skill == name)
        };
        let count = segments().count();
        let mut primitives: Vec<(usize, Primitive)> = Vec::new();
        for shape in shapes {
            let steps =
                segments().flat_map(|(log, segment)| log.steps.get(segment.start..=segment.end).into_iter().flatten());
            let actions: Vec<&str> = steps
                .filter(|step| {
                    forms::taken(step.observation.as_deref(), refused) && shape.form.bind(&step.action).is_some()
                })
                .map(|step| step.action.as_str())
                .collect();
            // A stray action in a few episodes is no part of the skill.
            let few = actions.len() < settings.least || actions.len() * 20 < count;
            let own = words::is_own(&name, &shape.form);
            if own && !actions.is_empty() || !few && !shape.has_object() {
                let examples = shape.examples(&actions, settings.examples);
                primitives.push((actions.len(), Primitive { syntax: shape.form.syntax(), examples }));
            }
        }
        // What leads there first, the action of the skill's own name last.
        primitives.sort_by_key(|(count, primitive)| {
            let own = primitive.syntax.split_whitespace().next() == Some(name.as_str());
            (own, usize::MAX - count)
        });
        let signature = cut::signature(&name, shapes, cuts);
        let primitives = primitives.into_iter().map(|(_, primitive)| primitive).collect();
        skills.push(Skill { signature, primitives, ..Skill::default() });
    }
    skills
}

/// Gives a skill the moves that its own action needs, where logs of it never had to make them.
fn complete(skill: &mut Skill, logs: &[Trajectory], shapes: &[Shape], actions: &[ActionRule], settings: &Settings) {
    let has = |skill: &Skill, form: &str| skill.primitives.iter().any(|primitive| primitive.syntax == form);
    for shape in shapes.iter().filter(|shape| !shape.has_object()) {
        let (form, verb) = (shape.form.syntax(), shape.form.verb());
        let Some(rule) = actions.iter().find(|rule| rule.form == form) else { continue };
        let own = actions.iter().filter(|rule| has(skill, &rule.form));
        let mut needs = own.flat_map(|rule| &rule.needs);
        let is_needed = needs.any(|need| match &need.fact {
            Fact::Last { verb: wanted, .. } | Fact::Here { verb: wanted, .. } => need.holds && *wanted == verb,
            Fact::Is { slot, state } => {
                rule.makes.iter().any(|(own, made)| own == slot && (made == state) == need.holds)
            }
            _ => false,
        });
        if is_needed && !has(skill, &form) {
            let steps = logs.iter().filter(|log| log.succeeded()).flat_map(|log| &log.steps);
            let fits = steps.filter(|step| shape.form.bind(&step.action).is_some());
            let actions: Vec<&str> = fits.map(|step| step.action.as_str()).collect();
            let examples = shape.examples(&actions, settings.examples);
            skill.primitives.insert(0, Primitive { syntax: form, examples });
        }
    }
}

#[cfg(test)]
mod tests;
