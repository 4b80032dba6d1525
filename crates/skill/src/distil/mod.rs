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
use crate::contrast::failed_call;
use crate::example::choose;
use crate::function::{self, Case, Trial, Version};
use crate::history::surroundings;
use crate::knowledge::{Knowledge, Primitive, Skill};
use crate::segment::{Segment, validate};
use crate::{code, cut, response, show};
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
    /// Cut successes shown at once when primitives are distilled (N2).
    pub primitives: usize,
    /// How often that is done (T2); 0 for once through all of them.
    pub primitive_rounds: usize,
    /// Pairs or cut successes shown at once when tips are distilled (N2).
    pub tips: usize,
    /// How often that is done for a skill (T2); 0 for once through all of them.
    pub tip_rounds: usize,
    /// Whether each skill's function is written, and written anew for the tips found (Algorithm 2).
    pub functions: bool,
    /// Whether tips come from contrasting a failure with a success; from successes alone otherwise.
    pub contrast: bool,
    /// Whether tips of whole trajectories are all that is distilled: no skills, no primitives.
    pub tips_only: bool,
    pub seed: u64,
}

impl Default for Settings {
    /// One trajectory at a time, once through all: what the printed prompts show.
    fn default() -> Self {
        Settings {
            discover: 1,
            rounds: 0,
            primitives: 1,
            primitive_rounds: 0,
            tips: 1,
            tip_rounds: 0,
            functions: false,
            contrast: true,
            tips_only: false,
            seed: 0,
        }
    }
}

/// How tips are found: as published, or by the paper's ablations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Way {
    /// Skills, primitives, and tips by contrasting a failure with a success.
    #[default]
    Published,
    /// The same, and each skill's function, written by the model and tried.
    Functions,
    /// Skills, primitives, and tips from successes alone.
    NonContrastive,
    /// Tips of no skill by contrast, and nothing else.
    TipsOnly,
    /// Tips of no skill from successes alone, and nothing else.
    TipsOnlyNonContrastive,
}

impl Way {
    /// All, in the order in which they are gone through.
    pub const ALL: [Way; 5] =
        [Way::Published, Way::NonContrastive, Way::TipsOnly, Way::TipsOnlyNonContrastive, Way::Functions];

    /// Whether tips come from contrasting a failure with a success.
    pub fn is_contrastive(self) -> bool {
        matches!(self, Way::Published | Way::Functions | Way::TipsOnly)
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
            Way::Functions => "skills, primitives, tips and functions",
            Way::NonContrastive => "skills, primitives, and tips of successes alone",
            Way::TipsOnly => "tips alone, by contrast",
            Way::TipsOnlyNonContrastive => "tips alone, of successes alone",
        }
    }
}

impl From<Way> for Settings {
    fn from(way: Way) -> Self {
        let functions = way == Way::Functions;
        Settings { contrast: way.is_contrastive(), tips_only: way.is_tips_only(), functions, ..Settings::default() }
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
    /// The function of a skill: how often it was mended since it was written.
    Function {
        skill: String,
        mended: usize,
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
            Stage::Function { .. } => "function",
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
    /// The primitive functions that are there before any is written.
    library: String,
    /// The skill whose function waits to be tried, and how often it was mended.
    untried: Option<(String, usize)>,
}

/// How often a function that reproduces no call is mended.
const MENDED: usize = 2;
/// Recorded calls that a function is written from and tried on.
const CALLS: usize = 3;

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
        let library = String::new();
        Distiller {
            logs,
            settings,
            known,
            cuts,
            open,
            planned: 0,
            asked: 0,
            again: None,
            remarks,
            library,
            untried: None,
        }
    }

    /// Gives the primitive functions that functions of skills are written over.
    #[must_use]
    pub fn over(self, library: &str) -> Self {
        Distiller { library: library.to_owned(), ..self }
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
                let pair = |(good, bad): &(usize, usize)| {
                    let (own, other) = self.failed((*good, *bad)).filter(|_| name.is_some()).unzip();
                    json!({ "success": self.shown_part(*good, own), "failure": self.shown_part(*bad, other) })
                };
                put("pairs", task.pairs.iter().map(pair).collect());
                let own = |at: usize| name.and_then(|name| self.first_of(at, name));
                put("trials", task.of.iter().map(|at| self.shown_part(*at, own(*at))).collect());
                name.map_or_else(|| "tips".to_owned(), |name| format!("tips for {name}"))
            }
            Stage::Function { skill, .. } => {
                let known = self.known.skill(skill)?;
                let last = known.function.last();
                put("skill", known.signature.to_string().into());
                put("library", self.library.clone().into());
                put("head", function::head(&known.signature).into());
                put("tips", json!(known.tips));
                put("code", json!(last.map(|version| &version.code)));
                put("fault", json!(last.filter(|version| !version.works()).map(Version::tried)));
                put("trials", task.of.iter().map(|at| self.shown_part(*at, self.first_of(*at, skill))).collect());
                format!("the function of {skill}")
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
        let before = match &task.stage {
            Stage::Tips { skill } => self.tips_of(skill.as_deref()).to_vec(),
            _ => Vec::new(),
        };
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
        if let (Ok(()), Stage::Tips { skill: Some(skill) }) = (&taken, &task.stage)
            && before != self.tips_of(Some(skill))
        {
            let task = self.function_task(skill, 0);
            task.into_iter().for_each(|task| self.open.push_front(task));
        }
        self.go_on();
        taken
    }

    /// Plans on where nothing is open. What waits to be tried comes first: it may have to be mended.
    fn go_on(&mut self) {
        if self.open.is_empty() && self.untried.is_none() {
            self.plan();
        }
    }

    /// The version that waits to be tried.
    pub fn trial(&self) -> Option<Trial> {
        let (skill, _) = self.untried.as_ref()?;
        let version = self.known.skill(skill)?.function.last()?;
        let others: Vec<Skill> = self.known.skills.iter().filter(|s| s.signature.name != *skill).cloned().collect();
        let others = Knowledge { skills: others, ..Knowledge::default() }.functions();
        let (library, code) = (format!("{}\n\n{others}", self.library), version.code.clone());
        Some(Trial { library, code, cases: self.cases(skill) })
    }

    /// Takes what came of the trial, a result for each call. A version that reproduces none is asked to be mended, at most twice.
    pub fn tried(&mut self, results: &[Result<(), String>]) {
        let Some((skill, mended)) = self.untried.take() else { return };
        if let Some(version) = self.known.skill_mut(&skill).and_then(|skill| skill.function.last_mut()) {
            version.of = results.len();
            version.reproduced = results.iter().filter(|result| result.is_ok()).count();
            version.fault = results.iter().find_map(|result| result.clone().err()).unwrap_or_default();
            let tried = version.tried();
            if !version.works() && mended < MENDED {
                let task = self.function_task(&skill, mended + 1);
                task.into_iter().for_each(|task| self.open.push_front(task));
            } else if !version.works() {
                self.remarks.push(format!("the function of {skill}: given up: {tried}"));
            }
        }
        self.go_on();
    }

    /// The question for a skill's function, where functions are wanted and a success calls the skill.
    fn function_task(&self, skill: &str, mended: usize) -> Option<Task> {
        let of: Vec<usize> = self.calling(skill).take(CALLS).collect();
        let stage = Stage::Function { skill: skill.to_owned(), mended };
        (self.settings.functions && !of.is_empty()).then_some(Task { stage, of, pairs: Vec::new() })
    }

    /// The successes that call a skill, the shortest first.
    fn calling(&self, skill: &str) -> impl Iterator<Item = usize> {
        let mut of: Vec<usize> =
            self.successes().into_iter().filter(|at| self.first_of(*at, skill).is_some()).collect();
        of.sort_by_key(|at| self.logs[*at].steps.len());
        of.into_iter()
    }

    fn cases(&self, skill: &str) -> Vec<Case> {
        let Some(signature) = self.known.skill(skill).map(|skill| &skill.signature) else { return Vec::new() };
        let case = |at: usize| {
            Case::of_segment(self.logs.get(at)?, self.cuts.get(&at)?.get(self.first_of(at, skill)?)?, signature)
        };
        self.calling(skill).filter_map(case).take(CALLS).collect()
    }

    /// The place of a skill's first call in the cut of a log.
    fn first_of(&self, at: usize, skill: &str) -> Option<usize> {
        self.cuts.get(&at)?.iter().position(|segment| segment.skill == skill)
    }

    /// The calls of a pair in which the failure failed: the success's and the failure's.
    pub(super) fn failed(&self, (good, bad): (usize, usize)) -> Option<(usize, usize)> {
        failed_call(self.cuts.get(&good)?, self.cuts.get(&bad)?, &self.logs.get(bad)?.steps)
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
                self.keep_examples();
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
            Stage::Function { skill, mended } => {
                let code = code::written(answer);
                let known = self.known.skill_mut(skill).ok_or("the skill is gone")?;
                let head = function::head(&known.signature);
                let name = head.split('(').next().unwrap_or_default();
                if !code.lines().any(|line| line.starts_with(&format!("{name}("))) {
                    return Err(format!("the answer holds no `{head}`"));
                }
                let why = match (known.function.last(), *mended) {
                    (None, _) => {
                        let of = task.of.iter().filter_map(|at| Some(self.logs.get(*at)?.id.as_str()));
                        format!("written from {}", of.collect::<Vec<_>>().join(", "))
                    }
                    (Some(_), 0) => match known.tips.len() {
                        1 => "rewritten for a tip".to_owned(),
                        tips => format!("rewritten for {tips} tips"),
                    },
                    (Some(last), _) => format!("mended: {}", last.tried()),
                };
                known.function.push(Version { code, why, ..Version::default() });
                self.untried = Some((skill.clone(), *mended));
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
        (0..self.logs.len()).filter(|at| self.logs[*at].succeeded()).collect()
    }

    fn pairs(&self) -> Vec<(usize, usize)> {
        pairs(&self.logs)
    }

    /// Plans the next stage that has something to ask about.
    fn plan(&mut self) {
        while self.open.is_empty() && self.planned < STAGES {
            let stage = self.planned;
            self.planned += 1;
            let Settings { discover, rounds, primitives, primitive_rounds, seed, .. } = self.settings;
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
                    let all = batches(of.len(), primitives, primitive_rounds, seed).into_iter();
                    all.map(|places| Task { stage: Stage::Primitives, of: batch(places), pairs: Vec::new() }).collect()
                }
                3 if only => self.tips_tasks(None),
                3 => {
                    let names: Vec<String> = self.known.skills.iter().map(|s| s.signature.name.clone()).collect();
                    let tasks =
                        |name: &String| self.function_task(name, 0).into_iter().chain(self.tips_tasks(Some(name)));
                    names.iter().flat_map(tasks).collect()
                }
                _ => Vec::new(),
            };
            self.open.extend(tasks);
        }
    }

    /// Keeps what is cut as examples, where none are kept yet.
    fn keep_examples(&mut self) {
        if self.known.examples.is_empty() {
            let cut = self.cuts.iter().filter_map(|(at, cut)| Some((self.logs.get(*at)?, cut.as_slice())));
            self.known.examples = choose(cut);
        }
    }

    /// Tips for a skill, or of no skill: over the pairs in which that skill failed, or over successes that call it.
    fn tips_tasks(&self, skill: Option<&String>) -> Vec<Task> {
        let Settings { tips, tip_rounds, seed, contrast, .. } = self.settings;
        let stage = Stage::Tips { skill: skill.cloned() };
        if contrast {
            let is_of = |pair: &(usize, usize)| skill.is_none() || self.skill_of(*pair) == skill.cloned();
            let pairs: Vec<(usize, usize)> = self.pairs().into_iter().filter(is_of).collect();
            let all = batches(pairs.len(), tips, tip_rounds, seed).into_iter();
            let pairs = |places: Vec<usize>| places.iter().map(|at| pairs[*at]).collect();
            return all.map(|places| Task { stage: stage.clone(), of: Vec::new(), pairs: pairs(places) }).collect();
        }
        let calls = |at: &usize| skill.is_none_or(|name| self.first_of(*at, name).is_some());
        let of: Vec<usize> = self.successes().into_iter().filter(calls).collect();
        let all = batches(of.len(), tips, tip_rounds, seed).into_iter();
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

    /// A trajectory as the policy of the call at that place met it: what was seen first without the goal, what was done before, the call,
    /// and its steps; the whole one without a place.
    fn shown_part(&self, at: usize, place: Option<usize>) -> Value {
        let Some(log) = self.logs.get(at) else { return Value::Null };
        let segment = self.cuts.get(&at).zip(place).and_then(|(cut, place)| cut.get(place));
        let (from, to, task) = match segment {
            Some(segment) => (segment.start, segment.end + 1, segment.call().to_string()),
            None => (0, log.steps.len(), String::new()),
        };
        let beginning = show::beginning(log);
        json!({
            "beginning": if segment.is_some() { surroundings(&beginning) } else { beginning },
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
    for (at, log) in logs.iter().enumerate().filter(|(_, log)| log.failed()) {
        by_task.entry((log.pair_id.as_deref(), log.task.as_str())).or_default().push(at);
    }
    for (at, log) in logs.iter().enumerate().filter(|(_, log)| log.succeeded()) {
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
            success: Some(success),
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
        assert_eq!(run.known().examples.len(), 1, "the success, cut");
        let question = run.next().unwrap();
        assert_eq!(
            (question.label.as_str(), question.of.len()),
            ("tips for take", 2),
            "of the skill that failed alone"
        );
        assert_eq!(question.context["pairs"][0]["failure"]["task"], "take(mug)");
        assert!(question.context["pairs"][0]["failure"]["history"].as_str().unwrap().contains("go to desk 1"));
        let beginning = question.context["pairs"][0]["success"]["beginning"].as_str().unwrap();
        assert!(!beginning.contains("put a mug"), "the task of all is none of the skill's: {beginning}");
        assert!(run.take("?").is_err());
        run.take("New summarization: x\nTips:\n- Look.").unwrap();
        assert_eq!(run.next(), None);
        assert_eq!(run.known().skill("take").unwrap().tips, ["Look."]);
    }

    #[test]
    fn functions_are_written_tried_mended_and_written_anew_for_tips() {
        let known = crate::file::read("[[skill]]\nname = \"take(object)\"\n").unwrap();
        let settings = Settings { functions: true, ..Settings::default() };
        let mut run = Distiller::new(logs(), known, settings).over("def go(place): ...");
        run.take("New summarization:\nWe list the Environment-specific subtasks below:\n- take(object)").unwrap();
        let all = "New summarization:\n- take(mug):\n> go to desk 1\n";
        run.take(&format!("{all}> take mug 1 from desk 1")).unwrap();
        run.take(&format!("{all}> take mug from desk")).unwrap();
        run.take("New summarization:\n").unwrap();
        let question = run.next().unwrap();
        assert_eq!((question.label.as_str(), question.of.len()), ("the function of take", 1), "{question:?}");
        assert_eq!(
            (&question.context["head"], &question.context["code"]),
            (&json!("def take_object(object):"), &json!(null))
        );
        assert!(run.take("```python\ndef other():\n    pass\n```").unwrap_err().contains("def take_object"));
        let code = "```python\ndef take_object(object):\n    pass\n```";
        run.take(code).unwrap();
        let trial = run.trial().unwrap();
        assert!(trial.library.contains("def go") && trial.cases.len() == 1);
        let failed = [Err("good: line 2: no".to_owned())];
        run.tried(&failed);
        assert_eq!(run.next().unwrap().context["fault"], "0 of 1 recorded calls reproduced; good: line 2: no");
        run.take(code).unwrap();
        run.tried(&[Ok(())]);
        assert_eq!(run.next().unwrap().label, "tips for take");
        run.take("New summarization: x\nTips:\n- Name it.").unwrap();
        let question = run.next().unwrap();
        assert_eq!(
            (question.label.as_str(), &question.context["tips"]),
            ("the function of take", &json!(["Name it."]))
        );
        for _ in 0..=MENDED {
            run.take(code).unwrap();
            run.tried(&failed);
        }
        assert_eq!((run.next(), run.trial()), (None, None));
        let take = run.known().skill("take").unwrap();
        let why: Vec<&str> = take.function.iter().map(|version| version.why.as_str()).collect();
        let mended = "mended: 0 of 1 recorded calls reproduced; good: line 2: no";
        assert_eq!(why, ["written from good", mended, "rewritten for a tip", mended, mended]);
        assert_eq!(take.function_in_force(), take.function.get(1), "the one that worked");
        assert!(run.remarks()[0].contains("given up"), "{:?}", run.remarks());
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
