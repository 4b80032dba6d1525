//! Effects: what an action changes, as a line of Python over the state's variables: an assignment or a change of membership, by itself or
//! behind an `if`. Compiled for one function, run on a state by [`Effect::change`], and held against what came of a call by
//! [`Effect::follows`]. A variable assigned to itself is left alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;
use serde_json::Value;

use super::assertion::{Assertion, Rejection, inspect_statement, rejected};
use super::call::Literal;
use super::engine::code::FunctionCode;
use super::engine::compile;
use super::engine::parse::{ParseFailure, with_module};
use super::specification::Function;
use super::state::{CheckResult, Expression, State};

/// Effects by action function.
pub type Effects = BTreeMap<String, Vec<Effect>>;

/// An effect of an action. Cheap to clone.
#[derive(Clone)]
pub struct Effect {
    text: Arc<str>,
    params: Arc<[usize]>,
    likely: bool,
    /// The condition of its `if`.
    guard: Option<Assertion>,
    /// What it does, the `if` aside.
    code: Arc<FunctionCode>,
    places: Arc<[Place]>,
}

/// A variable, or an item of one, that an effect is about.
struct Place {
    text: String,
    value: Expression,
    how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// It becomes exactly what is assigned.
    Becomes,
    /// Members come or go, or it is made of what it was.
    Changes,
    Stays,
}

/// What the states around a call say of an effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Followed {
    /// The condition of its `if` is not met before the call.
    NotDue,
    /// The state after the call is as it says.
    So {
        /// Whether it was not before.
        changed: bool,
    },
    /// It is not, in words.
    Not(String),
    /// It cannot be told, in words.
    Untold(String),
}

impl std::fmt::Debug for Effect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Effect {
    /// Changes a state as the effect of a function called with these arguments says. One that raises changes nothing.
    pub fn change(&self, state: &mut State, function: &Function, args: &[Literal]) -> CheckResult {
        match self.guard.as_ref().map(|guard| state.check(guard, function, args)) {
            None | Some(CheckResult::Holds) => state.keep_line(&self.code, function, args),
            Some(CheckResult::Raises { exception, .. }) if exception == "AssertionError" => CheckResult::Holds,
            Some(other) => other,
        }
    }

    /// Whether the state after a call is as the effect says of the state before it.
    pub fn follows(&self, before: &State, after: &State, function: &Function, args: &[Literal]) -> Followed {
        let told = |result: CheckResult| match result {
            CheckResult::Raises { exception, message } if message.is_empty() => {
                Followed::Not(format!("it raises {exception}"))
            }
            CheckResult::Raises { exception, message } => Followed::Not(format!("it raises {exception}: {message}")),
            CheckResult::Unsupported(what) => Followed::Untold(format!("the engine does not offer {what}")),
            CheckResult::Budget(what) => Followed::Untold(format!("it does not end within the {what} budget")),
            CheckResult::Holds => Followed::NotDue,
        };
        match self.guard.as_ref().map(|guard| before.check(guard, function, args)) {
            None | Some(CheckResult::Holds) => {}
            Some(CheckResult::Raises { exception, .. }) if exception == "AssertionError" => return Followed::NotDue,
            Some(other) => return told(other),
        }
        let mut predicted = before.clone();
        let ran = predicted.keep_line(&self.code, function, args);
        if !ran.holds() {
            return told(ran);
        }
        let mut again = None;
        let mut changes = false;
        for place in self.places.iter() {
            let read = |state: &State| state.value_and_image(&place.value, function, args).ok().unzip();
            let ((old, was), (new, is), (wanted, due)) = (read(before), read(after), read(&predicted));
            let not = |wanted: &Option<Value>, due: &Option<Value>| {
                let is_now = new.as_ref().map_or_else(|| "is not there".to_owned(), |new| format!("is {}", shown(new)));
                let wanted_is = wanted.as_ref().map_or_else(|| "gone".to_owned(), shown);
                Followed::Not(match (kind(is.as_ref()), kind(due.as_ref())) {
                    (Some(one), Some(other)) if new == *wanted => format!("{} is a {one}, not a {other}", place.text),
                    _ => format!("{} {is_now}, not {wanted_is}", place.text),
                })
            };
            let changed = was != due && (place.how != How::Changes || !is_same(old.as_ref(), wanted.as_ref()));
            changes |= changed;
            match place.how {
                How::Stays if was != is => return not(&old, &was),
                How::Becomes if due != is => return not(&wanted, &due),
                How::Stays | How::Becomes => {}
                How::Changes if changed && due == is => {}
                How::Changes if changed => {
                    if let Some(wrong) = missing(old.as_ref(), wanted.as_ref(), new.as_ref()) {
                        return Followed::Not(format!("{} {wrong}", place.text));
                    }
                }
                // What it says was so before: where it is so still, doing it once more changes nothing.
                How::Changes => {
                    let again = again.get_or_insert_with(|| {
                        let mut again = after.clone();
                        self.code_holds(&mut again, function, args).then_some(again)
                    });
                    if !again.as_ref().is_some_and(|again| is_same(read(again).0.as_ref(), new.as_ref())) {
                        return not(&wanted, &due);
                    }
                }
            }
        }
        Followed::So { changed: changes }
    }

    fn code_holds(&self, state: &mut State, function: &Function, args: &[Literal]) -> bool {
        state.keep_line(&self.code, function, args).holds()
    }

    /// The line that says that a variable stays as it is.
    pub fn stays(variable: &str) -> String {
        format!("{variable} = {variable}")
    }

    /// Whether a line has the form of an effect.
    pub fn is_one(line: &str) -> bool {
        let source = format!("def _():\n {line}\n");
        let form = with_module(&source, |module| match module.body.as_slice() {
            [Stmt::FunctionDef(def)] => matches!(def.body.as_slice(), [statement] if is_effect(statement, "self")),
            _ => false,
        });
        !line.contains(['\n', '\r']) && form.unwrap_or(false)
    }

    /// Accepts or rejects a text as an effect of a function.
    /// Errors: what is wrong with it, in the words and the order of an assertion's rejection.
    pub fn compile(text: &str, function: &Function) -> Result<Effect, Rejection> {
        let text = text.trim();
        if text.contains(['\n', '\r']) {
            return Err(Rejection::new("Form", "an effect is one line: write an `if` as `if condition: change`"));
        }
        let this = function.signature.names.first().map_or("self", |name| name);
        let source = format!("def _():\n {text}\n");
        let judged = with_module(&source, |module| {
            let [Stmt::FunctionDef(def)] = module.body.as_slice() else {
                return Err(Rejection::new("Form", FORM));
            };
            let [statement] = def.body.as_slice() else { return Err(Rejection::new("Form", FORM)) };
            if !is_effect(statement, this) {
                return Err(Rejection::new("Form", FORM));
            }
            inspect_statement(statement)?;
            let (guard, body) = match statement {
                Stmt::If(choice) => (Some(&*choice.test), choice.body.as_slice()),
                _ => (None, def.body.as_slice()),
            };
            let of = |expr: &dyn Ranged| {
                let range = expr.range();
                source.get(range.start().to_usize()..range.end().to_usize()).unwrap_or_default()
            };
            let guard = guard.map(|test| Assertion::compile(of(test))).transpose()?;
            let mut places = Vec::new();
            for (place, how) in body.iter().flat_map(|statement| about(statement, &of)) {
                let value = Expression::compile(place, function)
                    .ok_or_else(|| Rejection::new("Form", format!("`{place}` is no expression that can be read")))?;
                places.push(Place { text: place.to_owned(), value, how });
            }
            let code = compile::function_body(&source, body, "effect", &function.signature).map_err(rejected)?;
            Ok((guard, code, places))
        });
        let (guard, code, places) = match judged {
            Err(ParseFailure::Syntax(message, _)) => return Err(Rejection::new("SyntaxError", message)),
            Err(ParseFailure::TooLarge | ParseFailure::TooDeep) => {
                return Err(Rejection::new("Budget", "the text is too large"));
            }
            Ok(code) => code?,
        };
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let names = |param: &str| text.split(|c| !word(c)).any(|part| part == param.trim_start_matches('*'));
        let params = function.params.iter().enumerate().filter(|(_, param)| names(param)).map(|(at, _)| at).collect();
        Ok(Effect { text: text.into(), params, likely: false, guard, code: Arc::new(code), places: places.into() })
    }

    /// The same effect, as one that mostly follows.
    #[must_use]
    pub fn likely(self) -> Effect {
        Effect { likely: true, ..self }
    }

    /// Whether it mostly follows, with exceptions.
    pub fn is_likely(&self) -> bool {
        self.likely
    }

    /// The text as accepted.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The places of the parameters that it names.
    pub fn params(&self) -> &[usize] {
        &self.params
    }
}

pub(super) const FORM: &str =
    "an effect is one assignment or one change of membership of the state's variables, or an `if` with such";

fn is_effect(statement: &Stmt, this: &str) -> bool {
    match statement {
        Stmt::If(choice) => {
            choice.elif_else_clauses.is_empty() && choice.body.iter().all(|inner| is_change(inner, this))
        }
        other => is_change(other, this),
    }
}

fn is_change(statement: &Stmt, this: &str) -> bool {
    match statement {
        Stmt::Assign(assign) => assign.targets.iter().all(|target| is_variable(target, this)),
        Stmt::AugAssign(assign) => is_variable(&assign.target, this),
        Stmt::Expr(call) => match &*call.value {
            Expr::Call(call) => match &*call.func {
                Expr::Attribute(method) => is_variable(&method.value, this),
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

/// Whether an expression is a variable of the state, or an item of one.
fn is_variable(expr: &Expr, this: &str) -> bool {
    match expr {
        Expr::Attribute(attribute) => {
            is_variable(&attribute.value, this)
                || matches!(&*attribute.value, Expr::Name(name) if name.id.as_str() == this)
        }
        Expr::Subscript(item) => is_variable(&item.value, this),
        _ => false,
    }
}

/// The variables that a change is about, as they are written.
fn about<'a>(statement: &'a Stmt, of: &impl Fn(&dyn Ranged) -> &'a str) -> Vec<(&'a str, How)> {
    match statement {
        Stmt::Assign(assign) => {
            let value = of(&*assign.value);
            let how = |target: &str| match value.contains(target) {
                _ if value == target => How::Stays,
                true => How::Changes,
                false => How::Becomes,
            };
            assign.targets.iter().map(|target| of(target)).map(|target| (target, how(target))).collect()
        }
        Stmt::AugAssign(assign) => vec![(of(&*assign.target), How::Changes)],
        Stmt::Expr(call) => match &*call.value {
            Expr::Call(call) => match &*call.func {
                Expr::Attribute(method) => vec![(of(&*method.value), How::Changes)],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The kind of container that an image is of.
fn kind(image: Option<&Value>) -> Option<&str> {
    image?.as_array()?.first()?.as_str()
}

/// Whether two values are the same but for the order and the number of what is in them.
fn is_same(one: Option<&Value>, other: Option<&Value>) -> bool {
    match (one, other) {
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            one.iter().all(|item| other.contains(item)) && other.iter().all(|item| one.contains(item))
        }
        (one, other) => one == other,
    }
}

/// What is not as a change of members, or of items, says; `None` where all is.
fn missing(old: Option<&Value>, wanted: Option<&Value>, new: Option<&Value>) -> Option<String> {
    match (old, wanted, new) {
        (old, Some(Value::Array(wanted)), Some(Value::Array(new))) => {
            let old = old.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let absent = wanted.iter().find(|item| !old.contains(item) && !new.contains(item));
            let left = old.iter().find(|item| !wanted.contains(item) && new.contains(item));
            absent
                .map(|item| format!("lacks {}", shown(item)))
                .or(left.map(|item| format!("still has {}", shown(item))))
        }
        (Some(Value::Object(old)), Some(Value::Object(wanted)), Some(Value::Object(new))) => {
            let differs = |key: &&String| old.get(*key) != wanted.get(*key) && wanted.get(*key) != new.get(*key);
            let key = old.keys().chain(wanted.keys()).find(differs)?;
            let is = new.get(key).map_or_else(|| "not there".to_owned(), shown);
            Some(format!("at {key} is {is}, not {}", wanted.get(key).map_or_else(|| "gone".to_owned(), shown)))
        }
        (_, wanted, new) if wanted == new => None,
        (_, wanted, new) => {
            let words = |value: Option<&Value>| value.map_or_else(|| "not there".to_owned(), shown);
            Some(format!("is {}, not {}", words(new), words(wanted)))
        }
    }
}

/// A value in a line, as Python writes it where it is no container.
fn shown(value: &Value) -> String {
    const MOST: usize = 60;
    let text = match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::String(text) => Literal::Str(text.clone()).to_string(),
        other => other.to_string(),
    };
    if text.chars().count() <= MOST { text } else { text.chars().take(MOST - 1).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Specification;

    const SPEC: &str = "
SETUP = ['home = Home()', 'me = Person(home)']
ACTIONS = ['me.take']
OBSERVATIONS = []
class Home:
    def __init__(self):
        self.places = {'mug': 'shelf'}
class Person:
    def __init__(self, home):
        self.home = home
        self.held = ()
        self.near = set()
        self.last = None
    def take(self, obj, place):
        pass
";

    fn after(text: &str) -> Result<State, Rejection> {
        let specification = Specification::load(SPEC, "spec.py").unwrap();
        let function = specification.function("me", "take").unwrap();
        let effect = Effect::compile(text, function)?;
        let mut state = specification.start().unwrap();
        let args = [Literal::from("mug"), Literal::from("shelf")];
        assert!(matches!(effect.change(&mut state, function, &args), CheckResult::Holds), "{text}");
        Ok(state)
    }

    #[test]
    fn an_effect_changes_the_variables_it_names() {
        for (text, shown) in [
            ("self.held += (obj,)", "me.held == ('mug',)"),
            ("self.near.add(place)", "me.near == {'shelf'}"),
            ("self.last = obj", "me.last == 'mug'"),
            ("self.home.places[obj] = None", "home.places['mug'] is None"),
            ("self.home.places.pop(obj, None)", "home.places == {}"),
            ("self.held = tuple(x for x in self.held if x != obj)", "me.held == ()"),
            ("if self.last == None: self.last = place", "me.last == 'shelf'"),
            ("if obj in self.held: self.last = place", "me.last is None"),
        ] {
            assert_eq!(after(text).unwrap().evaluate(shown).unwrap().0, "True", "{text}");
        }
    }

    #[test]
    fn what_is_no_change_of_the_state_is_refused_with_a_reason() {
        for (text, reason) in [
            ("obj = 1", "Form"),
            ("assert self.held", "Form"),
            ("self.last = obj; self.held = ()", "Form"),
            ("while True: pass", "Form"),
            ("print(obj)", "Form"),
            ("self.last = eval(obj)", "Unsafe"),
            ("self.last = ", "SyntaxError"),
        ] {
            assert_eq!(after(text).unwrap_err().reason, reason, "{text}");
        }
    }

    /// What the states around `me.take('mug', 'shelf')` say, each made from the start by lines.
    fn followed(effect: &str, before: &[&str], after: &[&str]) -> Followed {
        let specification = Specification::load(SPEC, "spec.py").unwrap();
        let function = specification.function("me", "take").unwrap();
        let args = [Literal::from("mug"), Literal::from("shelf")];
        let state = |lines: &[&str]| {
            let mut state = specification.start().unwrap();
            for line in lines {
                assert!(Effect::compile(line, function).unwrap().change(&mut state, function, &args).holds(), "{line}");
            }
            state
        };
        Effect::compile(effect, function).unwrap().follows(&state(before), &state(after), function, &args)
    }

    #[test]
    fn the_state_after_is_as_an_effect_says_or_it_is_said_what_is_not() {
        let so = |changed| Followed::So { changed };
        let not = |words: &str| Followed::Not(words.to_owned());
        let have = "self.held += ('cup', obj)";
        for (effect, before, after, expected) in [
            ("self.last = obj", &[][..], &["self.last = 'mug'"][..], so(true)),
            ("self.last = obj", &["self.last = 'mug'"], &["self.last = 'mug'"], so(false)),
            ("self.last = obj", &[], &["self.last = place"], not("self.last is 'shelf', not 'mug'")),
            ("self.held += (obj,)", &[], &[have], so(true)),
            ("self.held += (obj,)", &[have], &[have], so(false)),
            ("self.held += (obj,)", &[have], &[], not("self.held is [], not [\"cup\",\"mug\",\"mug\"]")),
            ("self.held += (obj,)", &[], &["self.held += ('cup',)"], not("self.held lacks 'mug'")),
            ("self.held = tuple(x for x in self.held if x != obj)", &[have], &["self.held += ('cup',)"], so(true)),
            ("self.held = tuple(x for x in self.held if x != obj)", &[have], &[have], not("self.held still has 'mug'")),
            ("self.home.places.pop(obj, None)", &[], &["self.home.places.pop(obj, None)"], so(true)),
            ("self.home.places.pop(obj, None)", &[], &[], not("self.home.places at mug is 'shelf', not gone")),
            ("self.home.places[place] = obj", &[], &[], not("self.home.places[place] is not there, not 'mug'")),
            ("if self.last == place: self.last = obj", &[], &[], Followed::NotDue),
            ("if self.last == None: self.last = obj", &[], &["self.last = obj"], so(true)),
            ("self.last = self.last", &[], &["self.held += (obj,)"], so(false)),
            ("self.last = 1", &[], &["self.last = True"], so(true)),
            ("self.last = 1.0", &["self.last = True"], &["self.last = 1"], so(false)),
            ("self.last = True", &[], &["self.last = '1'"], not("self.last is '1', not True")),
            ("self.last = {1: (obj,)}", &[], &["self.last = {True: ('mug',)}"], so(true)),
            ("self.last = (obj,)", &[], &["self.last = ['mug']"], not("self.last is a list, not a tuple")),
            ("self.last = {obj}", &[], &["self.last = ['mug']"], not("self.last is a list, not a set")),
            ("self.last = self.last", &[], &["self.last = obj"], not("self.last is 'mug', not None")),
            ("self.home.places[place] += obj", &[], &[], not("it raises KeyError: 'shelf'")),
        ] {
            assert_eq!(followed(effect, before, after), expected, "{effect} {before:?} {after:?}");
        }
    }

    #[test]
    fn one_that_raises_changes_nothing() {
        let specification = Specification::load(SPEC, "spec.py").unwrap();
        let function = specification.function("me", "take").unwrap();
        let effect = Effect::compile("self.home.places[place] += obj", function).unwrap();
        let mut state = specification.start().unwrap();
        let before = state.fingerprint();
        let result = effect.change(&mut state, function, &[Literal::from("mug"), Literal::from("shelf")]);
        assert!(matches!(result, CheckResult::Raises { .. }));
        assert_eq!((state.fingerprint(), effect.params()), (before, &[0, 1][..]));
    }
}
