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
use stepwright_program::{Assertion, Call, CheckResult, Specification};

use super::completion::CandidateContext;
use super::demonstrations::Demo;

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
    let cases = cases(toolbox, &specification, episodes, |step| ground.take(step))?;
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

/// The accepted calls of each tool that is no reading one; `take` is given every step.
fn cases<'e>(
    toolbox: &Toolbox,
    specification: &Specification,
    episodes: &'e [Vec<ToolStep>],
    mut take: impl FnMut(&ToolStep),
) -> Result<BTreeMap<&'e str, Vec<Case>>, String> {
    let mut cases: BTreeMap<&str, Vec<Case>> = BTreeMap::new();
    for steps in episodes {
        let mut known = Known::new(toolbox, specification)?;
        for step in steps {
            take(step);
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
    Ok(cases)
}

/// What a model is asked with for the assertions of each tool that is no reading one, by the tool's function: a context for each of the
/// first episodes in which it was called and accepted, as many as `most`. Errors: if the tools' specification does not load.
pub fn contexts(
    toolbox: &Toolbox,
    episodes: &[Vec<ToolStep>],
    most: usize,
) -> Result<BTreeMap<String, Vec<CandidateContext>>, String> {
    let specification = specification(toolbox)?;
    let mut writing: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, steps) in episodes.iter().enumerate() {
        for step in steps.iter().filter(|step| step.error.is_none() && !toolbox.reads(&step.tool)) {
            let Some((_, function, _)) = toolbox.tool(&step.tool) else { continue };
            let own = writing.entry(function).or_default();
            if own.len() < most && own.last() != Some(&at) {
                own.push(at);
            }
        }
    }
    let written = writing.keys().filter_map(|function| specification.function(TOOLS, function));
    let actions: Vec<(&str, &str)> = written.map(|own| (own.class.as_str(), own.name.as_str())).collect();
    let program = |steps: &[ToolStep]| {
        let calls = steps.iter().flat_map(|step| {
            let text = step.error.clone().unwrap_or_else(|| step.result.to_string());
            let result = toolbox.result(&step.tool, &step.arguments, &text, step.error.is_some());
            [toolbox.call(&step.tool, &step.arguments), result]
        });
        Demo { id: String::new(), calls: calls.collect() }
    };
    let of = |function: &str, at: &usize| {
        let action = specification.function(TOOLS, function)?;
        CandidateContext::new(toolbox.source(), &actions, action, &program(episodes.get(*at)?))
    };
    let all = writing
        .iter()
        .map(|(function, own)| ((*function).to_owned(), own.iter().filter_map(|at| of(function, at)).collect()));
    Ok(all.collect())
}

/// Those of the assertions written for each tool's function that hold at all its accepted calls, each once.
/// Errors: if the tools' specification does not load.
pub fn validated(
    toolbox: &Toolbox,
    episodes: &[Vec<ToolStep>],
    written: &BTreeMap<String, Vec<String>>,
) -> Result<BTreeMap<String, Vec<ToolRule>>, String> {
    let specification = specification(toolbox)?;
    let mut rules = BTreeMap::new();
    for (tool, cases) in cases(toolbox, &specification, episodes, |_| {})? {
        let Some((_, function, _)) = toolbox.tool(tool) else { continue };
        let Some(of) = specification.function(TOOLS, function) else { continue };
        let mut kept: Vec<ToolRule> = Vec::new();
        for assertion in written.get(function).into_iter().flatten().filter_map(|text| Assertion::compile(text).ok()) {
            let holds = |case: &Case| matches!(case.state.check(&assertion, of, &case.args), CheckResult::Holds);
            let is_new = kept.iter().all(|rule| rule.assertion.text() != assertion.text());
            if is_new && cases.iter().all(holds) {
                kept.push(ToolRule { assertion, seen: cases.len() });
            }
        }
        rules.insert(function.to_owned(), kept);
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
