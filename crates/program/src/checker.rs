//! One assertion, or a part of one, evaluated at many states and with many arguments. Reports the result and what it touched; what
//! follows from that is decided elsewhere.

use std::sync::Arc;

use super::assertion::Assertion;
use super::call::Literal;
use super::dissection::Part;
use super::engine::code::FunctionCode;
use super::engine::fault::{Limits, Stop};
use super::engine::vm::{Args, Change, Footprint, Vm};
use super::specification::Function;
use super::state::{CheckResult, NO_CODE, State, plain_value};

/// As [`CheckResult`], without the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// An assertion raises nothing; a part of one is true.
    Holds,
    /// A part of an assertion is false.
    Fails,
    /// It raises an exception of this type.
    Raises(&'static str),
    /// No verdict: never any of the others.
    None(CheckResult),
}

/// The footprint of an evaluation, and its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trace {
    /// The objects touched, to be given to [`Fingerprints::of`](super::Fingerprints::of).
    pub touched: Footprint,
    /// The change of the state.
    pub change: Change,
    /// Where it put defaults, if it did no more than that: marks of `defaultdict`s.
    pub inserted: u64,
    /// At which of them it looked in any other way than by an item: marks again.
    pub observed: u64,
    /// Steps and bytes spent.
    pub spent: (u64, u64),
}

/// Code with lists of arguments, ready to be evaluated at many states.
pub struct Checker<'f> {
    code: Option<Arc<FunctionCode>>,
    manner: Manner<'f>,
    arguments: Vec<Arguments>,
    memory: Memory,
}

/// How code is evaluated.
#[derive(Clone, Copy)]
struct Manner<'f> {
    function: &'f Function,
    /// Whether the code gives a value, which is true or false.
    is_value: bool,
    /// Whether it may call the function whose body it is.
    recurses: bool,
    limits: Limits,
}

/// What evaluations are done in. It may be given from checker to checker, so that it is not made anew for each.
#[derive(Default)]
pub struct Memory(Option<Vm>);

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Memory")
    }
}

/// Arguments of an evaluation: as values, or as constants that hold others and are made anew for each.
enum Arguments {
    Ready(Args),
    Nested(Vec<Literal>),
}

impl Arguments {
    fn of(args: &[Literal]) -> Self {
        let ready = args.iter().map(plain_value).collect::<Option<Args>>();
        ready.map_or_else(|| Arguments::Nested(args.to_vec()), Arguments::Ready)
    }
}

/// Levels of evaluation that are left for the code around a part.
pub(super) const AROUND: u32 = 64;

impl<'f> Checker<'f> {
    /// Of an assertion as the body of a function.
    pub fn new<'a>(
        assertion: &Assertion,
        function: &'f Function,
        arguments: impl IntoIterator<Item = &'a [Literal]>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Arguments::of).collect();
        let code = assertion.code(&function.signature);
        let recurses = assertion.may_recurse(function);
        let manner = Manner { function, is_value: false, recurses, limits: Limits::ASSERTION };
        Checker { code, manner, arguments, memory: Memory::default() }
    }

    /// Of a part of assertions in a function.
    pub fn of_part<'a>(
        part: &Part,
        function: &'f Function,
        arguments: impl IntoIterator<Item = &'a [Literal]>,
        memory: Memory,
    ) -> Self {
        let arguments = arguments.into_iter().map(Arguments::of).collect();
        let limits = Limits { depth: Limits::ASSERTION.depth - AROUND, ..Limits::ASSERTION };
        let manner = Manner { function, is_value: true, recurses: false, limits };
        Checker { code: Some(part.code()), manner, arguments, memory }
    }

    /// What it was done in.
    pub fn into_memory(self) -> Memory {
        self.memory
    }

    /// Evaluates with one list of arguments.
    pub fn check(&mut self, state: &State, at: usize) -> Outcome {
        let Checker { code, manner, arguments, memory } = self;
        match arguments.get(at) {
            Some(args) => outcome(state, put_on(memory, state, manner.limits), *manner, code.as_ref(), args),
            None => Outcome::None(CheckResult::of(Err(Stop::unsupported(NO_CODE)))),
        }
    }

    /// Evaluates with those lists of arguments that are `wanted`, each on the present state: reports the number of the list, its
    /// outcome and what was touched, until `each` answers false.
    pub fn check_all(
        &mut self,
        state: &State,
        wanted: impl Fn(usize) -> bool,
        mut each: impl FnMut(usize, Outcome, Trace) -> bool,
    ) {
        let vm = put_on(&mut self.memory, state, self.manner.limits);
        for (at, args) in self.arguments.iter().enumerate().filter(|(at, _)| wanted(*at)) {
            let outcome = outcome(state, vm, self.manner, self.code.as_ref(), args);
            let (change, inserted) = vm.change();
            let (touched, observed, spent) = (vm.footprint(), vm.heap.observed(), vm.spent());
            if !each(at, outcome, Trace { touched, change, inserted, observed, spent }) {
                return;
            }
        }
    }
}

/// An evaluation on a state, in the memory of the one before.
fn put_on<'a>(memory: &'a mut Memory, state: &State, limits: Limits) -> &'a mut Vm {
    match &mut memory.0 {
        Some(vm) => {
            vm.heap.put_on(state.slots().clone());
            vm
        }
        none => none.insert(state.vm(limits)),
    }
}

#[inline]
fn outcome(
    state: &State,
    vm: &mut Vm,
    manner: Manner<'_>,
    code: Option<&Arc<FunctionCode>>,
    args: &Arguments,
) -> Outcome {
    let Manner { function, is_value, recurses, limits } = manner;
    vm.renew(limits);
    if let Some(code) = code.filter(|_| recurses) {
        state.set_body(vm, function, code);
    }
    let result = match (code, args) {
        (Some(code), Arguments::Ready(args)) => state.run_code(vm, code, function, args),
        (Some(code), Arguments::Nested(args)) => {
            let args = vm.values_of(args);
            state.run_code(vm, code, function, &args)
        }
        (None, _) => Err(Stop::unsupported(NO_CODE)),
    };
    match result.and_then(|value| if is_value { vm.truth(&value) } else { Ok(true) }) {
        Ok(true) => Outcome::Holds,
        Ok(false) => Outcome::Fails,
        Err(Stop::Raise(raised)) => Outcome::Raises(raised.kind.name()),
        Err(stop) => Outcome::None(CheckResult::of(Err(stop))),
    }
}
