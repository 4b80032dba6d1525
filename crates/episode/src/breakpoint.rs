//! Breakpoints: what an automatic run stops at, before a step or after it. Text to breakpoint and back, and whether one is reached; the
//! gate stops.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::StepOutcome;
use super::proposal::{Action, Verdict};

/// Something a run stops at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "String", try_from = "String")]
pub enum Breakpoint {
    /// Before an action whose text, call or function matches; `*` stands for any text.
    Action(String),
    /// Before an action of which an assertion with this text in it fails; any, if empty.
    Fails(String),
    /// After a step that changed the program's variables at or below a path (`agent.inventory`).
    State(String),
    /// After a step with a reward of at least that; with any reward but 0, if `None`.
    Reward(Option<f64>),
    /// After a step that the world refused.
    Error,
}

const SYNTAX: &str = "action PATTERN, fails [TEXT], state PATH, reward [LEAST], error";

impl FromStr for Breakpoint {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
        let rest = rest.trim();
        match (word, rest) {
            ("action", "") => Err("`action` needs a name or a pattern, as in `action put*`".to_owned()),
            ("action", pattern) => Ok(Breakpoint::Action(pattern.to_owned())),
            ("fails", text) => Ok(Breakpoint::Fails(text.to_owned())),
            ("state", "") => Err("`state` needs a path, as in `state agent.inventory`".to_owned()),
            ("state", path) => Ok(Breakpoint::State(path.to_owned())),
            ("reward", "") => Ok(Breakpoint::Reward(None)),
            ("reward", least) => match least.parse::<f64>() {
                Ok(least) if least.is_finite() => Ok(Breakpoint::Reward(Some(least))),
                _ => Err(format!("`{least}` is no number; write `reward 0.5`, or `reward` for any")),
            },
            ("error", "") => Ok(Breakpoint::Error),
            _ => Err(format!("`{}` is no breakpoint; there are: {SYNTAX}", text.trim())),
        }
    }
}

impl TryFrom<String> for Breakpoint {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Breakpoint> for String {
    fn from(breakpoint: Breakpoint) -> String {
        breakpoint.to_string()
    }
}

impl fmt::Display for Breakpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Breakpoint::Action(pattern) => write!(f, "action {pattern}"),
            Breakpoint::Fails(text) if text.is_empty() => f.write_str("fails"),
            Breakpoint::Fails(text) => write!(f, "fails {text}"),
            Breakpoint::State(path) => write!(f, "state {path}"),
            Breakpoint::Reward(None) => f.write_str("reward"),
            Breakpoint::Reward(Some(least)) => write!(f, "reward {least}"),
            Breakpoint::Error => f.write_str("error"),
        }
    }
}

impl Breakpoint {
    /// Reads a list of them, apart by `;` or lines.
    pub fn list(text: &str) -> Result<Vec<Self>, String> {
        text.split([';', '\n']).filter(|part| !part.trim().is_empty()).map(str::parse).collect()
    }

    /// Why it is reached before an action, in words.
    pub fn before(&self, action: &Action, verdict: Option<&Verdict>) -> Option<String> {
        match self {
            Breakpoint::Action(pattern) => {
                let functions = action.calls().filter_map(|c| c.split('(').next()?.rsplit('.').next());
                let named = [action.text.as_str()].into_iter().chain(action.calls()).chain(functions);
                let named = named.into_iter().any(|name| matches(pattern, name));
                named.then(|| format!("`{}` is next", action.text))
            }
            Breakpoint::Fails(text) => {
                let failing = verdict?.failing().find(|check| check.condition.contains(text.as_str()))?;
                Some(format!("`{}` fails {}", action.text, failing.condition))
            }
            Breakpoint::State(_) | Breakpoint::Reward(_) | Breakpoint::Error => None,
        }
    }

    /// Why it is reached after a step, in words. `changes` is the step's patch of the program's variables (RFC 6902).
    pub fn after(&self, outcome: &StepOutcome, changes: &Value) -> Option<String> {
        match self {
            Breakpoint::State(path) => {
                let wanted = steps(path);
                let mut paths = changes.as_array()?.iter().filter_map(|change| change.get("path")?.as_str());
                let touched = paths.find(|found| within(&stepwright_text::json_pointer::split(found), &wanted))?;
                Some(format!("{} changed", stepwright_text::json_pointer::display(touched)))
            }
            Breakpoint::Reward(least) => {
                let reached = least.map_or(outcome.reward != 0.0, |least| outcome.reward >= least);
                reached.then(|| format!("the reward is {}", outcome.reward))
            }
            Breakpoint::Error => outcome.error.as_ref().map(|error| format!("the world refused: {error}")),
            Breakpoint::Action(_) | Breakpoint::Fails(_) => None,
        }
    }

    /// The path of a value that is not in the variables now, so that nothing stops there unless it appears.
    pub fn absent<'a>(&'a self, variables: &Value) -> Option<&'a str> {
        let Breakpoint::State(path) = self else { return None };
        let mut steps = steps(path).into_iter();
        let found = steps.try_fold(variables, |value, step| match value {
            Value::Array(items) => items.get(step.parse::<usize>().ok()?),
            other => other.get(&step),
        });
        found.is_none().then_some(path)
    }
}

/// The steps of a path as a person writes or copies it: `agent.inventory`, `objects['mug 1'].open`, `near[0]`, `$.agent`, `/agent/near/0`.
fn steps(path: &str) -> Vec<String> {
    let path = path.trim();
    if path.starts_with('/') {
        return stepwright_text::json_pointer::split(path.trim_end_matches('/'));
    }
    let mut out = Vec::new();
    let mut rest = path.strip_prefix('$').unwrap_or(path).trim_matches('.');
    while !rest.is_empty() {
        let (step, after) = match rest.strip_prefix('[') {
            Some(inner) => {
                // A name in quotes, or a key that is a tuple, may hold what ends others.
                let end = match inner.chars().next() {
                    Some('\'') => "']",
                    Some('"') => "\"]",
                    Some('(') => ")]",
                    _ => "]",
                };
                let at = inner.find(end).map_or(inner.len(), |at| at + end.len() - 1);
                let (step, after) = inner.split_at(at);
                let quoted = if end == "']" || end == "\"]" { step.trim_matches(['\'', '"']) } else { step };
                (quoted, after.strip_prefix(']').unwrap_or(after))
            }
            None => rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len())),
        };
        out.push(step.to_owned());
        rest = after.strip_prefix('.').unwrap_or(after);
    }
    out
}

/// Whether a changed path is at or below the wanted one, or above it, so that all of it changed.
fn within(changed: &[String], wanted: &[String]) -> bool {
    changed.starts_with(wanted) || wanted.starts_with(changed)
}

/// Whether a text matches a pattern in which `*` stands for any text. Linear: the parts are looked for from left to right.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Check, CheckKind, Status};
    use serde_json::json;

    #[test]
    fn breakpoints_read_as_they_are_written() {
        let text = "action put*; fails is_open; fails; state agent.inventory; reward 0.5; reward; error";
        let list = Breakpoint::list(text).unwrap();
        let back: Vec<String> = list.iter().map(ToString::to_string).collect();
        assert_eq!(back.join("; "), text);
        let kept: Vec<Breakpoint> = serde_json::from_value(serde_json::to_value(&list).unwrap()).unwrap();
        assert_eq!(kept, list);
        for (wrong, why) in
            [("action", "needs"), ("state ", "needs"), ("reward much", "no number"), ("stop", "there are")]
        {
            assert!(Breakpoint::list(wrong).unwrap_err().contains(why), "{wrong}");
        }
    }

    #[test]
    fn a_path_is_read_as_it_is_shown_and_as_it_is_copied() {
        let changes = json!([{"op": "add", "path": "/env/objects/mug 1/near/0", "value": "desk 1"}]);
        let reached = |path: &str| {
            format!("state {path}").parse::<Breakpoint>().unwrap().after(&StepOutcome::default(), &changes)
        };
        for path in [
            "env",
            "env.objects",
            "env.objects['mug 1']",
            "$.env.objects[\"mug 1\"].near[0]",
            "/env/objects/mug 1/near",
            "env.objects.mug 1.near.0",
        ] {
            assert_eq!(reached(path).as_deref(), Some("env.objects['mug 1'].near[0] changed"), "{path}");
        }
        for path in ["env.object", "env.objects['mug 2']", "env.objects['mug 1'].near[1]"] {
            assert_eq!(reached(path), None, "{path}");
        }
        let tuple = json!([{"op": "replace", "path": "/p/('a.b', 'open')", "value": true}]);
        let at = "state p[('a.b', 'open')]".parse::<Breakpoint>().unwrap();
        assert_eq!(at.after(&StepOutcome::default(), &tuple).as_deref(), Some("p[('a.b', 'open')] changed"));
        let variables = json!({"env": {"near": ["desk 1"]}});
        let absent = |text: &str| text.parse::<Breakpoint>().unwrap().absent(&variables).map(str::to_owned);
        assert_eq!(absent("state env.near[0]"), None);
        assert_eq!(absent("error"), None);
        assert_eq!(absent("state env.far").as_deref(), Some("env.far"));
    }

    #[test]
    fn actions_are_named_by_text_call_function_or_pattern() {
        let action = Action::new("put mug 1 in desk 1", Some("agent.put('mug 1', 'desk 1')".into()));
        let reached = |text: &str| text.parse::<Breakpoint>().unwrap().before(&action, None).is_some();
        for yes in
            ["action put", "action put*", "action *desk 1", "action p*mug*1", "action agent.put('mug 1', 'desk 1')"]
        {
            assert!(reached(yes), "{yes}");
        }
        for no in ["action take", "action put mug", "action *desk", "action put*mug*mug*"] {
            assert!(!reached(no), "{no}");
        }
        let check = Check {
            kind: CheckKind::Precondition,
            condition: "self.is_open(recep)".into(),
            status: Status::Fails,
            detail: None,
        };
        let verdict = Verdict { checks: vec![check], ..Verdict::default() };
        assert!(Breakpoint::Fails("is_open".into()).before(&action, Some(&verdict)).is_some());
        assert!(Breakpoint::Fails(String::new()).before(&action, Some(&verdict)).is_some());
        assert_eq!(Breakpoint::Fails("visible".into()).before(&action, Some(&verdict)), None);
    }

    #[test]
    fn what_a_step_gave_is_looked_at_after_it() {
        let changes = json!([{"op": "add", "path": "/agent/inventory", "value": "mug 1"}]);
        let outcome = StepOutcome { reward: 0.5, error: Some("no".into()), ..StepOutcome::default() };
        let reached = |text: &str| text.parse::<Breakpoint>().unwrap().after(&outcome, &changes).is_some();
        for yes in
            ["state agent", "state agent.inventory", "state agent.inventory.name", "reward", "reward 0.5", "error"]
        {
            assert!(reached(yes), "{yes}");
        }
        for no in ["state agent.inv", "state env", "reward 0.6"] {
            assert!(!reached(no), "{no}");
        }
    }
}
