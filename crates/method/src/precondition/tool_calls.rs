//! Built-in proposer of assertions for the calls of tools: no language model. Learns from recorded episodes alone, in which calls of
//! tools were made and accepted. What such states need: a value read earlier that equals, holds or bounds an argument or a constant; a
//! list of things of each of which that is so; owner and owned; what is nested; sums. What holds at every call is believed where it
//! would fail had the call's arguments been others of their kind.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Map, Value as Json};

use stepwright_program::tools::{TOOLS, Toolbox};
use stepwright_program::{Assertion, Call, CheckResult, Expression, Function, Literal, Specification, State};

/// A call of a tool in an episode, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolStep {
    pub tool: String,
    pub arguments: Json,
    pub result: Json,
    pub error: Option<String>,
}

/// What is believed of a tool's calls.
#[derive(Debug, Clone)]
pub struct ToolRule {
    pub assertion: Assertion,
    /// Calls at which it was seen to hold.
    pub seen: usize,
}

/// What is known before a call, run by run.
#[derive(Clone)]
pub struct Known<'t> {
    toolbox: &'t Toolbox,
    state: State,
}

impl<'t> Known<'t> {
    /// Nothing is known. Errors: if the tools' specification does not load.
    pub fn new(toolbox: &'t Toolbox, specification: &Specification) -> Result<Self, String> {
        Ok(Known { toolbox, state: specification.start().map_err(|fault| fault.to_string())? })
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// Takes in what a call returned.
    pub fn learn(&mut self, step: &ToolStep) {
        let (text, failed) = match &step.error {
            Some(error) => (error.clone(), true),
            None => (step.result.to_string(), false),
        };
        // What was returned is known whether or not the program can follow.
        let _ = self.state.call_unchecked(&self.toolbox.result(&step.tool, &step.arguments, &text, failed));
    }
}

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

/// Calls from which a tool is learned, at least.
const FEWEST: usize = 4;
/// Longest way from an argument to a value.
const DEEPEST: usize = 7;
/// Most values that are looked at.
const MOST_VALUES: usize = 220;
/// Other calls that are made up for each assertion.
const OTHERS: usize = 150;

struct Case {
    state: State,
    args: Vec<Literal>,
}

/// What all episodes show together.
struct Ground<'t> {
    toolbox: &'t Toolbox,
    all: Known<'t>,
    /// Values that arguments of a name had, and by which things were read.
    pools: BTreeMap<String, Vec<Json>>,
    /// What each tool returned.
    results: Vec<(String, Json)>,
}

impl Ground<'_> {
    fn take(&mut self, step: &ToolStep) {
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
struct Context {
    clause: String,
    /// The lists whose elements are its variables `x` and `y`, as places of parameters.
    lists: Vec<usize>,
    /// Whether `f` goes through records that were read of the elements.
    records: bool,
}

const TEXT: u8 = 1;
const NUMBER: u8 = 2;
const FLAG: u8 = 4;
const LIST: u8 = 8;
const TABLE: u8 = 16;
const NOTHING: u8 = 32;

fn kind(value: &Json) -> u8 {
    match value {
        Json::Null => NOTHING,
        Json::Bool(_) => FLAG,
        Json::Number(_) => NUMBER,
        Json::String(_) => TEXT,
        Json::Array(_) => LIST,
        Json::Object(_) => TABLE,
    }
}

struct Value {
    text: String,
    context: usize,
    /// At each call, its values there; `None` where it has none.
    seen: Vec<Option<Vec<Json>>>,
    kinds: u8,
    depth: usize,
}

impl Value {
    fn all(&self) -> impl Iterator<Item = &Json> {
        self.seen.iter().flatten().flatten()
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Sort {
    /// Its reading did not fail.
    Error,
    Member,
    Constant,
    /// A flag is set.
    Flag,
    Equal,
    Unequal,
    Bound,
    Either,
}

impl Sort {
    /// How many times less likely, as a logarithm, it must be that it held at every call by chance.
    fn least(self) -> f64 {
        match self {
            Sort::Error => 0.0,
            Sort::Constant | Sort::Equal => 5.0,
            Sort::Member | Sort::Either | Sort::Flag => 3.0,
            Sort::Unequal => 1.5,
            Sort::Bound => 1.0,
        }
    }
}

struct Search<'s> {
    ground: &'s Ground<'s>,
    tool: &'s str,
    function: &'s Function,
    cases: &'s [Case],
    /// Own names of the parameters, in the function's order.
    names: Vec<String>,
    contexts: Vec<Context>,
    values: Vec<Value>,
    waiting: VecDeque<(String, usize, usize)>,
    done: BTreeSet<(String, usize)>,
    vectors: BTreeSet<(usize, String)>,
    found: Vec<(String, Sort)>,
    /// Where values are members: value, container.
    boxes: Vec<(String, String)>,
    /// For a parameter, and a field of its elements, expressions of what it could have been.
    choices: Vec<(usize, Option<String>, String)>,
    random: u64,
}

fn quoted(text: &str) -> String {
    Literal::from(text).to_string()
}

fn holds(result: &Result<Json, CheckResult>) -> Option<bool> {
    match result {
        Ok(Json::Bool(value)) => Some(*value),
        _ => None,
    }
}

impl<'s> Search<'s> {
    fn new(ground: &'s Ground<'s>, tool: &'s str, function: &'s Function, cases: &'s [Case]) -> Self {
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
            boxes: Vec::new(),
            choices: Vec::new(),
            random: 0x9e37_79b9_7f4a_7c15,
        }
    }

    fn variables(&self) -> &'s [String] {
        &self.function.params
    }

    fn wrap(&self, context: usize, body: &str) -> String {
        match self.contexts.get(context).map(|c| c.clause.as_str()) {
            None | Some("") => body.to_owned(),
            Some(clause) => format!("all({body} {clause})"),
        }
    }

    fn add(&mut self, text: String, sort: Sort) {
        if !self.found.iter().any(|(known, _)| *known == text) {
            self.found.push((text, sort));
        }
    }

    fn enough(&self) -> usize {
        (self.cases.len() * 9).div_ceil(10).max(3)
    }

    /// Whether a condition is true, false or has no value at each call.
    fn truths(&self, text: &str) -> Vec<Option<bool>> {
        let Some(code) = Expression::compile(&format!("bool({text})"), self.function) else { return Vec::new() };
        self.cases.iter().map(|case| holds(&case.state.value(&code, self.function, &case.args))).collect()
    }

    fn is_so(&self, text: &str) -> bool {
        let truths = self.truths(text);
        !truths.contains(&Some(false)) && truths.iter().flatten().count() >= self.enough()
    }

    fn values_of(&self, text: &str, context: usize) -> Vec<Option<Vec<Json>>> {
        let clause = self.contexts.get(context).map_or("", |c| c.clause.as_str());
        let Some(code) = Expression::compile(&format!("[{text} {clause}]"), self.function) else { return Vec::new() };
        let value = |case: &Case| match case.state.value(&code, self.function, &case.args) {
            Ok(Json::Array(values)) => Some(values),
            _ => None,
        };
        self.cases.iter().map(value).collect()
    }

    /// The tools that read a thing by one argument, and those that need several: function, their parameters.
    fn readers(&self) -> Vec<(&'s str, Vec<String>)> {
        let toolbox = self.ground.toolbox;
        let reading = toolbox.tools().iter().filter(|tool| toolbox.reads(&tool.name));
        let with = reading.filter_map(|tool| toolbox.tool(&tool.name));
        with.map(|(_, function, parameters)| {
            (function, parameters.iter().filter(|p| p.required).map(|p| p.name.clone()).collect())
        })
        .collect()
    }

    fn rules(mut self) -> Vec<ToolRule> {
        self.begin();
        self.expand();
        for _ in 0..2 {
            self.members();
            self.expand();
        }
        self.constants();
        self.relations();
        self.sums();
        self.either();
        let found = std::mem::take(&mut self.found);
        let mut rules = Vec::new();
        for (text, sort) in found {
            let seen = self.truths(&text).iter().filter(|truth| **truth == Some(true)).count();
            if self.is_believed(&text, sort, seen)
                && let Ok(assertion) = Assertion::compile(&text)
            {
                rules.push(ToolRule { assertion, seen });
            }
        }
        rules
    }

    /// The contexts, and the arguments and elements as the first values.
    fn begin(&mut self) {
        let variables = self.variables();
        let is_list = |at: usize| self.cases.iter().all(|case| matches!(case.args.get(at), Some(Literal::List(_))));
        let lists: Vec<usize> = (0..variables.len()).filter(|at| is_list(*at)).collect();
        let length = |case: &Case, at: usize| match case.args.get(at) {
            Some(Literal::List(items)) => items.len(),
            _ => 0,
        };
        let mut contexts: Vec<Context> = Vec::new();
        for (number, at) in lists.iter().enumerate() {
            let list = &variables[*at];
            contexts.push(Context { clause: format!("for x in {list}"), lists: vec![*at], records: false });
            for other in lists.iter().skip(number + 1) {
                if self.cases.iter().all(|case| length(case, *at) == length(case, *other)) {
                    let clause = format!("for x, y in zip({list}, {})", variables[*other]);
                    contexts.push(Context { clause, lists: vec![*at, *other], records: false });
                }
            }
            contexts.extend(self.records(*at, list));
        }
        for name in variables {
            self.waiting.push_back((name.clone(), 0, 0));
        }
        for context in contexts {
            self.contexts.push(context.clone());
            let at = self.contexts.len() - 1;
            let variables: &[&str] = match (context.records, context.lists.len()) {
                (true, _) => &["f"],
                (false, 2) => &["x", "y"],
                _ => &["x"],
            };
            self.waiting.extend(variables.iter().map(|variable| ((*variable).to_owned(), at, 0)));
        }
        for at in lists {
            self.waiting.push_back((format!("len({})", variables[at]), 0, 3));
        }
    }

    /// Records that were read of a list's elements: by all arguments of a reading tool, or found in the lists that it returned.
    fn records(&mut self, at: usize, list: &str) -> Vec<Context> {
        let mut common: Option<BTreeSet<&String>> = None;
        for element in self
            .cases
            .iter()
            .filter_map(|case| match case.args.get(at) {
                Some(Literal::List(items)) => Some(items),
                _ => None,
            })
            .flatten()
        {
            let Literal::Dict(fields) = element else { return Vec::new() };
            let names: BTreeSet<&String> = fields.iter().map(|(name, _)| name).collect();
            common =
                Some(common.map_or_else(|| names.clone(), |common| common.intersection(&names).copied().collect()));
        }
        let Some(common) = common else { return Vec::new() };
        let mut contexts = Vec::new();
        let mut errors = Vec::new();
        for (reader, needs) in self.readers().into_iter().filter(|(_, needs)| needs.len() > 1) {
            let field = |name: &String| format!("x[{}]", quoted(name));
            let clause = if needs.iter().all(|name| common.contains(name)) {
                let key = format!("({})", needs.iter().map(field).collect::<Vec<_>>().join(", "));
                errors.push(format!("all({key} not in self.errors['{reader}'] for x in {list})"));
                format!(
                    "for x in {list} for f in [self.read['{reader}'][k] for k in [{key}] if k in self.read['{reader}']]"
                )
            } else {
                let shared: Vec<String> = needs
                    .iter()
                    .enumerate()
                    .filter(|(_, name)| common.contains(name))
                    .map(|(at, name)| format!("k[{at}] == {}", field(name)))
                    .collect();
                let own = self.ground.toolbox.tools().iter().find(|t| self.ground.toolbox.function(&t.name) == reader);
                let sample: Vec<&Json> = self
                    .ground
                    .results
                    .iter()
                    .filter(|(tool, _)| own.is_some_and(|own| own.name == *tool))
                    .flat_map(|(_, result)| result.as_array().into_iter().flatten())
                    .filter(|record| record.is_object())
                    .collect();
                let same: Vec<String> = common
                    .iter()
                    .filter(|name| {
                        !needs.contains(name)
                            && !sample.is_empty()
                            && sample.iter().all(|record| record.get(name.as_str()).is_some())
                    })
                    .map(|name| format!("f[{}] == {}", quoted(name), field(name)))
                    .collect();
                if shared.is_empty() || same.is_empty() {
                    continue;
                }
                format!(
                    "for x in {list} for k, l in self.read['{reader}'].items() if {} for f in l if {}",
                    shared.join(" and "),
                    same.join(" and ")
                )
            };
            contexts.push(Context { clause, lists: vec![at], records: true });
        }
        errors.into_iter().for_each(|text| self.add(text, Sort::Error));
        contexts
    }

    /// Follows values to what was read by them, to fields and items.
    fn expand(&mut self) {
        while let Some((text, context, depth)) = self.waiting.pop_front() {
            if depth > DEEPEST || self.values.len() >= MOST_VALUES || !self.done.insert((text.clone(), context)) {
                continue;
            }
            let seen = self.values_of(&text, context);
            let some: Vec<&Json> = seen.iter().flatten().flatten().collect();
            let records = self.contexts.get(context).is_some_and(|c| c.records);
            let with = seen.iter().flatten().filter(|values| !records || !values.is_empty()).count();
            if seen.iter().flatten().count() < self.enough() || some.is_empty() || with < 3 {
                continue;
            }
            let kinds = some.iter().fold(0, |kinds, value| kinds | kind(value));
            let varies = some.iter().any(|value| Some(value) != some.first());
            let vector = (
                context,
                Json::from(seen.iter().map(|v| v.clone().map_or(Json::Null, Json::from)).collect::<Vec<_>>())
                    .to_string(),
            );
            if depth > 0 && varies && !text.starts_with("len(") && self.vectors.contains(&vector) {
                continue;
            }
            self.vectors.insert(vector);
            if kinds == TEXT {
                for (reader, needs) in self.readers() {
                    let clause = self.contexts.get(context).map_or("", |c| c.clause.as_str());
                    let read = format!(
                        "all(v in self.read['{reader}'] for v in [{text} {clause}]) and len([{text} {clause}]) > 0"
                    );
                    if needs.len() == 1
                        && self.truths(&read).iter().filter(|truth| **truth == Some(true)).count() >= self.enough()
                    {
                        let error = self.wrap(context, &format!("{text} not in self.errors['{reader}']"));
                        self.add(error, Sort::Error);
                        self.waiting.push_back((format!("self.read['{reader}'][{text}]"), context, depth + 1));
                    }
                }
            }
            if kinds == TABLE {
                let tables: Vec<&Map<String, Json>> = some.iter().filter_map(|value| value.as_object()).collect();
                let mut counts: Vec<(&String, usize)> = Vec::new();
                for name in tables.iter().flat_map(|table| table.keys()) {
                    match counts.iter().position(|(known, _)| *known == name) {
                        Some(at) => counts[at].1 += 1,
                        None if counts.len() < 60 => counts.push((name, 1)),
                        None => {}
                    }
                }
                let few = counts.len() <= 40;
                for (name, count) in counts {
                    if count == tables.len() {
                        self.waiting.push_back((format!("{text}[{}]", quoted(name)), context, depth + 1));
                    } else if few && count * 10 >= tables.len() {
                        self.waiting.push_back((format!("{text}.get({})", quoted(name)), context, depth + 1));
                    }
                }
            }
            if kinds == LIST && depth > 0 {
                if some.iter().all(|list| list.as_array().is_some_and(|list| !list.is_empty())) {
                    self.waiting.push_back((format!("{text}[0]"), context, depth + 1));
                }
                self.waiting.push_back((format!("len({text})"), context, depth + 1));
            }
            self.values.push(Value { text, context, seen, kinds, depth });
        }
    }

    /// The context of two values together; `None` where they have none.
    fn together(&self, one: usize, other: usize) -> Option<usize> {
        match (one, other) {
            (0, other) => Some(other),
            (one, 0) => Some(one),
            _ => (one == other).then_some(one),
        }
    }

    /// Texts that are always among those of a list, the keys of a table or a field of a list's records.
    fn members(&mut self) {
        let mut pairs: Vec<(String, usize, String, usize, Vec<String>)> = Vec::new();
        let lists: BTreeSet<&str> = self
            .contexts
            .iter()
            .flat_map(|c| &c.lists)
            .filter_map(|at| self.variables().get(*at))
            .map(String::as_str)
            .collect();
        for value in self.values.iter().filter(|v| v.kinds == TEXT && v.depth <= 4) {
            for container in self.values.iter().filter(|v| v.kinds & !(LIST | TABLE) == 0) {
                let own = ["x", "y"].contains(&container.text.as_str()) || lists.contains(container.text.as_str());
                if own || container.text.contains(&value.text) && value.text.len() > 1 {
                    continue;
                }
                let Some(context) = self.together(value.context, container.context) else { continue };
                let fields: BTreeSet<&String> = container
                    .all()
                    .flat_map(|list| list.as_array().into_iter().flatten())
                    .filter_map(Json::as_object)
                    .flat_map(|record| record.iter().filter(|(_, v)| v.is_string()).map(|(name, _)| name))
                    .collect();
                let forms = std::iter::once(container.text.clone())
                    .chain(fields.into_iter().map(|name| format!("[i[{}] for i in {}]", quoted(name), container.text)));
                pairs.push((value.text.clone(), value.context, container.text.clone(), context, forms.collect()));
            }
        }
        for (text, own, container, context, forms) in pairs {
            for form in forms {
                if self.boxes.contains(&(text.clone(), form.clone())) {
                    continue;
                }
                let whole = self.wrap(context, &format!("{text} in {form}"));
                if !self.is_so(&whole) {
                    continue;
                }
                self.boxes.push((text.clone(), form.clone()));
                self.add(whole, Sort::Member);
                self.note_choice(&text, own, context, &form);
                let item = match form.strip_prefix("[i[").and_then(|rest| rest.split_once(']')) {
                    Some((name, _)) if form != container => {
                        format!("next(i for i in {container} if i[{name}] == {text})")
                    }
                    _ => format!("{container}[{text}]"),
                };
                self.waiting.push_back((item, context, 2));
            }
        }
    }

    /// What an argument, an element of one or its field could have been.
    fn note_choice(&mut self, text: &str, own: usize, context: usize, form: &str) {
        let container_varies =
            own != context || self.contexts.get(context).is_some_and(|c| !c.clause.is_empty() && form.contains("== x"));
        let clause = self.contexts.get(context).map(|c| c.clause.clone()).unwrap_or_default();
        let choices = if own == 0 && !clause.is_empty()
            || !clause.is_empty() && (container_varies || form.contains("x)") || form.contains("[x"))
        {
            format!("[m {clause} for m in {form}]")
        } else {
            format!("list({form})")
        };
        let place = self.variables().iter().position(|name| name == text);
        let of_list = self.contexts.get(own).map(|c| c.lists.clone()).unwrap_or_default();
        let found = match (place, text) {
            (Some(at), _) => Some((at, None)),
            (None, "x") => of_list.first().map(|at| (*at, None)),
            (None, "y") => of_list.get(1).map(|at| (*at, None)),
            (None, text) => {
                let field = text
                    .strip_prefix("x['")
                    .and_then(|rest| rest.strip_suffix("']"))
                    .filter(|name| !name.contains('\''));
                of_list.first().zip(field).map(|(at, name)| (*at, Some(name.to_owned())))
            }
        };
        self.choices.extend(found.map(|(at, field)| (at, field, choices)));
    }

    /// Values that are always the same one or two; numbers above zero.
    fn constants(&mut self) {
        let mut found: Vec<(String, Sort)> = Vec::new();
        for value in self.values.iter().filter(|v| v.kinds & (LIST | TABLE) == 0) {
            let mut distinct: Vec<&Json> = Vec::new();
            for seen in value.all() {
                if !distinct.contains(&seen) && distinct.len() < 3 {
                    distinct.push(seen);
                }
            }
            let text = &value.text;
            let empty = distinct.iter().any(|v| v.as_str() == Some(""));
            if distinct.len() <= 2 && value.kinds != NUMBER && !empty {
                let body = match distinct.as_slice() {
                    [Json::Bool(true)] => text.clone(),
                    [Json::Null] => format!("{text} is None"),
                    [Json::String(only)] => self.refined(value, only),
                    [only] => format!("{text} == {}", Literal::from(*only)),
                    several => {
                        let all: Vec<String> = several.iter().map(|v| Literal::from(*v).to_string()).collect();
                        format!("{text} in ({})", all.join(", "))
                    }
                };
                let sort = if body == *text { Sort::Flag } else { Sort::Constant };
                found.push((self.wrap(value.context, &body), sort));
            }
            if value.kinds == NUMBER && value.depth == 0 {
                let least = value.all().filter_map(Json::as_f64).fold(f64::INFINITY, f64::min);
                let sign = if least > 0.0 { ">" } else { ">=" };
                if least >= 0.0 {
                    found.push((self.wrap(value.context, &format!("{text} {sign} 0")), Sort::Member));
                }
            }
        }
        found.into_iter().for_each(|(text, sort)| self.add(text, sort));
    }

    /// A text that a thing always has. Where other tools make it a longer one (`pending (item modified)`), that was not shown to be refused;
    /// what the tool itself makes it was: nobody does it twice.
    fn refined(&self, value: &Value, only: &str) -> String {
        let text = &value.text;
        let field = text.rsplit_once("['").and_then(|(_, name)| name.strip_suffix("']")).filter(|_| value.depth > 0);
        let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
        for (tool, result) in &self.ground.results {
            let made = field.and_then(|field| result.get(field)).and_then(Json::as_str);
            if let Some(made) =
                made.filter(|made| !only.is_empty() && made.len() > only.len() && made.starts_with(only))
            {
                if tool == self.tool {
                    own.insert(made)
                } else {
                    others.insert(made)
                };
            }
        }
        if others.difference(&own).next().is_none() {
            return format!("{text} == {}", quoted(only));
        }
        let but: String = own.iter().map(|made| format!(" and {text} != {}", quoted(made))).collect();
        format!("{text}.startswith({}){but}", quoted(only))
    }

    fn share_a_box(&self, one: &str, other: &str) -> bool {
        let of = |text: &str| {
            self.boxes
                .iter()
                .filter(move |(member, _)| member == text)
                .map(|(_, form)| form.clone())
                .collect::<BTreeSet<String>>()
        };
        of(one).intersection(&of(other)).next().is_some()
    }

    /// Pairs of values at each call: every combination of the one's and the other's, or element by element where they share a clause.
    fn pairs<'v>(one: &'v Value, other: &'v Value) -> impl Iterator<Item = (&'v Json, &'v Json)> {
        let together = one.context == other.context;
        one.seen.iter().zip(&other.seen).filter_map(|(a, b)| Some((a.as_ref()?, b.as_ref()?))).flat_map(
            move |(a, b)| {
                let zipped = a.iter().zip(b).filter(move |_| together);
                let crossed = a.iter().flat_map(move |a| b.iter().map(move |b| (a, b))).filter(move |_| !together);
                zipped.chain(crossed)
            },
        )
    }

    /// Equal, unequal and bounded values.
    fn relations(&mut self) {
        let scalar: Vec<&Value> = self.values.iter().filter(|v| v.kinds & (LIST | TABLE) == 0).collect();
        let argument = |text: &str| {
            self.variables().iter().any(|v| v == text) || matches!(text, "x" | "y") || text.starts_with("x['")
        };
        let length = |text: &str| text.strip_prefix("len(").and_then(|rest| rest.strip_suffix(')')).map(str::to_owned);
        let of_argument = |text: &str| length(text).is_some_and(|inside| self.variables().contains(&inside));
        let mut found: Vec<(String, Sort)> = Vec::new();
        for (at, one) in scalar.iter().enumerate() {
            for other in scalar.iter().skip(at + 1) {
                let Some(context) = self.together(one.context, other.context) else { continue };
                let kinds = one.kinds & !NOTHING;
                if kinds != other.kinds & !NOTHING || kinds.count_ones() != 1 {
                    continue;
                }
                let missing: Vec<&str> =
                    [one, other].iter().filter(|v| v.kinds & NOTHING != 0).map(|v| v.text.as_str()).collect();
                let (a, b) = (one.text.as_str(), other.text.as_str());
                let known = || Self::pairs(one, other).filter(|(x, y)| !x.is_null() && !y.is_null());
                let lengths = (length(a).is_some(), length(b).is_some());
                let any = known().next().is_some();
                if kinds == TEXT && missing.is_empty() && any {
                    let ways = argument(a) && argument(b) && one.context == other.context && one.context != 0;
                    if known().all(|(x, y)| x == y) && one.depth.min(other.depth) <= 1 {
                        found.push((self.wrap(context, &format!("{a} == {b}")), Sort::Equal));
                    } else if (ways || (argument(a) || argument(b)) && self.share_a_box(a, b))
                        && known().all(|(x, y)| x != y)
                    {
                        found.push((self.wrap(context, &format!("{a} != {b}")), Sort::Unequal));
                    }
                }
                if kinds != NUMBER || missing.len() > 1 || !any {
                    continue;
                }
                if lengths == (true, true) && missing.is_empty() {
                    if (of_argument(a) || of_argument(b)) && known().all(|(x, y)| x == y) {
                        found.push((self.wrap(context, &format!("{a} == {b}")), Sort::Equal));
                    }
                    continue;
                }
                let read = |text: &str, v: &Value| {
                    text.contains("self.") || self.contexts.get(v.context).is_some_and(|c| c.records)
                };
                let asked = argument(a) && read(b, other)
                    || argument(b) && read(a, one)
                    || of_argument(a) && read(b, other)
                    || of_argument(b) && read(a, one);
                let optional = a.contains(".get(") || b.contains(".get(");
                if !(asked || optional && one.depth.max(other.depth) > 1)
                    || lengths.0 && !of_argument(a)
                    || lengths.1 && !of_argument(b)
                {
                    continue;
                }
                let number = |v: &Json| v.as_f64().unwrap_or_default();
                let sign = if known().all(|(x, y)| number(x) <= number(y)) {
                    "<="
                } else if known().all(|(x, y)| number(x) >= number(y)) {
                    ">="
                } else {
                    continue;
                };
                let body = match missing.first() {
                    Some(missing) => format!("({missing} is None or {a} {sign} {b})"),
                    None => format!("{a} {sign} {b}"),
                };
                found.push((self.wrap(context, &body), Sort::Bound));
            }
        }
        found.into_iter().for_each(|(text, sort)| self.add(text, sort));
    }

    /// Sums over the elements of an argument that a value read bounds.
    fn sums(&mut self) {
        let numbers: Vec<&Value> = self
            .values
            .iter()
            .filter(|v| v.context != 0 && v.kinds == NUMBER && !self.contexts.get(v.context).is_some_and(|c| c.records))
            .collect();
        let mut sums: Vec<String> = Vec::new();
        for one in &numbers {
            let Some(context) = self.contexts.get(one.context) else { continue };
            sums.push(format!("sum({} {})", one.text, context.clause));
            let others = numbers
                .iter()
                .filter(|other| other.context == one.context && other.text != one.text && context.lists.len() == 2);
            sums.extend(others.map(|other| format!("sum({} - {} {})", one.text, other.text, context.clause)));
        }
        let optional = |v: &&Value| v.context == 0 && v.kinds == NUMBER | NOTHING && v.text.contains(".get(");
        let bounds: Vec<String> = self.values.iter().filter(optional).map(|v| v.text.clone()).collect();
        let mut found = Vec::new();
        for sum in &sums {
            for bound in &bounds {
                let text = format!("{bound} is None or {sum} <= {bound}");
                if self.is_so(&text) {
                    found.push(text);
                }
            }
        }
        found.into_iter().for_each(|text| self.add(text, Sort::Bound));
    }

    /// An argument that equals a value read, or is a thing of one kind.
    fn either(&mut self) {
        let of_call = |value: &Value| -> Vec<Option<Json>> {
            value.seen.iter().map(|seen| seen.as_ref().and_then(|seen| seen.first()).cloned()).collect()
        };
        let (least, all) = (self.cases.len() * 15 / 100, self.cases.len());
        let texts: Vec<&Value> = self.values.iter().filter(|v| v.context == 0 && v.kinds == TEXT).collect();
        let mut found = Vec::new();
        for argument in texts.iter().filter(|v| self.variables().contains(&v.text)) {
            for read in texts.iter().filter(|v| v.depth > 0 && self.share_a_box(&argument.text, &v.text)) {
                let (a, b) = (of_call(argument), of_call(read));
                let equal: Vec<bool> = a.iter().zip(&b).map(|(a, b)| a.is_some() && a == b).collect();
                let count = equal.iter().filter(|equal| **equal).count();
                if count < least.max(1) || count == all {
                    continue;
                }
                for kind in texts.iter().filter(|v| v.depth > 1 && v.text.contains(&format!("[{}]", argument.text))) {
                    let kinds = of_call(kind);
                    let rest: BTreeSet<String> = kinds
                        .iter()
                        .zip(&equal)
                        .filter(|(_, equal)| !**equal)
                        .map(|(kind, _)| kind.clone().unwrap_or_default().to_string())
                        .collect();
                    let only = rest
                        .iter()
                        .next()
                        .filter(|_| rest.len() == 1)
                        .and_then(|only| serde_json::from_str::<String>(only).ok());
                    let varies = kinds.iter().any(|kind| Some(kind) != kinds.first());
                    if let Some(only) = only.filter(|_| varies) {
                        found.push(format!("{} == {} or {} == {}", argument.text, read.text, kind.text, quoted(&only)));
                    }
                }
            }
        }
        found.into_iter().for_each(|text| self.add(text, Sort::Either));
    }

    fn next(&mut self, of: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as usize % of.max(1)
    }

    /// Whether it would be a rare chance that it held at every call: how often it holds where an argument is another.
    fn is_believed(&mut self, text: &str, sort: Sort, seen: usize) -> bool {
        if sort == Sort::Error {
            return true;
        }
        if seen < FEWEST {
            return false;
        }
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let named = |name: &str| {
            text.match_indices(name).any(|(at, _)| {
                !text.get(..at).is_some_and(|before| before.ends_with(word))
                    && !text.get(at + name.len()..).is_some_and(|after| after.starts_with(word))
            })
        };
        let places: Vec<usize> =
            (0..self.names.len()).filter(|at| self.variables().get(*at).is_some_and(|v| named(v))).collect();
        let Some(code) = Expression::compile(&format!("bool({text})"), self.function) else { return false };
        let (mut yes, mut no) = (0usize, 0usize);
        for _ in 0..OTHERS {
            let at = self.next(self.cases.len());
            let Some(case) = self.cases.get(at) else { continue };
            let place = self.next(places.len());
            let Some(place) = places.get(place) else { break };
            let args = self.other(&case.args, *place);
            match holds(&self.ground.all.state.value(&code, self.function, &args)) {
                Some(true) => yes += 1,
                Some(false) => no += 1,
                None => {}
            }
        }
        let share = (yes as f64 + 0.5) / (yes + no + 1) as f64;
        let evidence = -(seen as f64) * share.ln();
        // One or two words that an argument always is, again and again, are its choices.
        let choice = sort == Sort::Constant
            && no == 0
            && seen >= 10
            && self.variables().iter().any(|v| text.starts_with(&format!("{v} in (")));
        choice || evidence >= sort.least()
    }

    /// Arguments of which one is another: one that it could have been by what was read, or of another call.
    fn other(&mut self, args: &[Literal], place: usize) -> Vec<Literal> {
        let mut changed = args.to_vec();
        let (Some(given), Some(name)) = (args.get(place).cloned(), self.names.get(place).cloned()) else {
            return changed;
        };
        let elsewhere = {
            let at = self.next(self.cases.len());
            self.cases.get(at).and_then(|case| case.args.get(place)).cloned().unwrap_or(Literal::None)
        };
        let new = match &given {
            Literal::List(items) if !items.is_empty() => {
                if self.next(10) < 4 {
                    elsewhere
                } else {
                    let mut items = items.clone();
                    let at = self.next(items.len());
                    let other = match &elsewhere {
                        Literal::List(others) if !others.is_empty() => others.get(self.next(others.len())).cloned(),
                        _ => None,
                    };
                    if let Some(item) = items.get_mut(at) {
                        match item {
                            Literal::Dict(fields) if !fields.is_empty() => {
                                let number = self.next(fields.len());
                                if let Some((field, value)) = fields.get_mut(number) {
                                    let chosen = self.chosen(args, place, Some(field));
                                    let own = match &other {
                                        Some(Literal::Dict(fields)) => {
                                            fields.iter().find(|(name, _)| name == field).map(|(_, v)| v.clone())
                                        }
                                        _ => None,
                                    };
                                    *value = chosen.or(own).unwrap_or(Literal::None);
                                }
                            }
                            item => *item = self.chosen(args, place, None).or(other).unwrap_or(Literal::None),
                        }
                    }
                    Literal::List(items)
                }
            }
            _ => self.chosen(args, place, None).unwrap_or_else(|| {
                let size = self.ground.pools.get(&name).map_or(0, Vec::len);
                let at = self.next(size);
                self.ground.pools.get(&name).and_then(|pool| pool.get(at)).map_or(Literal::None, Literal::from)
            }),
        };
        if let Some(arg) = changed.get_mut(place) {
            *arg = new;
        }
        changed
    }

    /// One of what an argument could have been by what was read; not each time.
    fn chosen(&mut self, args: &[Literal], place: usize, field: Option<&String>) -> Option<Literal> {
        if self.next(10) >= 6 {
            return None;
        }
        let of: Vec<String> = self
            .choices
            .iter()
            .filter(|(at, own, _)| *at == place && own.as_ref() == field)
            .map(|(_, _, form)| form.clone())
            .collect();
        let mut all: Vec<Json> = Vec::new();
        for form in of {
            let code = Expression::compile(&form, self.function)?;
            if let Ok(Json::Array(values)) = self.ground.all.state.value(&code, self.function, args) {
                all.extend(values);
            }
        }
        let at = self.next(all.len());
        all.get(at).map(Literal::from)
    }
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
