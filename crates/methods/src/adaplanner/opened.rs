//! A program's function with its variables opened: global, so that they outlive it where it fails, to be told and to be given to its
//! next version as further parameters.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::{Visitor, walk_except_handler, walk_expr, walk_stmt};
use ruff_python_ast::{
    Alias, Comprehension, ExceptHandler, Expr, ExprContext, Identifier, Stmt, StmtFunctionDef, StmtImport,
    StmtImportFrom,
};
use ruff_text_size::{Ranged, TextRange};
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
    /// Those that have another name now, since theirs means something before they are assigned to.
    renamed: BTreeSet<String>,
}

impl Opened {
    /// What a variable is called as a global one.
    pub(super) fn global(&self, name: &str) -> String {
        if self.renamed.contains(name) { renamed(name) } else { name.to_owned() }
    }
}

fn renamed(name: &str) -> String {
    format!("_own_{name}")
}

/// What a name means outside of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    None,
    /// Something that nothing outside needs any more: the function's variable gets another name, so that it is nothing where it was not
    /// assigned to.
    Other,
    /// What the code around needs: it cannot be opened.
    Needed,
}

type Meanings<'m> = &'m dyn Fn(&str) -> Meaning;

/// Opens the variables of the last function of that name. `own` are the names of its parameters that stay.
pub(super) fn opened(code: &str, function: &str, own: &[&str], meanings: Meanings<'_>) -> Opened {
    let found = with_module(code, |module| {
        let functions = module.body.iter().rev().filter_map(|statement| statement.as_function_def_stmt());
        functions.into_iter().find(|def| def.name.as_str() == function).and_then(|def| edited(code, def, own, meanings))
    });
    found.ok().flatten().unwrap_or_else(|| Opened { code: code.to_owned(), ..Opened::default() })
}

fn edited(code: &str, def: &StmtFunctionDef, own: &[&str], meanings: Meanings<'_>) -> Option<Opened> {
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
    let (own_names, order) = (names.bound.difference(&names.outer).copied().collect::<BTreeSet<_>>(), names.order);
    let bound = order.into_iter().filter(|name| own_names.contains(name));
    let parameters_first = further.iter().map(|p| p.name().as_str());
    let (captured, mut all): (Vec<&str>, Vec<&str>) =
        parameters_first.chain(bound).partition(|name| names.captured.contains(name));
    // Python has those of inner functions last, by their names.
    all.extend(captured.into_iter().collect::<BTreeSet<_>>());
    let mut variables: Vec<&str> = Vec::new();
    for name in all {
        if !own.contains(&name) && meanings(name) != Meaning::Needed && !variables.contains(&name) {
            variables.push(name);
        }
    }
    if variables.is_empty() {
        return None;
    }
    let mut opened = Opened { names: variables.iter().map(|name| (*name).to_owned()).collect(), ..Opened::default() };
    let others = variables.iter().filter(|name| meanings(name) == Meaning::Other);
    opened.renamed = others.map(|name| (*name).to_owned()).collect();
    let globals: Vec<String> = variables.iter().map(|name| opened.global(name)).collect();
    let mut statements = vec![format!("global {}", globals.join(", "))];
    // Values are found where they were, when the function is defined.
    let mut kept: Vec<String> =
        stay.iter().filter_map(|p| code.get(p.range().to_std_range())).map(str::to_owned).collect();
    for parameter in &further {
        // One that is given nothing, or means something else outside, stays as it is.
        let default =
            parameter.default.as_deref().filter(|_| meanings(parameter.name().as_str()) != Meaning::Needed)?;
        let name = parameter.name();
        kept.push(format!("_given{name}={}", code.get(default.range().to_std_range())?));
        // In brackets: behind a semicolon the parser takes `match` and `type` for words of the language.
        statements.push(format!("({}) = _given{name}", opened.global(name)));
    }
    let at = code.get(..first.start().to_usize())?.rfind('\n')? + 1;
    let indent = code.get(at..first.start().to_usize())?;
    let between = code.get(parameters.end().to_usize()..at)?;
    let mut inner = Inner { opened: &opened, functions: Vec::new(), edits: Vec::new() };
    inner.visit_body(&def.body);
    // Names are visited in the order in which they are evaluated.
    inner.edits.sort();
    let (mut body, mut from) = (String::new(), at);
    for (start, end, text) in inner.edits {
        body.extend([code.get(from..start)?, &text]);
        from = end;
    }
    opened.code = format!(
        "{}({}){between}{indent}{}\n{body}{}",
        code.get(..parameters.start().to_usize())?,
        kept.join(", "),
        statements.join("; "),
        code.get(from..)?
    );
    opened.added = line;
    Some(opened)
}

/// Edits of a body: where inner functions say that a variable is the opened function's it is global now, and some have other names.
struct Inner<'o, 'a> {
    opened: &'o Opened,
    /// The names that the functions around a place bind, the innermost last.
    functions: Vec<BTreeSet<&'a str>>,
    edits: Vec<(usize, usize, String)>,
}

impl Inner<'_, '_> {
    fn is_of_inner(&self, name: &str) -> bool {
        self.functions.iter().any(|function| function.contains(name))
    }

    fn is_renamed(&self, name: &str) -> bool {
        self.opened.renamed.contains(name) && !self.is_of_inner(name)
    }

    fn rename_import(&mut self, name: &Identifier) {
        if self.is_renamed(name.as_str()) {
            let end = name.range.end().to_usize();
            self.edits.push((end, end, format!(" as {}", renamed(name.as_str()))));
        }
    }

    fn rename(&mut self, name: &str, range: TextRange) {
        if self.is_renamed(name) {
            self.edits.push((range.start().to_usize(), range.end().to_usize(), renamed(name)));
        }
    }
}

impl<'a> Visitor<'a> for Inner<'_, 'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(def) => {
                self.rename(def.name.as_str(), def.name.range);
                let mut names = Names::default();
                def.parameters.iter().for_each(|parameter| names.bind(parameter.name().as_str()));
                names.visit_body(&def.body);
                self.functions.push(names.own());
                walk_stmt(self, statement);
                self.functions.pop();
            }
            Stmt::Nonlocal(it) => {
                // The function itself binds none that it says is not its own.
                let is_opened =
                    |name: &&str| self.opened.names.iter().any(|opened| opened == name) && !self.is_of_inner(name);
                let names = it.names.iter().map(|name| name.as_str());
                let (global, rest): (Vec<&str>, Vec<&str>) = names.partition(is_opened);
                let said = |what: &str, names: Vec<String>| {
                    (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
                };
                let global = global.iter().map(|name| self.opened.global(name)).collect();
                let rest = rest.into_iter().map(str::to_owned).collect();
                let both = [said("global", global), said("nonlocal", rest)];
                let text = both.into_iter().flatten().collect::<Vec<_>>().join("; ");
                self.edits.push((statement.start().to_usize(), statement.end().to_usize(), text));
            }
            Stmt::Import(StmtImport { names, .. }) | Stmt::ImportFrom(StmtImportFrom { names, .. }) => {
                for alias in names {
                    match &alias.asname {
                        Some(name) => self.rename(name.as_str(), name.range),
                        None => self.rename_import(&alias.name),
                    }
                }
            }
            Stmt::ClassDef(def) => {
                self.rename(def.name.as_str(), def.name.range);
                walk_stmt(self, statement);
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) => self.rename(name.id.as_str(), name.range),
            Expr::Lambda(it) => {
                let parameters = it.parameters.iter().flat_map(|parameters| parameters.iter());
                self.functions.push(parameters.map(|parameter| parameter.name().as_str()).collect());
                walk_expr(self, expression);
                self.functions.pop();
            }
            _ => walk_expr(self, expression),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(it) = handler;
        if let Some(name) = &it.name {
            self.rename(name.as_str(), name.range);
        }
        walk_except_handler(self, handler);
    }
}

/// The names in a body as they come up while it runs, and those that it binds itself.
#[derive(Default)]
struct Names<'a> {
    order: Vec<&'a str>,
    bound: BTreeSet<&'a str>,
    /// Those of what is caught. Each is gone behind its handler: where nothing else binds it there is nothing to tell.
    caught: BTreeSet<&'a str>,
    /// Those that it says are bound outside.
    outer: BTreeSet<&'a str>,
    /// Those that inner functions have from outside of them.
    captured: BTreeSet<&'a str>,
    /// Those that it names by `:=`.
    named: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    fn bind(&mut self, name: &'a str) {
        self.order.push(name);
        self.bound.insert(name);
    }

    fn import(&mut self, names: &'a [Alias]) {
        // `*` is no name.
        for alias in names.iter().filter(|alias| alias.name.as_str() != "*") {
            let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
            // Of `import a.b` it is the first part.
            let name = name.split('.').next().unwrap_or(name);
            self.bind(name);
        }
    }

    /// Those that are nothing outside of it.
    fn own(&self) -> BTreeSet<&'a str> {
        self.bound.union(&self.caught).filter(|name| !self.outer.contains(*name)).copied().collect()
    }

    /// Takes in the names of an inner function.
    fn close(&mut self, inner: Names<'a>) {
        let own = inner.own();
        self.captured.extend(inner.order.into_iter().chain(inner.captured).filter(|name| !own.contains(name)));
    }

    /// A comprehension is a function that is given what its first part walks through. What it names by `:=` is of the function around.
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
        for name in std::mem::take(&mut inner.named) {
            inner.outer.insert(name);
            self.named.insert(name);
            self.bind(name);
        }
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
            // The worker makes an assignment of it.
            Stmt::Import(it) => self.import(&it.names),
            Stmt::ImportFrom(it) => self.import(&it.names),
            Stmt::Global(it) => self.outer.extend(it.names.iter().map(|name| name.as_str())),
            Stmt::Nonlocal(it) => {
                self.order.extend(it.names.iter().map(|name| name.as_str()));
                self.outer.extend(it.names.iter().map(|name| name.as_str()));
            }
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
            Expr::Named(it) => {
                self.named.extend(it.target.as_name_expr().map(|name| name.id.as_str()));
                walk_expr(self, expression);
            }
            Expr::Name(name) if name.ctx == ExprContext::Load => self.order.push(name.id.as_str()),
            Expr::Name(name) => self.bind(name.id.as_str()),
            _ => walk_expr(self, expression),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(it) = handler;
        if let Some(name) = &it.name {
            self.order.push(name.as_str());
            self.caught.insert(name.as_str());
        }
        walk_except_handler(self, handler);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(code: &str) -> Opened {
        opened(code, "solution", &["agent", "start_from"], &|name| match name {
            "_act" => Meaning::Needed,
            "list" | "re" | "search" => Meaning::Other,
            _ => Meaning::None,
        })
    }

    #[test]
    fn variables_are_opened_in_the_order_they_come_up() {
        let code = "def solution(agent, start_from=1):\n    # Plan.\n    if start_from <= 1:\n        seen, _act = agent.do('x'), 1\n    \
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
        assert_eq!(lines[1], "    global seen, places, kind; (seen) = _givenseen; (places) = _givenplaces");
    }

    #[test]
    fn what_inner_functions_have_of_it_comes_last() {
        let code = "def solution(agent, start_from, a=1):\n    word, b = 'x', [q for q in a if q == word]\n    def inner(c):\n        d = a\n        \
                    return lambda e: c + e + z\n    z = last = {k: v for k, v in b}\n";
        assert_eq!(open(code).names, ["b", "inner", "last", "a", "word", "z"]);
    }

    #[test]
    fn what_inner_functions_say_is_its_own_is_global() {
        let code = "def solution(agent):\n    c = d = 0\n    def inner():\n        e = 1\n        nonlocal c, d\n        \
                    def last(d):\n            def very():\n                nonlocal c, d, e; c = 2\n";
        let it = open(code);
        let lines: Vec<&str> = it.code.lines().map(str::trim).collect();
        assert_eq!(lines[1], "global inner, c, d");
        assert_eq!((lines[5], lines[8]), ("global c, d", "global c; nonlocal d, e; c = 2"), "{}", it.code);
        assert_eq!(it.code.lines().count(), code.lines().count() + 1);
    }

    #[test]
    fn a_variable_whose_name_means_something_before_has_another() {
        let code = "def solution(agent, list=[]):\n    list = [search for search in f(list, search=1)] + [list]\n    if agent:\n        \
                    search = lambda search: (search, list)\n    def inner(list):\n        nonlocal search; search = f'{list} {search}'\n";
        let it = open(code);
        assert_eq!(it.names, ["inner", "list", "search"]);
        assert_eq!((it.global("list").as_str(), it.global("inner").as_str()), ("_own_list", "inner"));
        let lines: Vec<&str> = it.code.lines().map(str::trim).collect();
        assert_eq!(
            lines[..2],
            ["def solution(agent, _givenlist=[]):", "global inner, _own_list, _own_search; (_own_list) = _givenlist"]
        );
        let own = "_own_list = [_own_search for _own_search in f(_own_list, search=1)] + [_own_list]";
        assert_eq!(lines[2], own);
        assert_eq!(lines[4], "_own_search = lambda search: (search, _own_list)");
        assert_eq!(lines[6], "global _own_search; _own_search = f'{list} {_own_search}'");
    }

    #[test]
    fn a_variable_may_be_called_as_a_word_of_the_language() {
        let it = open("def solution(agent, start_from, match=['a'], type=1):\n    match = type\n");
        assert_eq!(it.names, ["match", "type"]);
        assert!(with_module(&it.code, |_| ()).is_ok(), "{}", it.code);
    }

    #[test]
    fn what_is_caught_is_a_variable_where_something_else_binds_it() {
        let caught = "    try:\n        f()\n    except ValueError as e:\n        g(e)\n";
        let names = |rest: &str| open(&format!("def solution(agent):\n    a = 1\n{caught}{rest}")).names;
        assert_eq!(names(""), ["a"]);
        assert_eq!(names("    b = 1\n    for e in a:\n        pass\n"), ["a", "e", "b"]);
        assert_eq!(names("    def inner():\n        return e\n    e = 5\n"), ["a", "inner", "e"]);
        let known =
            open("def solution(agent, list=1):\n    try:\n        f()\n    except E as list:\n        g(list)\n");
        assert!(known.code.contains("except E as _own_list:\n        g(_own_list)"), "{}", known.code);
    }

    #[test]
    fn what_a_comprehension_names_is_the_functions() {
        let it = open(
            "def solution(agent):\n    a = [last := r for r in agent if [b := r for q in r]]\n    lambda: (c := 1)\n",
        );
        assert_eq!(it.names, ["a", "b", "last"]);
    }

    #[test]
    fn imports_bind_names() {
        let it = open("def solution(agent):\n    import re, a.b as c, d.e\n    from f import g as h, i\n    k = 1");
        assert_eq!(it.names, ["re", "c", "d", "h", "i", "k"]);
        let known = open("def solution(agent):\n    import re, a as list\n    from b import search\n    re.x");
        let lines: Vec<&str> = known.code.lines().skip(2).map(str::trim).collect();
        assert_eq!(lines, ["import re as _own_re, a as _own_list", "from b import search as _own_search", "_own_re.x"]);
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
