//! What an assertion would have stopped: the decisions of an action at whose states it does not hold, told apart by what they turned out
//! to be. A decision whose state is not known, or about which the engine cannot decide, is told apart too and never passes. Of an effect
//! the same of the decisions that the world accepted: those after which the state is not as it says.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::Value;

use super::contents::Judged;
use super::index::Index;
use super::occasions::{Case, Group, Kept, Occasions, Place, Wanted, calls_before};
use stepwright_episode::action_of_effects;
use stepwright_program::{Assertion, Call, CheckResult, Checker, Effect, Followed, Outcome, Rejection};
use stepwright_text::words::{count, finding};
use stepwright_world::Kinds;
use stepwright_world::transcript::WAS_THERE;

/// Decisions that are listed at most, of those stopped and of those not told; the counts are always whole.
const LISTED: usize = 200;
/// Decisions from which on several threads share the work.
const MANY: usize = 4096;

/// How many decisions turned out to be what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct JudgedCounts {
    pub refused: usize,
    pub rejected: usize,
    pub corrected: usize,
    pub failed: usize,
    pub open: usize,
    pub right: usize,
}

impl JudgedCounts {
    fn add(&mut self, judged: Judged) {
        *match judged {
            Judged::Refused => &mut self.refused,
            Judged::Rejected => &mut self.rejected,
            Judged::Corrected => &mut self.corrected,
            Judged::Failed => &mut self.failed,
            Judged::Open => &mut self.open,
            Judged::Right => &mut self.right,
        } += 1;
    }

    pub fn mistakes(&self) -> usize {
        self.refused + self.rejected + self.corrected + self.failed
    }

    pub fn all(&self) -> usize {
        self.mistakes() + self.open + self.right
    }

    fn each(&self) -> [(usize, Judged); 6] {
        [
            (self.refused, Judged::Refused),
            (self.rejected, Judged::Rejected),
            (self.corrected, Judged::Corrected),
            (self.failed, Judged::Failed),
            (self.open, Judged::Open),
            (self.right, Judged::Right),
        ]
    }

    /// `2 were mistakes (1 refused by the world, 1 rejected by a person), 1 was a right step`.
    fn in_words(&self) -> String {
        let were = |n: usize| if n == 1 { "was" } else { "were" };
        let mut parts = Vec::new();
        if self.mistakes() > 0 {
            let kinds = self.each().into_iter().filter(|(n, judged)| *n > 0 && judged.is_mistake());
            let kinds: Vec<String> = kinds.map(|(n, judged)| format!("{n} {}", judged.in_words())).collect();
            let what = if self.mistakes() == 1 { "a mistake" } else { "mistakes" };
            parts.push(format!("{} {} {what} ({})", self.mistakes(), were(self.mistakes()), kinds.join(", ")));
        }
        if self.open > 0 {
            parts.push(format!("{} {} {}", self.open, were(self.open), Judged::Open.in_words()));
        }
        match self.right {
            0 => {}
            1 => parts.push("1 was a right step".to_owned()),
            n => parts.push(format!("{n} were right steps")),
        }
        parts.join(", ")
    }
}

/// A decision that an assertion would have stopped, or of which that cannot be told.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stopped {
    pub file: PathBuf,
    /// The episode's id in its file; empty for a session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub episode: String,
    /// The node at which it was taken: the number of steps before it, in a log.
    pub node: u32,
    /// Whether that was on another branch than the one that the session is on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
    pub action: String,
    pub call: String,
    pub judged: Judged,
    /// The world's reason, the person's words, or what it was corrected to.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub words: String,
    /// Why the assertion stops it, with the values found; or why that cannot be told.
    pub why: String,
}

impl Stopped {
    /// The name of its file, with the episode where the file has several, and whether it was on another branch.
    pub fn place(&self) -> String {
        let name =
            self.file.file_name().map_or_else(|| self.file.display().to_string(), |n| n.to_string_lossy().into_owned());
        let episode = if self.episode.is_empty() { String::new() } else { format!(" ({})", self.episode) };
        let branch = if self.aside { " (another branch)" } else { "" };
        format!("{name}#{}{episode}{branch}", self.node)
    }
}

/// Decisions to take an action of that name whose parameters are named otherwise: what was asked of them nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Otherwise {
    pub decisions: usize,
    /// The parameters that the action has there, by specification.
    pub params: Vec<Vec<String>>,
}

impl Otherwise {
    fn of(occasions: &[Arc<Occasions>]) -> Option<Self> {
        let decisions: usize = occasions.iter().map(|file| file.len()).sum();
        let groups = occasions.iter().flat_map(|file| &file.groups);
        let params: BTreeSet<Vec<String>> = groups.map(|group| group.function.params.clone()).collect();
        (decisions > 0).then(|| Otherwise { decisions, params: params.into_iter().collect() })
    }

    /// `17 decisions to goto have other parameters (recep), and were not judged`.
    fn in_words(&self, action: &str) -> String {
        let params: Vec<String> = self.params.iter().map(|params| format!("({})", params.join(", "))).collect();
        let (have, were) = if self.decisions == 1 { ("has", "was") } else { ("have", "were") };
        let decisions = count(self.decisions, "decision");
        format!("{decisions} to {action} {have} other parameters {}, and {were} not judged", params.join(" or "))
    }
}

/// What an assertion of an action would have done to the decisions of the library.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Impact {
    pub action: String,
    pub assertion: String,
    /// The decisions to take the action, and the episodes that they are of.
    pub decisions: usize,
    /// Where there are none: those to take one of this name that has other parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<Otherwise>,
    pub sessions: usize,
    pub stopped: JudgedCounts,
    /// How many cannot be told.
    pub untold: usize,
    /// The stopped, right steps first, and those that cannot be told: the first of each.
    pub listed: Vec<Stopped>,
    pub not_told: Vec<Stopped>,
}

impl Impact {
    pub fn in_words(&self) -> String {
        if let Some(otherwise) = &self.otherwise {
            return otherwise.in_words(action_of_effects(&self.action).unwrap_or(&self.action));
        }
        if let (0, Some(action)) = (self.decisions, action_of_effects(&self.action)) {
            return format!("no accepted decision to {action} is in the library");
        }
        if self.decisions == 0 {
            return format!("no decision to {} is in the library", self.action);
        }
        let (none, some) = match action_of_effects(&self.action) {
            Some(_) => ("followed all", "did not follow"),
            None => ("would have stopped none", "would have stopped"),
        };
        let of = format!("of {} in {}", count(self.decisions, "decision"), count(self.sessions, "session"));
        let words = match self.stopped.all() {
            0 if self.untold == self.decisions => String::new(),
            0 => format!("{none} {of}"),
            n => format!("{some} {n} {of}: {}", self.stopped.in_words()),
        };
        let why = || self.not_told.first().map(|first| format!(" ({})", first.why)).unwrap_or_default();
        match (self.untold, words.is_empty()) {
            (0, _) => words,
            (_, true) => format!("none {of} can be told{}", why()),
            (n, false) => format!("{words}; {n} cannot be told{}", why()),
        }
    }
}

/// A decision looked at: what was called before it, the state there, and what an assertion finds in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    pub stopped: Stopped,
    pub before: Vec<String>,
    pub variables: Value,
    pub assertion: String,
    pub outcome: String,
    pub values: Vec<(String, String)>,
}

/// The end of an assertion at a state, in short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Passes,
    Stops,
    /// It names what the program does not have: the assertion's fault, or that of an older specification.
    Lacks,
    Untold,
    /// It stops what the world accepted, and passes with what that shows to have been there.
    WasThere,
}

/// The library: its index, and the states of the actions asked about last.
#[derive(Debug, Default)]
pub struct Library {
    pub index: Index,
    kept: Mutex<Kept>,
}

impl Library {
    /// None read yet; the index is kept in that folder, and logs are read as those of these worlds.
    pub fn new(cache: PathBuf, worlds: Kinds) -> Self {
        Library { index: Index::new(cache, worlds), ..Library::default() }
    }

    fn occasions(&self, wanted: &Wanted) -> Vec<Arc<Occasions>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).occasions(&self.index, wanted)
    }

    /// Has the decisions of an action at hand for the questions about it.
    pub fn ready(&self, world: Option<&str>, action: &str, params: Option<&[String]>) {
        self.of_action(world, action, params);
    }

    fn of_action(&self, world: Option<&str>, action: &str, params: Option<&[String]>) -> Vec<Arc<Occasions>> {
        self.occasions(&Wanted {
            world: world.filter(|world| !world.is_empty()).map(str::to_owned),
            action: action_of_effects(action).unwrap_or(action).to_owned(),
            params: params.map(<[String]>::to_vec),
            after: action_of_effects(action).is_some(),
        })
    }

    /// What an assertion would have stopped. `world` and `params` narrow whose decisions count.
    /// Errors: the text is no assertion.
    pub fn impact(
        &self,
        world: Option<&str>,
        action: &str,
        params: Option<&[String]>,
        text: &str,
    ) -> Result<Impact, Rejection> {
        let claim = Claim::read(action, text)?;
        let occasions = self.of_action(world, action, params);
        if let Claim::Effect(text) = &claim {
            let mut groups = occasions.iter().flat_map(|file| &file.groups);
            groups.next().map(|group| Effect::compile(text, &group.function)).transpose()?;
        }
        let impact = judged(&occasions, action, &claim);
        let none = params.filter(|_| impact.decisions == 0);
        Ok(Impact { otherwise: none.and_then(|_| Otherwise::of(&self.of_action(world, action, None))), ..impact })
    }

    /// A decision that [`Library::impact`] listed of an action, with the state it was taken in. `None` if it is not there any more.
    pub fn look(&self, stopped: &Stopped, action: &str, text: &str) -> Option<Look> {
        let claim = Claim::read(action, text).ok()?;
        let call: Call = stopped.call.parse().ok()?;
        let after = claim.is_effect();
        let occasions = self.occasions(&Wanted { world: None, action: call.function, params: None, after });
        let file = occasions.iter().find(|file| file.path == stopped.file)?;
        let is_it = |place: Place| {
            file.decision(place).is_some_and(|(episode, decision)| {
                let called = file.contents.calls.get(decision.call as usize) == Some(&stopped.call);
                called && episode.id == stopped.episode && decision.node == stopped.node
            })
        };
        let mut cases = file.groups.iter().flat_map(|group| group.cases.iter().map(move |case| (group, case)));
        let found = cases.find(|(_, case)| is_it(case.place));
        let place = match found {
            Some((_, case)) => case.place,
            None => file.untold.iter().map(|(place, _)| *place).find(|place| is_it(*place))?,
        };
        let (episode, decision) = file.decision(place)?;
        let (variables, (outcome, values)) = match found {
            Some((group, case)) => {
                let end = ends(group, std::slice::from_ref(case), &claim).first().copied();
                (case.state.variables(), explained(group, case, &claim, end == Some(End::WasThere)))
            }
            None => (Value::Null, (stopped.why.clone(), Vec::new())),
        };
        Some(Look {
            stopped: stopped.clone(),
            before: calls_before(&file.contents, episode, decision),
            variables,
            assertion: claim.text().to_owned(),
            outcome,
            values,
        })
    }
}

/// What is held against decisions.
enum Claim {
    Assertion(Assertion),
    /// The line of an effect; what it compiles to depends on the function.
    Effect(String),
}

impl Claim {
    /// What a text is by the name that it goes by.
    fn read(action: &str, text: &str) -> Result<Self, Rejection> {
        match action_of_effects(action) {
            Some(_) => Ok(Claim::Effect(text.trim().to_owned())),
            None => Assertion::compile(text).map(Claim::Assertion),
        }
    }

    fn is_effect(&self) -> bool {
        matches!(self, Claim::Effect(_))
    }

    fn text(&self) -> &str {
        match self {
            Claim::Assertion(assertion) => assertion.text(),
            Claim::Effect(text) => text,
        }
    }
}

fn judged(occasions: &[Arc<Occasions>], action: &str, claim: &Claim) -> Impact {
    let ends = shared(occasions, claim);
    // Where other specifications have what the assertion names, one that has not is another program.
    let has = |ends: &Vec<End>| ends.iter().any(|end| *end != End::Lacks);
    let is_there = ends.iter().flatten().any(has);
    let mut impact = Impact {
        action: action.to_owned(),
        assertion: claim.text().to_owned(),
        decisions: occasions.iter().map(|file| file.len()).sum(),
        sessions: occasions.iter().map(|file| file.episodes).sum(),
        otherwise: None,
        stopped: JudgedCounts::default(),
        untold: occasions.iter().map(|file| file.untold.len()).sum(),
        listed: Vec::new(),
        not_told: Vec::new(),
    };
    let (mut stopped, mut untold) = (Vec::new(), Vec::new());
    for (file, ends) in occasions.iter().zip(&ends) {
        for (group, ends) in file.groups.iter().zip(ends) {
            let is_other = is_there && !has(ends);
            for (case, end) in group.cases.iter().zip(ends) {
                let Some((_, decision)) = file.decision(case.place) else { continue };
                match end {
                    End::Passes => {}
                    End::Untold | End::WasThere => untold.push((file, group, case, *end == End::WasThere)),
                    End::Lacks if is_other => untold.push((file, group, case, false)),
                    End::Stops | End::Lacks => {
                        impact.stopped.add(decision.judged());
                        stopped.push((decision.judged(), file, group, case));
                    }
                }
            }
        }
    }
    impact.untold += untold.len();
    // Right steps first: they speak against it.
    stopped.sort_by_key(|(judged, ..)| std::cmp::Reverse(*judged));
    let why = |group: &Group, case: &Case, was_there: bool| {
        let (outcome, values) = explained(group, case, claim, was_there);
        let values: Vec<String> = values.iter().map(|(text, value)| finding(text, value)).collect();
        if values.is_empty() { outcome } else { format!("{outcome}; {}", values.join(", ")) }
    };
    let listed = stopped.iter().take(LISTED);
    impact.listed =
        listed.filter_map(|(_, file, group, case)| told(file, case.place, why(group, case, false))).collect();
    let silent = occasions.iter().flat_map(|file| file.untold.iter().map(move |(place, why)| (file, *place, *why)));
    let silent = silent.filter_map(|(file, place, why)| told(file, place, why.to_owned()));
    let undecided = untold.iter().filter_map(|(file, group, case, was)| told(file, case.place, why(group, case, *was)));
    impact.not_told = silent.chain(undecided).take(LISTED).collect();
    impact
}

fn told(file: &Occasions, place: Place, why: String) -> Option<Stopped> {
    let (episode, decision) = file.decision(place)?;
    Some(Stopped {
        file: file.path.clone(),
        episode: episode.id.clone(),
        node: decision.node,
        aside: decision.aside,
        action: decision.text.clone(),
        call: file.contents.calls.get(decision.call as usize).cloned().unwrap_or_default(),
        judged: decision.judged(),
        words: decision.words.clone(),
        why,
    })
}

/// The ends at all cases, by file and group.
fn shared(occasions: &[Arc<Occasions>], claim: &Claim) -> Vec<Vec<Vec<End>>> {
    let of_file =
        |file: &Arc<Occasions>| file.groups.iter().map(|group| ends(group, &group.cases, claim)).collect::<Vec<_>>();
    let part = |files: &[Arc<Occasions>]| files.iter().map(of_file).collect::<Vec<_>>();
    let cases: usize = occasions.iter().map(|file| file.len()).sum();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    if cases < MANY || threads == 1 {
        return part(occasions);
    }
    let parts = occasions.chunks(occasions.len().div_ceil(threads).max(1));
    std::thread::scope(|scope| {
        let running: Vec<_> = parts.clone().map(|files| scope.spawn(move || part(files))).collect();
        // Of a part that broke nothing can be told.
        let broken = |files: &[Arc<Occasions>]| -> Vec<Vec<Vec<End>>> {
            let of = |file: &Arc<Occasions>| file.groups.iter().map(|g| vec![End::Untold; g.cases.len()]).collect();
            files.iter().map(of).collect()
        };
        running.into_iter().zip(parts).flat_map(|(part, files)| part.join().unwrap_or_else(|_| broken(files))).collect()
    })
}

fn ends(group: &Group, cases: &[Case], claim: &Claim) -> Vec<End> {
    let assertion = match claim {
        Claim::Assertion(assertion) => assertion,
        Claim::Effect(text) => {
            let Ok(effect) = Effect::compile(text, &group.function) else { return vec![End::Lacks; cases.len()] };
            let end = |case: &Case| match followed(group, case, &effect) {
                Some(Followed::NotDue | Followed::So { .. }) => End::Passes,
                Some(Followed::Not(_)) => End::Stops,
                Some(Followed::Untold(_)) | None => End::Untold,
            };
            return cases.iter().map(end).collect();
        }
    };
    let mut checker = Checker::new(assertion, &group.function, group.arguments.iter().map(Vec::as_slice));
    let end = |case: &Case| match case.arguments.map(|at| checker.check(&case.state, at)) {
        // As at the gate: what cannot be called does not pass.
        None => End::Stops,
        Some(Outcome::Holds) => End::Passes,
        Some(Outcome::Raises("NameError" | "AttributeError")) => End::Lacks,
        Some(Outcome::Fails | Outcome::Raises(_)) => {
            let there = case.there(group).zip(case.arguments);
            let holds = there.is_some_and(|(there, at)| checker.check(&there, at) == Outcome::Holds);
            if holds { End::WasThere } else { End::Stops }
        }
        Some(Outcome::None(_)) => End::Untold,
    };
    cases.iter().map(end).collect()
}

/// What the states around a case say of an effect; `None` where the one after it is not known.
fn followed(group: &Group, case: &Case, effect: &Effect) -> Option<Followed> {
    let args = group.arguments.get(case.arguments?)?;
    Some(effect.follows(&case.state, case.after.as_ref()?, &group.function, args))
}

/// How an assertion ends at a case, in words, with the values found; and that the world accepted it all the same, which then decides.
fn explained(group: &Group, case: &Case, claim: &Claim, was_there: bool) -> (String, Vec<(String, String)>) {
    let assertion = match claim {
        Claim::Assertion(assertion) => assertion,
        Claim::Effect(text) => {
            let effect = Effect::compile(text, &group.function).ok();
            let words = match effect.and_then(|effect| followed(group, case, &effect)) {
                Some(Followed::Not(words) | Followed::Untold(words)) => words,
                Some(Followed::NotDue | Followed::So { .. }) => "it followed".to_owned(),
                None => "the state after it is not known".to_owned(),
            };
            return (words, Vec::new());
        }
    };
    let Some(arguments) = case.arguments.and_then(|at| group.arguments.get(at)) else {
        return ("the action does not take these arguments".to_owned(), Vec::new());
    };
    let outcome = match case.state.check(assertion, &group.function, arguments) {
        CheckResult::Holds => "it holds".to_owned(),
        CheckResult::Raises { exception, message } => match (exception.as_str(), message.as_str()) {
            ("AssertionError", "") => "it is false".to_owned(),
            ("AssertionError", message) => format!("it is false ({message})"),
            (exception, "") => format!("it raises {exception}"),
            (exception, message) => format!("it raises {exception}: {message}"),
        },
        CheckResult::Unsupported(what) => format!("the engine does not offer {what}"),
        CheckResult::Budget(what) => format!("it does not end within the {what} budget"),
    };
    let outcome = if was_there { format!("{outcome}; {WAS_THERE}") } else { outcome };
    (outcome, case.state.explain(assertion, &group.function, arguments))
}
