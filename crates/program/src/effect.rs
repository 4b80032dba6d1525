//! Effects: what an action changes, as a line of Python over the state's variables: an assignment or a change of membership, by itself or
//! behind an `if`. Compiled for one function, and run on a state by [`Effect::change`].

use std::collections::BTreeMap;
use std::sync::Arc;

use ruff_python_ast::{Expr, Stmt};

use super::assertion::{Rejection, inspect_statement, rejected};
use super::call::Literal;
use super::engine::code::FunctionCode;
use super::engine::compile;
use super::engine::parse::{ParseFailure, with_module};
use super::specification::Function;
use super::state::{CheckResult, State};

/// Effects by action function.
pub type Effects = BTreeMap<String, Vec<Effect>>;

/// An effect of an action. Cheap to clone.
#[derive(Clone)]
pub struct Effect {
    text: Arc<str>,
    params: Arc<[usize]>,
    likely: bool,
    code: Arc<FunctionCode>,
}

impl std::fmt::Debug for Effect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Effect {
    /// Changes a state as the effect of a function called with these arguments says. One that raises changes nothing.
    pub fn change(&self, state: &mut State, function: &Function, args: &[Literal]) -> CheckResult {
        state.keep_line(&self.code, function, args)
    }

    /// Accepts or rejects a text as an effect of a function.
    /// Errors: what is wrong with it, in the words and the order of an assertion's rejection.
    pub fn compile(text: &str, function: &Function) -> Result<Effect, Rejection> {
        let text = text.trim();
        if text.contains(['\n', '\r']) {
            return Err(Rejection::new("Form", "an effect is one line"));
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
            compile::function_body(&source, &def.body, "effect", &function.signature).map_err(rejected)
        });
        let code = match judged {
            Err(ParseFailure::Syntax(message, _)) => return Err(Rejection::new("SyntaxError", message)),
            Err(ParseFailure::TooLarge | ParseFailure::TooDeep) => {
                return Err(Rejection::new("Budget", "the text is too large"));
            }
            Ok(code) => code?,
        };
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let names = |param: &str| text.split(|c| !word(c)).any(|part| part == param.trim_start_matches('*'));
        let params = function.params.iter().enumerate().filter(|(_, param)| names(param)).map(|(at, _)| at).collect();
        Ok(Effect { text: text.into(), params, likely: false, code: Arc::new(code) })
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

const FORM: &str =
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
