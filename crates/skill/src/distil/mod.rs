//! Distilling knowledge from logs with a language model (Algorithm 1, stages 1 and 2): which question comes next, and what an answer
//! changes. It asks nobody itself: [`Distiller::next`] gives a question as data for a template, [`Distiller::take`] takes the answer.
//! The same answers always lead to the same questions, so that a run goes on from the answers that were kept.

mod review;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use crate::batch::batches;
use crate::call::Signature;
use crate::knowledge::{Knowledge, Primitive, Skill};
use crate::segment::{Segment, validate};
use crate::{cut, response, show};
use stepwright_trajectory::Trajectory;

pub use review::{Cuts, Proposed, Wanted};

/// Parts of both stages: skills, segments, primitives, tips.
const STAGES: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// Trajectories shown at once when skills are discovered (N1).
    pub discover: usize,
    /// How often skills are discovered (T1); 0 for once through all successes.
    pub rounds: usize,
    /// Sub-trajectories or pairs shown at once when primitives and tips are distilled (N2).
    pub distil: usize,
    /// How often that is done for a skill (T2); 0 for once through all of them.
    pub turns: usize,
    /// Whether tips come from contrasting a failure with a success; from successes alone otherwise.
    pub contrast: bool,
    /// Whether tips of whole trajectories are all that is distilled: no skills, no primitives.
    pub tips_only: bool,
    pub seed: u64,
}

impl Default for Settings {
    /// One trajectory at a time, once through all: what the printed prompts show.
    fn default() -> Self {
        Settings { discover: 1, rounds: 0, distil: 1, turns: 0, contrast: true, tips_only: false, seed: 0 }
    }
}

/// How tips are found: as published, or by the paper's ablations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Way {
    /// Skills, primitives, and tips by contrasting a failure with a success.
    #[default]
    Published,
    /// The same, tips from successes alone.
    NonContrastive,
    /// Tips of no skill by contrast, and nothing else.
    TipsOnly,
    /// Tips of no skill from successes alone, and nothing else.
    TipsOnlyNonContrastive,
}

impl Way {
    /// All, in the order in which they are gone through.
    pub const ALL: [Way; 4] = [Way::Published, Way::NonContrastive, Way::TipsOnly, Way::TipsOnlyNonContrastive];

    /// Whether tips come from contrasting a failure with a success.
    pub fn is_contrastive(self) -> bool {
        matches!(self, Way::Published | Way::TipsOnly)
    }

    pub fn is_tips_only(self) -> bool {
        matches!(self, Way::TipsOnly | Way::TipsOnlyNonContrastive)
    }

    /// The one behind it; the first behind the last.
    #[must_use]
    pub fn next(self) -> Way {
        let mut ways = Way::ALL.into_iter().cycle().skip_while(|way| *way != self);
        ways.nth(1).unwrap_or_default()
    }

    pub fn about(self) -> &'static str {
        match self {
            Way::Published => "skills, primitives, and tips by contrast",
            Way::NonContrastive => "skills, primitives, and tips of successes alone",
            Way::TipsOnly => "tips alone, by contrast",
            Way::TipsOnlyNonContrastive => "tips alone, of successes alone",
        }
    }
}

impl From<Way> for Settings {
    fn from(way: Way) -> Self {
        Settings { contrast: way.is_contrastive(), tips_only: way.is_tips_only(), ..Settings::default() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    Skills,
    /// How a trajectory is cut into the known skills.
    Segments {
        of: usize,
    },
    Primitives,
    /// Tips for a skill; `None` for tips of no skill.
    Tips {
        skill: Option<String>,
    },
}

impl Stage {
    /// The template its prompt is made by, below `o3d/`.
    pub fn template(&self, contrast: bool) -> &'static str {
        match self {
            Stage::Skills => "discover",
            Stage::Segments { .. } => "segment",
            Stage::Primitives => "primitives",
            Stage::Tips { .. } if contrast => "tips",
            Stage::Tips { .. } => "tips_of_successes",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Its number, from 0; an answer that cannot be read is asked for once more under the next number.
    pub number: usize,
    pub stage: Stage,
    pub label: String,
    pub of: Vec<String>,
    pub context: Value,
}

#[derive(Debug, Clone, PartialEq)]
struct Task {
    stage: Stage,
    of: Vec<usize>,
    /// For tips by contrast: pairs of a success and a failure.
    pairs: Vec<(usize, usize)>,
}

/// A run of the first two stages.
#[derive(Debug, Clone)]
pub struct Distiller {
    logs: Arc<Vec<Trajectory>>,
    settings: Settings,
    known: Knowledge,
    cuts: BTreeMap<usize, Vec<Segment>>,
    open: std::collections::VecDeque<Task>,
    planned: usize,
    asked: usize,
    /// Why the last answer could not be read, and is asked for again.
    again: Option<String>,
    remarks: Vec<String>,
}

impl Distiller {
    /// A run over logs that begins with what is known already.
    pub fn new(logs: impl Into<Arc<Vec<Trajectory>>>, known: Knowledge, settings: Settings) -> Self {
        let mut run = Distiller::idle(logs.into(), known, settings);
        run.plan();
        run
    }

    /// A run in which nothing is asked yet.
    fn idle(logs: Arc<Vec<Trajectory>>, known: Knowledge, settings: Settings) -> Self {
        let (cuts, open, remarks) = (BTreeMap::new(), std::collections::VecDeque::new(), Vec::new());
        Distiller { logs, settings, known, cuts, open, planned: 0, asked: 0, again: None, remarks }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn known(&self) -> &Knowledge {
        &self.known
    }

    /// How the trajectories are cut so far, by id.
    pub fn cuts(&self) -> impl Iterator<Item = (&str, &[Segment])> {
        self.cuts.iter().filter_map(|(at, cut)| Some((self.logs.get(*at)?.id.as_str(), cut.as_slice())))
    }

    /// The parts passed over, and why.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Questions that are known to come; later stages are not counted before they are reached.
    pub fn left(&self) -> usize {
        self.open.len()
    }

    /// The next question; `None` when all is done.
    pub fn next(&self) -> Option<Question> {
        let task = self.open.front()?;
        let show = |place: &usize| self.logs.get(*place).map(show::whole).unwrap_or_default();
        let skills: Vec<String> = self.known.skills.iter().map(|skill| skill.signature.to_string()).collect();
        let mut context = json!({ "skills": skills, "again": self.again });
        let mut put = |key: &str, value: Value| context[key] = value;
        let label = match &task.stage {
            Stage::Skills => {
                put("trials", task.of.iter().map(show).collect());
                "skills".to_owned()
            }
            Stage::Segments { of } => {
                put("trial", show(of).into());
                "segments".to_owned()
            }
            Stage::Primitives => {
                let trials = task.of.iter().map(|at| self.shown_cut(*at));
                put("trials", trials.collect());
                let known = self.known.skills.iter();
                let known =
                    known.map(|skill| json!({ "name": skill.signature.to_string(), "primitives": skill.primitives }));
                put("known", known.collect());
                "primitives".to_owned()
            }
            Stage::Tips { skill } => {
                let name = skill.as_deref();
                put("tips", json!(self.tips_of(name)));
                put("skill", json!(name.and_then(|name| self.known.skill(name)).map(|s| s.signature.to_string())));
                let pair = |(good, bad): &(usize, usize)| json!({ "success": self.shown_part(*good, name), "failure": self.shown_part(*bad, name) });
                put("pairs", task.pairs.iter().map(pair).collect());
                put("trials", task.of.iter().map(|at| self.shown_part(*at, name)).collect());
                name.map_or_else(|| "tips".to_owned(), |name| format!("tips for {name}"))
            }
        };
        let shown = task.of.iter().copied().chain(task.pairs.iter().flat_map(|(good, bad)| [*good, *bad]));
        let of = shown.filter_map(|at| Some(self.logs.get(at)?.id.clone())).collect();
        Some(Question { number: self.asked, stage: task.stage.clone(), label, of, context })
    }

    /// Takes the answer to the present question. One that cannot be read is asked for once more, then passed over with a remark.
    pub fn take(&mut self, answer: &str) -> Result<(), String> {
        let Some(task) = self.open.front().cloned() else { return Err("nothing was asked".to_owned()) };
        self.asked += 1;
        let taken = self.understand(&task, answer);
        if let Err(why) = &taken
            && self.again.is_none()
        {
            self.again = Some(why.clone());
            return Err(why.clone());
        }
        if let Err(why) = &taken {
            let of: Vec<&str> = task.of.iter().filter_map(|at| Some(self.logs.get(*at)?.id.as_str())).collect();
            self.remarks.push(format!("{} {}: passed over: {why}", task.stage.template(true), of.join(", ")));
        }
        self.again = None;
        self.open.pop_front();
        if self.open.is_empty() {
            self.plan();
        }
        taken
    }

    fn understand(&mut self, task: &Task, answer: &str) -> Result<(), String> {
        match &task.stage {
            Stage::Skills => {
                let read = response::skills(answer).map_err(|e| e.to_string())?;
                if read.skills.is_empty() {
                    return Err("the answer lists no skill as `- name(parameter)`".to_owned());
                }
                self.take_skills(read.skills);
            }
            Stage::Segments { of } => {
                let read = response::skills(answer).map_err(|e| e.to_string())?;
                let log = self.logs.get(*of).ok_or("there is no such log")?;
                let segments = cut::of_parts(&read.parts, log)?;
                let known = &self.known;
                validate(&segments, log.steps.len(), |name| known.skill(name).is_some()).map_err(|e| e.to_string())?;
                self.cuts.insert(*of, segments);
            }
            Stage::Primitives => {
                let read = response::primitives(answer).map_err(|e| e.to_string())?;
                for (signature, given) in read {
                    let Some(skill) = self.known.skill_mut(&signature.name) else { continue };
                    for one in given {
                        take_primitive(&mut skill.primitives, one);
                    }
                }
            }
            Stage::Tips { skill } => {
                let tips = response::tips(answer).map_err(|e| e.to_string())?;
                match skill {
                    None => self.known.tips = tips,
                    Some(name) => self.known.skill_mut(name).into_iter().for_each(|skill| skill.tips.clone_from(&tips)),
                }
            }
        }
        Ok(())
    }

    /// The new list of skills: what is known of those that stay is kept, also where their parameters are named otherwise.
    fn take_skills(&mut self, list: Vec<Signature>) {
        let mut skills: Vec<Skill> = Vec::new();
        for signature in list {
            if skills.iter().any(|known| known.signature.name == signature.name) {
                continue;
            }
            let before = self.known.skill(&signature.name).cloned().unwrap_or_default();
            skills.push(Skill { signature, ..before });
        }
        self.known.skills = skills;
    }

    fn successes(&self) -> Vec<usize> {
        (0..self.logs.len()).filter(|at| self.logs[*at].success).collect()
    }

    fn pairs(&self) -> Vec<(usize, usize)> {
        pairs(&self.logs)
    }

    /// Plans the next stage that has something to ask about.
    fn plan(&mut self) {
        while self.open.is_empty() && self.planned < STAGES {
            let stage = self.planned;
            self.planned += 1;
            let Settings { discover, rounds, distil, turns, seed, .. } = self.settings;
            let only = self.settings.tips_only;
            let tasks: Vec<Task> = match stage {
                0 if !only => {
                    let of = self.successes();
                    let batch = |batch: Vec<usize>| batch.iter().map(|at| of[*at]).collect();
                    let all = batches(of.len(), discover, rounds, seed).into_iter();
                    all.map(|places| Task { stage: Stage::Skills, of: batch(places), pairs: Vec::new() }).collect()
                }
                1 if !only && !self.known.skills.is_empty() => {
                    let open = (0..self.logs.len()).filter(|at| !self.cuts.contains_key(at));
                    open.map(|of| Task { stage: Stage::Segments { of }, of: vec![of], pairs: Vec::new() }).collect()
                }
                2 if !only => {
                    let of: Vec<usize> = self.successes().into_iter().filter(|at| self.cuts.contains_key(at)).collect();
                    let batch = |batch: Vec<usize>| batch.iter().map(|at| of[*at]).collect();
                    let all = batches(of.len(), distil, turns, seed).into_iter();
                    all.map(|places| Task { stage: Stage::Primitives, of: batch(places), pairs: Vec::new() }).collect()
                }
                3 if only => self.tips_tasks(None),
                3 => {
                    let names: Vec<String> = self.known.skills.iter().map(|s| s.signature.name.clone()).collect();
                    names.iter().flat_map(|name| self.tips_tasks(Some(name))).collect()
                }
                _ => Vec::new(),
            };
            self.open.extend(tasks);
        }
    }

    /// Tips for a skill, or of no skill: over pairs in which both sides call it, or over successes that do.
    fn tips_tasks(&self, skill: Option<&String>) -> Vec<Task> {
        let Settings { distil, turns, seed, contrast, .. } = self.settings;
        let calls = |at: &usize| match skill {
            None => true,
            Some(name) => self.cuts.get(at).is_some_and(|cut| cut.iter().any(|segment| segment.skill == *name)),
        };
        let stage = Stage::Tips { skill: skill.cloned() };
        if contrast {
            let pairs: Vec<(usize, usize)> = self.pairs().into_iter().filter(|(a, b)| calls(a) && calls(b)).collect();
            let all = batches(pairs.len(), distil, turns, seed).into_iter();
            let pairs = |places: Vec<usize>| places.iter().map(|at| pairs[*at]).collect();
            return all.map(|places| Task { stage: stage.clone(), of: Vec::new(), pairs: pairs(places) }).collect();
        }
        let of: Vec<usize> = self.successes().into_iter().filter(calls).collect();
        let all = batches(of.len(), distil, turns, seed).into_iter();
        let batch = |places: Vec<usize>| places.iter().map(|at| of[*at]).collect();
        all.map(|places| Task { stage: stage.clone(), of: batch(places), pairs: Vec::new() }).collect()
    }

    fn tips_of(&self, skill: Option<&str>) -> &[String] {
        match skill {
            None => &self.known.tips,
            Some(name) => self.known.skill(name).map_or(&[], |skill| &skill.tips),
        }
    }

    fn shown_cut(&self, at: usize) -> Value {
        let (Some(log), Some(cut)) = (self.logs.get(at), self.cuts.get(&at)) else { return Value::Null };
        json!({ "plan": cut.iter().map(|s| s.call().to_string()).collect::<Vec<_>>(), "log": show::segmented(log, cut) })
    }

    /// A trajectory as a skill's policy would have met it: what was done before, the call, and its steps; the whole one without a skill.
    fn shown_part(&self, at: usize, skill: Option<&str>) -> Value {
        let Some(log) = self.logs.get(at) else { return Value::Null };
        let segment =
            self.cuts.get(&at).and_then(|cut| cut.iter().find(|segment| Some(segment.skill.as_str()) == skill));
        let (from, to, task) = match segment {
            Some(segment) => (segment.start, segment.end + 1, segment.call().to_string()),
            None => (0, log.steps.len(), log.task.clone()),
        };
        json!({
            "beginning": show::beginning(log),
            "history": show::steps(log.steps.get(..from).unwrap_or_default(), ""),
            "task": task,
            "steps": show::steps(log.steps.get(from..to).unwrap_or_default(), ""),
        })
    }
}

/// Adds a primitive, or its example where the form is known without one. What has another form is left out.
fn take_primitive(list: &mut Vec<Primitive>, given: response::Given) {
    let example = Some(given.example).filter(|example| crate::primitive::fits(&given.syntax, example).is_ok());
    match list.iter_mut().find(|known| known.syntax == given.syntax) {
        Some(known) if known.examples.is_empty() => known.examples.extend(example),
        Some(_) => {}
        None => list.push(Primitive { syntax: given.syntax, examples: example.into_iter().collect() }),
    }
}

/// Pairs that are made at most: a thousand successes and a thousand failures on one task would make a million.
const MOST_PAIRS: usize = 10_000;

/// Pairs of a success and a failure on one task, by place: those that share a `pair_id`, else the same environment and task. Of more
/// than 10,000 the first.
pub fn pairs(logs: &[Trajectory]) -> Vec<(usize, usize)> {
    let of_one_task = |one: &Trajectory, other: &Trajectory| match (&one.pair_id, &other.pair_id) {
        (Some(one), Some(other)) => one == other,
        _ => {
            let named = one.task_id.is_some() && one.task_id == other.task_id;
            one.env == other.env
                && (named
                    || (one.task == other.task
                        && !one.task.is_empty()
                        && one.initial_observation == other.initial_observation))
        }
    };
    let mut pairs = Vec::new();
    let mut by_task: BTreeMap<(Option<&str>, &str), Vec<usize>> = BTreeMap::new();
    for (at, log) in logs.iter().enumerate().filter(|(_, log)| !log.success) {
        by_task.entry((log.pair_id.as_deref(), log.task.as_str())).or_default().push(at);
    }
    for (at, log) in logs.iter().enumerate().filter(|(_, log)| log.success) {
        let same = by_task.get(&(log.pair_id.as_deref(), log.task.as_str())).into_iter().flatten();
        let left = MOST_PAIRS - pairs.len();
        if left == 0 {
            break;
        }
        pairs.extend(same.filter(|bad| of_one_task(log, &logs[**bad])).map(|bad| (at, *bad)).take(left));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_trajectory::Step;

    fn log(id: &str, success: bool, actions: &[&str]) -> Trajectory {
        let step = |action: &&str| Step { action: (*action).to_owned(), ..Step::default() };
        Trajectory {
            id: id.to_owned(),
            pair_id: Some("p".to_owned()),
            task: "put a mug in desk".to_owned(),
            steps: actions.iter().map(step).collect(),
            success,
            ..Trajectory::default()
        }
    }

    fn logs() -> Vec<Trajectory> {
        vec![
            log("good", true, &["go to desk 1", "take mug 1 from desk 1"]),
            log("bad", false, &["go to desk 1", "take mug from desk"]),
        ]
    }

    const SKILLS: &str =
        "New summarization:\nWe list the Environment-specific subtasks below:\n- find(object)\n- take(object)";

    fn segmented(second: &str) -> String {
        format!("New summarization:\n- find(mug):\n> go to desk 1\n- take(mug):\n> {second}\n")
    }

    #[test]
    fn both_stages_are_gone_through_and_bad_answers_are_asked_for_once_more() {
        let mut run = Distiller::new(logs(), Knowledge::default(), Settings::default());
        assert_eq!(run.next().unwrap().stage, Stage::Skills);
        assert_eq!(run.next().unwrap().of, ["good"], "skills are those of successes");
        assert!(run.take("no marker").is_err());
        let again = run.next().unwrap();
        assert!(again.number == 1 && again.context["again"].as_str().unwrap().contains("New summarization"));
        run.take(SKILLS).unwrap();
        assert_eq!(run.next().unwrap().stage, Stage::Segments { of: 0 });
        run.take(&segmented("take mug 1 from desk 1")).unwrap();
        assert!(run.take(&segmented("take something else")).is_err());
        run.take(&segmented("take mug from desk")).unwrap();
        assert_eq!(run.cuts().count(), 2);
        assert_eq!(run.next().unwrap().stage, Stage::Primitives);
        run.take("New summarization:\n>> find(object)\n- go to [receptacle] [id]\nExample: go to desk 1\n>> take(object)\n- take [object] [id] from [receptacle] [id]\nExample: take it").unwrap();
        let take = run.known().skill("take").unwrap();
        assert!(take.primitives.len() == 1 && take.primitives[0].examples.is_empty(), "the example is not of the form");
        let question = run.next().unwrap();
        assert_eq!((question.label.as_str(), question.of.len()), ("tips for find", 2));
        assert_eq!(question.context["pairs"][0]["failure"]["task"], "find(mug)");
        run.take("New summarization: x\nTips:\n- Look.").unwrap();
        assert_eq!(run.next().unwrap().label, "tips for take");
        assert!(
            run.next().unwrap().context["pairs"][0]["failure"]["history"].as_str().unwrap().contains("go to desk 1")
        );
        assert!(run.take("?").is_err() && run.take("?").is_err());
        assert_eq!(run.next(), None);
        assert_eq!(run.known().skill("find").unwrap().tips, ["Look."]);
        assert!(run.remarks()[0].contains("passed over"), "{:?}", run.remarks());
    }

    #[test]
    fn the_ablations_ask_for_less() {
        let only = Settings { tips_only: true, ..Settings::default() };
        let run = Distiller::new(logs(), Knowledge::default(), only.clone());
        let question = run.next().unwrap();
        assert_eq!((question.stage, run.left()), (Stage::Tips { skill: None }, 1));
        assert_eq!(question.context["pairs"].as_array().unwrap().len(), 1);
        let run = Distiller::new(logs(), Knowledge::default(), Settings { contrast: false, ..only });
        let question = run.next().unwrap();
        assert_eq!((question.context["trials"].as_array().unwrap().len(), question.of), (1, vec!["good".to_owned()]));
        assert_eq!(Distiller::new(Vec::new(), Knowledge::default(), Settings::default()).next(), None);
    }

    #[test]
    fn pairs_are_of_one_task() {
        let mut all = logs();
        all.push(Trajectory { pair_id: Some("q".to_owned()), ..log("other", false, &["look"]) });
        all.push(Trajectory { pair_id: None, ..log("alone", false, &["look"]) });
        assert_eq!(pairs(&all), [(0, 1)]);
        let many: Vec<Trajectory> = (0..2_000).map(|n| log(&n.to_string(), n % 2 == 0, &["look"])).collect();
        assert_eq!(pairs(&many).len(), MOST_PAIRS);
    }
}
