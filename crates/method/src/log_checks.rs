//! Recorded logs held against assertions and effects: which assertions a log violates, which effects its steps contradict, where, with what
//! values. Nothing is executed.

use stepwright_episode::{Check, CheckKind, Departure, Status};
use stepwright_program::Call;
use stepwright_trajectory::{Step, Trajectory};
use stepwright_world::transcript::{Transcript, WAS_THERE};

use super::program_context::{ProgramContext, ProgramState};

/// A check that did not hold at a step of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// The step, from 0.
    pub step: usize,
    pub action: String,
    pub check: Check,
    /// Whether it is an effect that did not follow, and no assertion.
    pub is_effect: bool,
    /// What the assertion read there, and since when that was so.
    pub read: Vec<Read>,
}

impl Violation {
    /// What became of it, to be read behind the assertion or the effect.
    pub fn word(&self) -> &'static str {
        match (self.is_effect, self.check.status) {
            (true, Status::Fails) => "did not follow",
            (true, _) => "may not have followed",
            (false, status) => status.word(),
        }
    }
}

/// A value that an assertion read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The expression: `self.inventory`.
    pub part: String,
    pub value: String,
    /// The steps that were done when it became so; 0 where it was so from the beginning.
    pub since: usize,
}

/// The program state along a log, with what the log leaves out.
pub struct AlongLog {
    pub state: ProgramState,
    /// What the log leaves out first, in words.
    unobserved: Option<String>,
}

impl AlongLog {
    pub fn new(program: &ProgramContext, log: &Trajectory) -> Self {
        let silent = log.initial_observation.is_none();
        let unobserved = silent.then(|| "before the first action (`initial_observation`)".to_owned());
        AlongLog { state: program.start(), unobserved }
    }

    /// The assertions' verdicts on a step's call here. After a step without observation a failure may be the log's and not the
    /// agent's; so it may be where the world accepted the step, which shows that something was there that no text had told.
    pub fn check(&self, program: &ProgramContext, call: &Call, step: &Step, transcript: &Transcript) -> Vec<Check> {
        let mut checks = program.check(&self.state, call);
        if step.is_accepted() && checks.iter().any(|check| check.status == Status::Fails) {
            let mut there = self.state.clone();
            there.run((transcript.shown)(call).iter());
            let again = program.check(&there, call);
            let holds = |check: &&mut Check| {
                again.iter().any(|other| other.condition == check.condition && other.status == Status::Holds)
            };
            for check in checks.iter_mut().filter(|check| check.status == Status::Fails).filter(holds) {
                untold(check, WAS_THERE);
            }
        }
        if let Some(place) = &self.unobserved {
            for check in checks.iter_mut().filter(|check| check.status == Status::Fails) {
                untold(check, &format!("the log does not say what was observed {place}"));
            }
        }
        checks
    }

    /// Takes in what a step called and what was observed; whether the log says so.
    pub fn go(&mut self, calls: impl Iterator<Item = Call>, step: usize, is_observed: bool) {
        let calls: Vec<Call> = calls.collect();
        self.state.run(calls.iter());
        if !is_observed {
            self.unobserved.get_or_insert_with(|| format!("at step {}", step + 1));
        }
    }
}

/// Makes a failure one that cannot be told, and says why.
fn untold(check: &mut Check, why: &str) {
    check.status = Status::Unknown;
    let values = check.detail.take().unwrap_or_default();
    check.detail = Some(if values.is_empty() { why.to_owned() } else { format!("{values}; {why}") });
}

/// Which assertions in force a log violates and which effects it contradicts, step by step. What cannot be decided is listed with its status.
pub fn violations(log: &Trajectory, transcript: &Transcript, program: &ProgramContext) -> Vec<Violation> {
    let mut read = transcript.read(log).into_iter();
    let mut along = AlongLog::new(program, log);
    let calls = |step: Step| step.call.into_iter().chain(step.calls);
    along.go(calls(read.next().unwrap_or_default()), 0, true);
    let mut found = Vec::new();
    let mut states = Vec::new();
    for (at, (step, read)) in log.steps.iter().zip(read).enumerate() {
        states.push(along.state.clone());
        let call = transcript.call_of(&step.action);
        if let Some(call) = &call {
            let checks = along.check(program, call, step, transcript).into_iter();
            let failing = checks.filter(|check| check.status != Status::Holds);
            found.extend(failing.map(|check| {
                let read = since(program, &states, call, &check.condition);
                Violation { step: at, action: step.action.clone(), check, is_effect: false, read }
            }));
        }
        // What the purchase at the end led to is often left out, and nothing comes after it.
        along.go(calls(read), at, step.observation.is_some());
        // What the world refused contradicts nothing, and of a step that was not observed nothing is known.
        let (Some(call), Some(before)) = (call.filter(|_| step.is_accepted()), states.last()) else { continue };
        for Departure { effect, why } in program.departures(before, &along.state, &call) {
            let kind = CheckKind::Precondition;
            let mut check = Check { kind, condition: effect, status: Status::Fails, detail: Some(why) };
            if let Some(place) = &along.unobserved {
                untold(&mut check, &format!("the log does not say what was observed {place}"));
            }
            found.push(Violation { step: at, action: step.action.clone(), check, is_effect: true, read: Vec::new() });
        }
    }
    found
}

/// What an assertion reads at the last of these states, and since which of them.
fn since(program: &ProgramContext, states: &[ProgramState], call: &Call, assertion: &str) -> Vec<Read> {
    let mut earlier = states.iter().rev().map(|state| program.values(state, call, assertion));
    let now = earlier.next().unwrap_or_default();
    let last = states.len().saturating_sub(1);
    let mut read: Vec<Read> = now.into_iter().map(|(part, value)| Read { part, value, since: last }).collect();
    for (at, values) in (0..last).rev().zip(earlier) {
        let same = |read: &Read| values.iter().any(|(part, value)| *part == read.part && *value == read.value);
        read.iter_mut().filter(|read| read.since == at + 1 && same(read)).for_each(|read| read.since = at);
    }
    read
}

/// The program that the calls of a log, read so, are of, with the specification's own assertions in force.
/// Errors: if the specification does not load.
pub fn program_of(transcript: &Transcript) -> Result<ProgramContext, String> {
    ProgramContext::load(&transcript.specification())
}
