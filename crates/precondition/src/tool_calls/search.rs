//! Search for the assertions of a tool: its calls, the values and assertions found so far, and how a text is tried on the calls.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value as Json;

use stepwright_program::tools::Toolbox;
use stepwright_program::{Assertion, CheckResult, Expression, Function, Literal, State};

use super::known::{Known, ToolRule, ToolStep};

/// Calls from which a tool is learned, at least.
pub(super) const FEWEST: usize = 4;

pub(super) struct Case {
    pub(super) state: State,
    pub(super) args: Vec<Literal>,
}

/// What all episodes show together.
pub(super) struct Ground<'t> {
    pub(super) toolbox: &'t Toolbox,
    pub(super) all: Known<'t>,
    /// Values that arguments of a name had, and by which things were read.
    pub(super) pools: BTreeMap<String, Vec<Json>>,
    /// What each tool returned.
    pub(super) results: Vec<(String, Json)>,
}

impl Ground<'_> {
    pub(super) fn take(&mut self, step: &ToolStep) {
        for (name, value) in step.arguments.as_object().into_iter().flatten() {
            self.pools.entry(name.clone()).or_default().push(value.clone());
        }
        if step.error.is_none() {
            self.all.learn(step);
            self.results.push((step.tool.clone(), step.result.clone()));
        }
    }
}

/// In which variables a value is: those of the arguments alone, or of the elements that a clause goes through.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Context {
    pub(super) clause: String,
    /// The lists whose elements are its variables `x` and `y`, as places of parameters.
    pub(super) lists: Vec<usize>,
    /// Whether `f` goes through records that were read of the elements.
    pub(super) records: bool,
}

pub(super) const TEXT: u8 = 1;
pub(super) const NUMBER: u8 = 2;
pub(super) const FLAG: u8 = 4;
pub(super) const LIST: u8 = 8;
pub(super) const TABLE: u8 = 16;
pub(super) const NOTHING: u8 = 32;

pub(super) fn kind(value: &Json) -> u8 {
    match value {
        Json::Null => NOTHING,
        Json::Bool(_) => FLAG,
        Json::Number(_) => NUMBER,
        Json::String(_) => TEXT,
        Json::Array(_) => LIST,
        Json::Object(_) => TABLE,
    }
}

pub(super) struct Value {
    pub(super) text: String,
    pub(super) context: usize,
    /// At each call, its values there; `None` where it has none.
    pub(super) seen: Vec<Option<Vec<Json>>>,
    pub(super) kinds: u8,
    pub(super) depth: usize,
}

impl Value {
    pub(super) fn all(&self) -> impl Iterator<Item = &Json> {
        self.seen.iter().flatten().flatten()
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sort {
    /// Its reading did not fail.
    Error,
    Member,
    /// A number is above zero, or not below it; lists among the arguments are as long as each other.
    Sign,
    Constant,
    /// A flag is set.
    Flag,
    Equal,
    Unequal,
    /// At most what a thing that an argument chose has.
    Bound,
    /// A number of things, at most the field that an argument chose.
    Counted,
    /// What all of them cost, at most what the thing that an argument chose has.
    Sum,
    /// Any other bound.
    Least,
    /// Was listed where it was looked for.
    Listed,
    Either,
}

impl Sort {
    /// In which order assertions are asked: what comes first explains most simply what is refused.
    pub(super) fn rank(self) -> u8 {
        match self {
            Sort::Error => 0,
            Sort::Listed => 1,
            Sort::Member | Sort::Sign => 2,
            Sort::Constant | Sort::Flag => 3,
            Sort::Equal => 4,
            Sort::Unequal | Sort::Either => 5,
            Sort::Counted | Sort::Sum => 6,
            Sort::Bound => 7,
            Sort::Least => 8,
        }
    }

    /// How many times less likely, as a logarithm, it must be that it held at every call by chance.
    pub(super) fn least(self) -> f64 {
        match self {
            Sort::Error | Sort::Listed | Sort::Sign => 0.0,
            Sort::Constant | Sort::Equal => 5.0,
            Sort::Member | Sort::Either | Sort::Flag | Sort::Least => 3.0,
            Sort::Unequal | Sort::Bound => 1.0,
            Sort::Counted => 0.25,
            Sort::Sum => 0.1,
        }
    }
}

pub(super) struct Search<'s> {
    pub(super) ground: &'s Ground<'s>,
    pub(super) tool: &'s str,
    pub(super) function: &'s Function,
    pub(super) cases: &'s [Case],
    /// Own names of the parameters, in the function's order.
    pub(super) names: Vec<String>,
    pub(super) contexts: Vec<Context>,
    pub(super) values: Vec<Value>,
    pub(super) waiting: VecDeque<(String, usize, usize)>,
    pub(super) done: BTreeSet<(String, usize)>,
    pub(super) vectors: BTreeSet<(usize, String)>,
    pub(super) found: Vec<(String, Sort)>,
    /// Of assertions that say nothing at some calls, when they do.
    pub(super) matters: BTreeMap<String, String>,
    /// Where values are members: value, its context, container.
    pub(super) boxes: Vec<(String, usize, String)>,
    /// For a parameter, and a field of its elements, expressions of what it could have been.
    pub(super) choices: Vec<(usize, Option<String>, String)>,
    pub(super) random: u64,
}

pub(super) fn quoted(text: &str) -> String {
    Literal::from(text).to_string()
}

/// Whether an expression has a variable in it.
pub(super) fn names(text: &str, variable: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    text.match_indices(variable).any(|(at, _)| {
        !text.get(..at).is_some_and(|before| before.ends_with(word))
            && !text.get(at + variable.len()..).is_some_and(|after| after.starts_with(word))
    })
}

pub(super) fn holds(result: &Result<Json, CheckResult>) -> Option<bool> {
    match result {
        Ok(Json::Bool(value)) => Some(*value),
        _ => None,
    }
}

impl<'s> Search<'s> {
    pub(super) fn new(ground: &'s Ground<'s>, tool: &'s str, function: &'s Function, cases: &'s [Case]) -> Self {
        let parameters = ground.toolbox.tool(tool).map_or(&[][..], |(_, _, parameters)| parameters);
        Search {
            ground,
            tool,
            function,
            cases,
            names: parameters.iter().map(|p| p.name.clone()).collect(),
            contexts: vec![Context::default()],
            values: Vec::new(),
            waiting: VecDeque::new(),
            done: BTreeSet::new(),
            vectors: BTreeSet::new(),
            found: Vec::new(),
            matters: BTreeMap::new(),
            boxes: Vec::new(),
            choices: Vec::new(),
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    pub(super) fn variables(&self) -> &'s [String] {
        &self.function.params
    }

    pub(super) fn wrap(&self, context: usize, body: &str) -> String {
        match self.contexts.get(context).map(|c| c.clause.as_str()) {
            None | Some("") => body.to_owned(),
            Some(clause) => format!("all({body} {clause})"),
        }
    }

    pub(super) fn add(&mut self, text: String, sort: Sort) {
        if !self.found.iter().any(|(known, _)| *known == text) {
            self.found.push((text, sort));
        }
    }

    pub(super) fn enough(&self) -> usize {
        (self.cases.len() * 9).div_ceil(10).max(3)
    }

    /// Whether a condition is true, false or has no value at each call.
    pub(super) fn truths(&self, text: &str) -> Vec<Option<bool>> {
        let Some(code) = Expression::compile(&format!("bool({text})"), self.function) else { return Vec::new() };
        self.cases.iter().map(|case| holds(&case.state.value(&code, self.function, &case.args))).collect()
    }

    pub(super) fn is_so(&self, text: &str) -> bool {
        let truths = self.truths(text);
        !truths.contains(&Some(false)) && truths.iter().flatten().count() >= self.enough()
    }

    pub(super) fn values_of(&self, text: &str, context: usize) -> Vec<Option<Vec<Json>>> {
        let clause = self.contexts.get(context).map_or("", |c| c.clause.as_str());
        let Some(code) = Expression::compile(&format!("[{text} {clause}]"), self.function) else { return Vec::new() };
        let value = |case: &Case| match case.state.value(&code, self.function, &case.args) {
            Ok(Json::Array(values)) => Some(values),
            _ => None,
        };
        self.cases.iter().map(value).collect()
    }

    pub(super) fn rules(mut self) -> Vec<ToolRule> {
        self.begin();
        self.expand();
        for _ in 0..2 {
            self.members();
            self.expand();
            self.listed();
            self.expand();
        }
        self.constants();
        self.relations();
        self.sums();
        self.either();
        let found = std::mem::take(&mut self.found);
        let believed = self.believed(found);
        let compiled =
            |(text, seen): (String, usize)| Some(ToolRule { assertion: Assertion::compile(&text).ok()?, seen });
        believed.into_iter().filter_map(compiled).collect()
    }

    /// The context of two values together; `None` where they have none.
    pub(super) fn together(&self, one: usize, other: usize) -> Option<usize> {
        match (one, other) {
            (0, other) => Some(other),
            (one, 0) => Some(one),
            _ => (one == other).then_some(one),
        }
    }

    pub(super) fn share_a_box(&self, one: &str, other: &str) -> bool {
        let of = |text: &str| {
            self.boxes
                .iter()
                .filter(move |(member, ..)| member == text)
                .map(|(.., form)| form.clone())
                .collect::<BTreeSet<String>>()
        };
        of(one).intersection(&of(other)).next().is_some()
    }
}
