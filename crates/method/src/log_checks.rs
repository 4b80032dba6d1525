//! Recorded logs held against assertions and effects: which assertions a log violates, which effects its steps contradict, where, with what
//! values. Nothing is executed.

use stepwright_episode::{Check, CheckKind, Departure, Status};
use stepwright_program::{Assertion, Call};
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
#[derive(Clone)]
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

/// What was called at a step of an episode, whoever recorded it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepCalls {
    /// The calls that its action is of, in their order: each is judged after those before it that the world did.
    pub taken: Vec<Taken>,
    /// What arriving there added to the program.
    pub added: Vec<Call>,
}

/// A call that was taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    pub call: Call,
    /// As it is shown.
    pub text: String,
    /// Whether the world refused it, or left it out while it did others of the same action.
    pub is_refused: bool,
}

/// What was called in a log, the reset first, as its texts read or its tools say. What was refused added nothing.
pub fn called(log: &Trajectory, transcript: &Transcript) -> Vec<StepCalls> {
    let added = |read: Step| read.call.filter(|_| !read.refused).into_iter().chain(read.calls).collect();
    let mut read = transcript.read(log).into_iter();
    let reset = StepCalls { added: added(read.next().unwrap_or_default()), ..StepCalls::default() };
    let step = |(step, read): (&Step, Step)| {
        let (call, text) = (transcript.call_of(&step.action), step.action.clone());
        let taken = call.map(|call| Taken { call, text, is_refused: step.is_refused() });
        StepCalls { taken: taken.into_iter().collect(), added: added(read) }
    };
    std::iter::once(reset).chain(log.steps.iter().zip(read).map(step)).collect()
}

/// Which assertions in force a log violates and which effects it contradicts, step by step. What cannot be decided is listed with its status.
pub fn violations(log: &Trajectory, transcript: &Transcript, program: &ProgramContext) -> Vec<Violation> {
    violations_of(log, transcript, called(log, transcript), |_| program)
}

/// The same of an episode in which this was called, the reset first; `in_force` says what was in force at each step, from 0.
pub fn violations_of<'p>(
    log: &Trajectory,
    transcript: &Transcript,
    called: Vec<StepCalls>,
    in_force: impl Fn(usize) -> &'p ProgramContext,
) -> Vec<Violation> {
    let mut called = called.into_iter();
    let mut along = AlongLog::new(in_force(0), log);
    along.go(called.next().unwrap_or_default().added.into_iter(), 0, true);
    let mut found = Vec::new();
    let mut states = Vec::new();
    for (at, (step, StepCalls { taken, added })) in log.steps.iter().zip(called).enumerate() {
        let program = in_force(at);
        states.push(along.state.clone());
        let mut here = along.clone();
        for Taken { call, text, is_refused } in &taken {
            let own = Step { refused: *is_refused, ..step.clone() };
            let checks = here.check(program, call, &own, transcript).into_iter();
            let failing = checks.filter(|check| check.status != Status::Holds);
            found.extend(failing.filter_map(|check| audited(check, call, program)).map(|check| {
                let read = since(program, &states, &here.state, call, &check.condition);
                Violation { step: at, action: text.clone(), check, is_effect: false, read }
            }));
            here.state.run(std::iter::once(call).filter(|_| !is_refused));
        }
        // What the purchase at the end led to is often left out, and nothing comes after it.
        along.go(added.into_iter(), at, step.observation.is_some());
        // What the world refused contradicts nothing, of a step that was not observed nothing is known, and what each of several calls led to
        // neither.
        let ([Taken { call, text, is_refused: false }], Some(before), true) =
            (taken.as_slice(), states.last(), step.is_accepted())
        else {
            continue;
        };
        for Departure { effect, why } in program.departures(before, &along.state, call) {
            let kind = CheckKind::Precondition;
            let mut check = Check { kind, condition: effect, status: Status::Fails, detail: Some(why) };
            if let Some(place) = &along.unobserved {
                untold(&mut check, &format!("the log does not say what was observed {place}"));
            }
            found.push(Violation { step: at, action: text.clone(), check, is_effect: true, read: Vec::new() });
        }
    }
    found
}

/// A check of a call as what is recorded is judged by it. That a call cannot be executed is no assertion, and of arguments that do not fit
/// their function none can tell anything.
fn audited(mut check: Check, call: &Call, program: &ProgramContext) -> Option<Check> {
    Assertion::compile(&check.condition).ok()?;
    let function = program.specification().function(&call.receiver, &call.function);
    if function.is_some_and(|function| function.arguments(call).is_err()) {
        check.status = Status::Unknown;
    }
    Some(check)
}

/// What an assertion reads now, and since when: the states are those before each step so far, the last that before this one.
fn since(
    program: &ProgramContext,
    states: &[ProgramState],
    now: &ProgramState,
    call: &Call,
    assertion: &str,
) -> Vec<Read> {
    let values = |state: &ProgramState| program.values(state, call, assertion);
    // What is other than before this step, the calls before this one of the same action made so.
    let read = |(part, value)| Read { part, value, since: states.len() };
    let mut read: Vec<Read> = values(now).into_iter().map(read).collect();
    for (at, values) in states.iter().map(values).enumerate().rev() {
        let same = |read: &Read| values.iter().any(|(part, value)| *part == read.part && *value == read.value);
        read.iter_mut().filter(|read| read.since == at + 1 && same(read)).for_each(|read| read.since = at);
    }
    read
}
