//! What calls of tools returned where a session is an episode of a log: outcomes hold it as calls of the program, what several calls of one answer
//! returned with the last of them. What else was observed there somebody said.

use serde_json::Value;
use stepwright_episode::Node;
use stepwright_program::Call;
use stepwright_program::tools::{FAILED, RESULTS, TOOLS, Toolbox};
use stepwright_trajectory::Step;

use super::asked::{Heard, Returned, Told, USER};

/// A step that was done, as the session and as its trajectory has it.
pub(super) type Done<'a> = (&'a Node, &'a Step);

/// Steps that are the calls of one answer; or a single step.
pub(super) struct Answered<'a> {
    /// The place of the first.
    pub(super) at: usize,
    pub(super) steps: &'a [Done<'a>],
    /// What was heard after them; `None` where the observation is all that is known of it.
    pub(super) heard: Option<Heard>,
}

/// The steps by the answers that they are of; `of_tools` where the program is made of tools, so that what they return is said as calls of it.
pub(super) fn answers<'a>(done: &'a [Done<'a>], of_tools: bool) -> Vec<Answered<'a>> {
    // What a log of other calls observed is what they returned, though no call of the program says it.
    let says_results = of_tools || done.iter().any(|(node, _)| noted(node).iter().any(|call| call.receiver == RESULTS));
    let (mut all, mut at) = (Vec::new(), 0);
    while let Some(rest) = done.get(at..).filter(|rest| !rest.is_empty()) {
        let steps = rest.get(..together(rest)).unwrap_or(rest);
        let answered = match heard(steps).filter(|_| says_results) {
            Some(heard) => Answered { at, steps, heard: Some(heard) },
            None => Answered { at, steps: rest.get(..1).unwrap_or(rest), heard: None },
        };
        at += answered.steps.len();
        all.push(answered);
    }
    all
}

/// The one call of a tool that a step is.
fn called(node: &Node) -> Option<Call> {
    let action = node.action.as_deref().filter(|action| action.exact.is_none())?;
    let call: Call = action.call.as_deref()?.parse().ok()?;
    (call.receiver == TOOLS).then_some(call)
}

/// What was observed at a step, as calls.
fn noted(node: &Node) -> Vec<Call> {
    let calls = node.outcome.calls.iter().filter_map(|call| call.parse::<Call>().ok());
    calls.filter(|call| call.receiver != TOOLS).collect()
}

/// How many of the first of these steps are of one answer: what the first call returned is known after the last of them.
fn together(steps: &[Done<'_>]) -> usize {
    let Some((first, _)) = steps.first().filter(|(node, _)| called(node).is_some()) else { return 1 };
    // What was thought before a call begins another answer.
    let later = steps.iter().skip(1);
    let later =
        later.take_while(|(node, step)| called(node).is_some() && step.thought.as_deref().is_none_or(str::is_empty));
    let mut noted = steps.iter().take(1).chain(later).map(|(node, _)| noted(node)).enumerate();
    match noted.find(|(_, results)| !results.is_empty()) {
        Some((last, results)) if found(first, &results).is_some() => last + 1,
        _ => 1,
    }
}

/// What was heard after the calls of an answer, in the order in which it was returned.
fn heard(steps: &[Done<'_>]) -> Option<Heard> {
    let mut results = steps.last().map(|(node, _)| noted(node)).unwrap_or_default();
    let mut places: Vec<usize> = (0..results.len()).collect();
    let (mut returned, mut told) = (Vec::new(), Vec::new());
    for (call, (node, _)) in steps.iter().enumerate() {
        called(node)?;
        let words = match found(node, &results) {
            Some(Found { at, text, rest }) => {
                let (place, result) = (places.remove(at), results.remove(at));
                let failed = result.function == FAILED;
                returned.push((place, Returned { call, text: text.to_owned(), failed }));
                rest
            }
            None if node.outcome.error.is_some() => return None,
            None => node.outcome.observation.as_str(),
        };
        if !words.is_empty() {
            // What a world says in words of its own may be what the call returned.
            if !results.is_empty() {
                return None;
            }
            told.push(Told { by: USER, words: words.to_owned() });
        }
    }
    returned.sort_by_key(|(place, _)| *place);
    Some(Heard { returned: returned.into_iter().map(|(_, returned)| returned).collect(), told })
}

/// A result of a call.
struct Found<'t> {
    /// Its place among the results.
    at: usize,
    text: &'t str,
    /// What was said after it.
    rest: &'t str,
}

/// Which of these results a step's call returned: the longest beginning of what was observed that one of them says.
fn found<'t>(node: &'t Node, results: &[Call]) -> Option<Found<'t>> {
    let call = called(node)?;
    let observed = node.outcome.observation.as_str();
    let breaks = observed.rmatch_indices(BREAK).map(|(at, _)| at);
    let mut ends = std::iter::once(observed.len()).chain(breaks).chain(std::iter::once(0));
    ends.find_map(|end| {
        let (text, rest) = observed.split_at_checked(end)?;
        let at = results.iter().position(|result| says(result, &call, text))?;
        Some(Found { at, text, rest: rest.strip_prefix(BREAK).unwrap_or(rest) })
    })
}

/// What stands between a result and what was said after it.
pub(super) const BREAK: &str = "\n\n";

/// Whether that is the result of such a call that returned this text.
fn says(result: &Call, call: &Call, text: &str) -> bool {
    let is_of_it = result.receiver == RESULTS && result.text(0) == Some(call.function.as_str());
    let failed = result.function == FAILED;
    let said = || Toolbox::new(Vec::new()).result(&call.function, &Value::Null, text, failed);
    is_of_it && result.args.last() == said().args.last()
}
