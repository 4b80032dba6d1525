//! A program's function with its variables opened: global, so that they outlive it where it fails, to be told and to be given to its
//! next version as further parameters.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{Visitor, walk_except_handler, walk_expr, walk_stmt};
use ruff_python_ast::{Comprehension, ExceptHandler, Expr, ExprContext, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;
use stepwright_program::parse::{position, with_module};

/// A program with the variables of a function opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Opened {
    pub(super) code: String,
    /// The line, from 1, that was added for that; 0 where the function is not to be opened.
    pub(super) added: usize,
    /// The function's variables in the order in which they come up, those that are parameters first, those that inner functions have of it
    /// last.
    pub(super) names: Vec<String>,
}

/// Opens the variables of the last function of that name. `own` are the names of its parameters that stay, `taken` those that mean
/// something else outside of it.
pub(super) fn opened(code: &str, function: &str, own: &[&str], taken: &BTreeSet<&str>) -> Opened {
    let found = with_module(code, |module| {
        let functions = module.body.iter().rev().filter_map(|statement| statement.as_function_def_stmt());
        functions.into_iter().find(|def| def.name.as_str() == function).and_then(|def| edited(code, def, own, taken))
    });
    found.ok().flatten().unwrap_or_else(|| Opened { code: code.to_owned(), ..Opened::default() })
}

fn edited(code: &str, def: &StmtFunctionDef, own: &[&str], taken: &BTreeSet<&str>) -> Option<Opened> {
    let parameters = &def.parameters;
    if !parameters.posonlyargs.is_empty()
        || !parameters.kwonlyargs.is_empty()
        || parameters.vararg.is_some()
        || parameters.kwarg.is_some()
    {
        return None;
    }
    let (stay, further): (Vec<_>, Vec<_>) = parameters.args.iter().partition(|p| own.contains(&p.name().as_str()));
    let first = def.body.first()?;
    let line = position(code, first.start().to_usize()).0;
    if line <= position(code, parameters.end().to_usize()).0 {
        return None;
    }
    let mut names = Names::default();
    names.visit_body(&def.body);
    let bound = names.order.into_iter().filter(|name| names.bound.contains(name) && !names.outer.contains(name));
    let parameters_first = further.iter().map(|p| p.name().as_str());
    let (captured, mut all): (Vec<&str>, Vec<&str>) =
        parameters_first.chain(bound).partition(|name| names.captured.contains(name));
    // Python has those of inner functions last, by their names.
    all.extend(captured.into_iter().collect::<BTreeSet<_>>());
    let mut variables: Vec<&str> = Vec::new();
    for name in all {
        if !own.contains(&name) && !taken.contains(name) && !variables.contains(&name) {
            variables.push(name);
        }
    }
    if variables.is_empty() {
        return None;
    }
    let mut statements = vec![format!("global {}", variables.join(", "))];
    // Values are found where they were, when the function is defined.
    let mut kept: Vec<String> =
        stay.iter().filter_map(|p| code.get(p.range().to_std_range())).map(str::to_owned).collect();
    for parameter in &further {
        // One that is given nothing, or means something else outside, stays as it is.
        let default = parameter.default.as_deref().filter(|_| !taken.contains(parameter.name().as_str()))?;
        let name = parameter.name();
        kept.push(format!("_given{name}={}", code.get(default.range().to_std_range())?));
        statements.push(format!("{name} = _given{name}"));
    }
    let at = code.get(..first.start().to_usize())?.rfind('\n')? + 1;
    let indent = code.get(at..first.start().to_usize())?;
    let between = code.get(parameters.end().to_usize()..at)?;
    let code = format!(
        "{}({}){between}{indent}{}\n{}",
        code.get(..parameters.start().to_usize())?,
        kept.join(", "),
        statements.join("; "),
        code.get(at..)?
    );
    Some(Opened { code, added: line, names: variables.into_iter().map(str::to_owned).collect() })
}

/// The names in a body as they come up while it runs, and those that it binds itself.
#[derive(Default)]
struct Names<'a> {
    order: Vec<&'a str>,
    bound: BTreeSet<&'a str>,
    /// Those that it says are bound outside.
    outer: BTreeSet<&'a str>,
    /// Those that inner functions have from outside of them.
    captured: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    fn bind(&mut self, name: &'a str) {
        self.order.push(name);
        self.bound.insert(name);
    }

    /// Takes in the names of an inner function.
    fn close(&mut self, inner: Names<'a>) {
        let Names { order, bound, outer, captured } = inner;
        let from_outside = |name: &&str| !bound.contains(name) || outer.contains(name);
        self.captured.extend(order.into_iter().chain(captured).filter(from_outside));
    }

    /// A comprehension is a function that is given what its first part walks through.
    fn comprehension(&mut self, parts: &'a [Comprehension], values: &[&'a Expr]) {
        let mut inner = Names::default();
        for (at, part) in parts.iter().enumerate() {
            if at == 0 {
                self.visit_expr(&part.iter)
            } else {
                inner.visit_expr(&part.iter)
            }
            inner.visit_expr(&part.target);
            part.ifs.iter().for_each(|condition| inner.visit_expr(condition));
        }
        values.iter().for_each(|value| inner.visit_expr(value));
        self.close(inner);
    }
}

impl<'a> Visitor<'a> for Names<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            // Their own variables are no variables of this body.
            Stmt::FunctionDef(def) => {
                self.bind(def.name.as_str());
                let mut inner = Names::default();
                def.parameters.iter().for_each(|parameter| inner.bind(parameter.name().as_str()));
                inner.visit_body(&def.body);
                self.close(inner);
            }
            Stmt::ClassDef(def) => self.bind(def.name.as_str()),
            Stmt::Global(it) => self.outer.extend(it.names.iter().map(|name| name.as_str())),
            Stmt::Nonlocal(it) => self.outer.extend(it.names.iter().map(|name| name.as_str())),
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Lambda(it) => {
                let mut inner = Names::default();
                let parameters = it.parameters.iter().flat_map(|parameters| parameters.iter());
                parameters.for_each(|parameter| inner.bind(parameter.name().as_str()));
                inner.visit_expr(&it.body);
                self.close(inner);
            }
            Expr::ListComp(it) => self.comprehension(&it.generators, &[&it.elt]),
            Expr::SetComp(it) => self.comprehension(&it.generators, &[&it.elt]),
            Expr::Generator(it) => self.comprehension(&it.generators, &[&it.elt]),
            Expr::DictComp(it) => {
                let values: Vec<&Expr> = it.key.as_deref().into_iter().chain([&*it.value]).collect();
                self.comprehension(&it.generators, &values);
            }
            Expr::Name(name) if name.ctx == ExprContext::Load => self.order.push(name.id.as_str()),
            Expr::Name(name) => self.bind(name.id.as_str()),
            _ => walk_expr(self, expression),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(it) = handler;
        if let Some(name) = &it.name {
            self.outer.insert(name.as_str());
        }
        walk_except_handler(self, handler);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(code: &str) -> Opened {
        opened(code, "solution", &["agent", "start_from"], &BTreeSet::from(["act", "found"]))
    }

    #[test]
    fn variables_are_opened_in_the_order_they_come_up() {
        let code = "def solution(agent, start_from=1):\n    # Plan.\n    if start_from <= 1:\n        seen, found = agent.do('x'), 1\n    \
                    for place in [q for q in seen]:\n        last = place\n    def helper(a):\n        b = a\n";
        let it = open(code);
        assert_eq!(it.names, ["seen", "place", "last", "helper"], "neither what is taken nor what is of another body");
        assert_eq!(it.added, 3);
        let lines: Vec<&str> = it.code.lines().collect();
        assert_eq!(lines[2], "    global seen, place, last, helper");
        let rest: Vec<&str> = lines.iter().enumerate().filter(|(at, _)| *at != 2).map(|(_, line)| *line).collect();
        assert_eq!(rest.join("\n"), code.trim_end(), "all else is as it was");
    }

    #[test]
    fn further_parameters_become_variables_with_their_values() {
        let code = "def solution(agent, start_from, seen=\"a (b), c\", places=['x', 'y']):\n    if start_from <= 2:\n        kind = seen\n";
        let it = open(code);
        assert_eq!(it.names, ["seen", "places", "kind"]);
        let lines: Vec<&str> = it.code.lines().collect();
        assert_eq!(lines[0], "def solution(agent, start_from, _givenseen=\"a (b), c\", _givenplaces=['x', 'y']):");
        assert_eq!(lines[1], "    global seen, places, kind; seen = _givenseen; places = _givenplaces");
    }

    #[test]
    fn what_inner_functions_have_of_it_comes_last() {
        let code = "def solution(agent, start_from, a=1):\n    word, b = 'x', [q for q in a if q == word]\n    def inner(c):\n        d = a\n        \
                    return lambda e: c + e + z\n    z = last = {k: v for k, v in b}\n";
        assert_eq!(open(code).names, ["b", "inner", "last", "a", "word", "z"]);
    }

    #[test]
    fn what_cannot_be_opened_stays_as_it_is() {
        for code in [
            "x = 1", "def solution(agent): x = 1", "def solution(*all):\n    x = 1", "def solution(agent):\n    pass",
            "def (",
        ] {
            assert_eq!(open(code), Opened { code: code.to_owned(), ..Opened::default() }, "{code}");
        }
    }
}
