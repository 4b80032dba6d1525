//! One run of code in the engine (`monty`), from call to call. Knows nothing of processes.

use std::collections::BTreeSet;

use monty::{FunctionCall, MontyRun, RunProgress};
use monty_types::{
    AssertMessageAnnotations, CompileOptions, ExtFunctionResult, MontyException, MontyObject, NameLookupResult,
    PrintWriter, ResourceLimits, ResourceTracker, StackFrame,
};
use serde_json::Value;

use crate::label::{label, missing, not_to_be_caught};
use crate::line::frames;
use crate::rewrite::{Prepared, prepare};
use crate::values::{to_json, to_python};
use stepwright_sandbox::Call;
use stepwright_sandbox::Step;
use stepwright_sandbox::wire::Order;
use stepwright_sandbox::{Bound, Fault, FaultKind, REPORT};

/// Builtins that run a text: they do nothing in code that nothing stands before, as in Statler's own execution; elsewhere they end the run.
const RUNS_TEXT: &[&str] = &["exec", "eval"];

/// What helpers of rewritten code end a run by.
const REFUSE: &str = "__refuse__";
const GAP: &str = "__gap__";

pub(crate) struct Engine {
    prepared: Prepared,
    functions: BTreeSet<String>,
    calls: usize,
    /// Whether [`RUNS_TEXT`] do nothing.
    empties: bool,
    waiting: Option<FunctionCall>,
}

impl Engine {
    /// Looks at the code, without running anything of it.
    pub(crate) fn new(order: &Order) -> Result<Self, Fault> {
        Ok(Engine {
            prepared: prepare(&order.prelude, &order.code)?,
            functions: order.functions.iter().cloned().collect(),
            calls: order.limits.calls,
            empties: order.prelude.is_empty() && !order.functions.iter().any(|function| function == REPORT),
            waiting: None,
        })
    }

    /// Runs to the first call or the end.
    pub(crate) fn begin(&mut self, order: &Order) -> Step {
        let mut names: BTreeSet<&str> = RUNS_TEXT.iter().copied().chain([REFUSE, GAP]).collect();
        names.extend(self.functions.iter().map(String::as_str));
        let mut inputs: Vec<(String, MontyObject)> = names
            .iter()
            .map(|name| ((*name).to_owned(), MontyObject::Function { name: (*name).to_owned(), docstring: None }))
            .collect();
        if let Value::Object(values) = &order.values {
            let visible = values.iter().filter(|(name, _)| !names.contains(name.as_str()));
            inputs.extend(visible.map(|(name, value)| (name.clone(), to_python(value))));
        }
        let (names, inputs): (Vec<String>, Vec<MontyObject>) = inputs.into_iter().unzip();
        let options = CompileOptions { assert_message_annotations: AssertMessageAnnotations::Off };
        let limits = ResourceLimits::default()
            .max_duration(order.limits.wall)
            .max_memory(order.limits.memory)
            .max_recursion_depth(order.limits.depth);
        let begun = MontyRun::new(self.prepared.code.clone(), "program.py", names, options)
            .and_then(|run| run.start(inputs, ResourceTracker::new(limits), PrintWriter::Disabled));
        self.settle(begun)
    }

    /// Goes on with what the call before returns.
    pub(crate) fn answer(&mut self, answer: &Value) -> Step {
        match self.waiting.take() {
            Some(call) => {
                let next = call.resume(to_python(answer), PrintWriter::Disabled);
                self.settle(next)
            }
            None => Step::Fault(Fault::new(FaultKind::Worker("nothing waits for an answer".to_owned()))),
        }
    }

    /// Answers what is answered here until the code calls or ends.
    fn settle(&mut self, mut progress: Result<RunProgress, MontyException>) -> Step {
        loop {
            progress = match progress {
                Err(raised) => return Step::Fault(label(&raised, &self.prepared)),
                Ok(RunProgress::Complete(_)) => return Step::Finished,
                Ok(RunProgress::FunctionCall(call))
                    if call.object_id.is_none() && self.functions.contains(&call.function_name) =>
                {
                    return self.call(call);
                }
                Ok(RunProgress::FunctionCall(call)) if RUNS_TEXT.contains(&call.function_name.as_str()) => {
                    if !self.empties {
                        let kind = FaultKind::Forbidden(format!("`{}`", call.function_name));
                        return Step::Fault(Fault { line: self.line(&frames(&call)), kind });
                    }
                    call.resume(MontyObject::None, PrintWriter::Disabled)
                }
                Ok(RunProgress::FunctionCall(call)) if matches!(call.function_name.as_str(), REFUSE | GAP) => {
                    if let Some(kind) = refusal(&call, &self.prepared) {
                        return Step::Fault(Fault { line: self.line(&frames(&call)), kind });
                    }
                    call.resume(MontyObject::None, PrintWriter::Disabled)
                }
                Ok(RunProgress::FunctionCall(call)) => match missing(&call.function_name) {
                    // Not to be caught by the code as if the name were unknown to Python.
                    Some(kind) => return Step::Fault(Fault { line: self.line(&frames(&call)), kind }),
                    None => {
                        let unknown = ExtFunctionResult::NotFound(call.function_name.clone());
                        call.resume(unknown, PrintWriter::Disabled)
                    }
                },
                Ok(RunProgress::NameLookup(lookup)) => {
                    lookup.resume(NameLookupResult::Undefined, PrintWriter::Disabled)
                }
                Ok(RunProgress::OsCall(_)) => {
                    return Step::Fault(Fault::new(FaultKind::Forbidden("files and the operating system".to_owned())));
                }
                Ok(RunProgress::ResolveFutures(_)) => {
                    return Step::Fault(Fault::new(FaultKind::Unsupported("`await`".to_owned())));
                }
            };
        }
    }

    fn line(&self, frames: &[StackFrame]) -> Option<u32> {
        self.prepared.innermost(frames)
    }

    /// A call of a host function: handed over, unless it is one too many or none that can be.
    fn call(&mut self, call: FunctionCall) -> Step {
        let frames = frames(&call);
        let line = self.line(&frames);
        let fault = |kind| Step::Fault(Fault { line, kind });
        let Some(left) = self.calls.checked_sub(1) else { return fault(FaultKind::Limit(Bound::Calls)) };
        self.calls = left;
        match hand_over(&call, self.prepared.loses) {
            Ok(handed) => {
                self.waiting = Some(call);
                let way = frames.iter().filter_map(|frame| self.prepared.line(frame.start.line)).collect();
                Step::Call { call: handed, line: line.unwrap_or(0), way }
            }
            Err(what) => fault(FaultKind::Unsupported(format!("{what} as an argument of `{}`", call.function_name))),
        }
    }
}

/// What a helper of rewritten code is called to say, if it is one.
fn refusal(call: &FunctionCall, prepared: &Prepared) -> Option<FaultKind> {
    match call.args.as_slice() {
        [MontyObject::String(what)] => Some(FaultKind::Unsupported(what.clone())),
        [MontyObject::Exception { exc_type, arg }, looked_at] => {
            let looked_at = matches!(looked_at, MontyObject::Bool(true));
            not_to_be_caught(*exc_type, arg.as_deref().unwrap_or_default(), looked_at, prepared)
        }
        _ => None,
    }
}

fn hand_over(call: &FunctionCall, loses: bool) -> Result<Call, String> {
    let to_json = |value: &MontyObject| to_json(value, loses);
    let args = call.args.iter().map(to_json).collect::<Result<_, _>>()?;
    let named = |(name, value): &(MontyObject, MontyObject)| match name {
        MontyObject::String(name) => Ok((name.clone(), to_json(value)?)),
        _ => Err("a name that is no text".to_owned()),
    };
    let keywords = call.kwargs.iter().map(named).collect::<Result<_, _>>()?;
    Ok(Call { function: call.function_name.clone(), args, keywords })
}
