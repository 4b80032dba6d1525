//! Built-in proposer of assertions for the calls of tools: no language model. Learns from recorded episodes alone, in which calls of
//! tools were made and accepted. What such states need: a value read earlier that equals, holds or bounds an argument or a constant; a
//! list of things of each of which that is so; owner and owned; what is nested; sums. What holds at every call is believed where it
//! would fail had the call's arguments been others of their kind.
//!
//! `known` is what episodes show, `search` holds what is looked through and found, `values` follows arguments to what was read, `forms` and `listed` make
//! assertions of values, `chance` asks whether one held by chance.

mod chance;
mod forms;
mod known;
mod listed;
mod search;
#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeMap;

use stepwright_program::tools::{TOOLS, Toolbox};
use stepwright_program::{Call, CheckResult, Specification};

pub use known::{Known, ToolRule, ToolStep};
use search::{Case, FEWEST, Ground, Search};

/// The specification of tools. Errors: in words, if it does not load.
pub fn specification(toolbox: &Toolbox) -> Result<Specification, String> {
    Specification::load(toolbox.source(), "tools.py").map_err(|e| e.to_string())
}

/// Assertions for each tool that is no reading one, from episodes whose calls were accepted, by the tool's function. A tool is learned
/// from its accepted calls; `progress` hears of each and ends the work by answering false.
/// Errors: if the tools' specification does not load.
pub fn infer(
    toolbox: &Toolbox,
    episodes: &[Vec<ToolStep>],
    mut progress: impl FnMut(&str) -> bool,
) -> Result<BTreeMap<String, Vec<ToolRule>>, String> {
    let specification = specification(toolbox)?;
    let mut ground =
        Ground { toolbox, all: Known::new(toolbox, &specification)?, pools: BTreeMap::new(), results: Vec::new() };
    let mut cases: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
    for steps in episodes {
        let mut known = Known::new(toolbox, &specification)?;
        for step in steps {
            ground.take(step);
            let function = toolbox.tool(&step.tool).and_then(|(_, f, _)| specification.function(TOOLS, f));
            if let Some(function) = function.filter(|_| step.error.is_none() && !toolbox.reads(&step.tool)) {
                let call = toolbox.call(&step.tool, &step.arguments);
                if let Ok(args) = function.arguments(&call) {
                    let args = args.into_owned();
                    cases.entry(&step.tool).or_default().push(Case { state: known.state.clone(), args });
                }
            }
            known.learn(step);
        }
    }
    let mut rules = BTreeMap::new();
    for (tool, cases) in cases {
        if !progress(tool) {
            break;
        }
        let Some((_, function, _)) = toolbox.tool(tool) else { continue };
        let Some(of) = specification.function(TOOLS, function) else { continue };
        if cases.len() >= FEWEST {
            rules.insert(function.to_owned(), Search::new(&ground, tool, of, &cases).rules());
        }
    }
    Ok(rules)
}

/// What assertions say of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    Accepted,
    Refused,
    /// Something that decides it was not read.
    Untold,
}

/// Judges a call by the tool's schema and by assertions, on what is known; with the assertion that refuses it or could not be decided.
pub fn judge<'r>(known: &Known<'_>, call: &Call, rules: Option<&'r [ToolRule]>) -> (Judgement, Option<&'r str>) {
    if known.state.obstacle(call).is_some() {
        return (Judgement::Refused, None);
    }
    let function = known.state.specification().function(&call.receiver, &call.function);
    let Some((function, args)) = function.and_then(|f| Some((f, f.arguments(call).ok()?))) else {
        return (Judgement::Refused, None);
    };
    let mut untold = None;
    for rule in rules.into_iter().flatten() {
        match known.state.check(&rule.assertion, function, &args) {
            CheckResult::Holds => {}
            CheckResult::Raises { exception, .. } if exception == "AssertionError" => {
                return (Judgement::Refused, Some(rule.assertion.text()));
            }
            _ => untold = untold.or(Some(rule.assertion.text())),
        }
    }
    (if untold.is_some() { Judgement::Untold } else { Judgement::Accepted }, untold)
}
