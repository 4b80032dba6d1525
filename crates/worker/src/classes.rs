//! Names of a class that comprehensions and functions within it name: CPython does not find them there, the engine does.

use std::collections::HashSet;

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Comprehension, Expr, ExprContext, ExprName, Stmt};

/// A name that a class binds and that is looked up within it where CPython does not see it.
pub(crate) fn seen_in_class(body: &[Stmt]) -> Option<&ExprName> {
    let mut bound = Bound::default();
    bound.visit_body(body);
    let mut inner = Inner { bound: bound.names, inside: 0, own: Vec::new(), seen: None };
    inner.visit_body(body);
    inner.seen
}

/// What the class itself binds.
#[derive(Default)]
struct Bound<'a> {
    names: HashSet<&'a str>,
}

impl<'a> Visitor<'a> for Bound<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => drop(self.names.insert(&def.name)),
            Stmt::ClassDef(def) => drop(self.names.insert(&def.name)),
            _ => walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) if name.ctx == ExprContext::Store => drop(self.names.insert(&name.id)),
            Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) | Expr::Lambda(_) => {}
            _ => walk_expr(self, expr),
        }
    }
}

struct Inner<'a> {
    bound: HashSet<&'a str>,
    /// How many comprehensions and lambdas this is inside of.
    inside: usize,
    own: Vec<&'a str>,
    seen: Option<&'a ExprName>,
}

impl<'a> Inner<'a> {
    fn comprehension(&mut self, generators: &'a [Comprehension], elements: &[&'a Expr]) {
        let Some((first, rest)) = generators.split_first() else { return };
        self.visit_expr(&first.iter);
        let mut targets = Bound::default();
        generators.iter().for_each(|generator| targets.visit_expr(&generator.target));
        let before = self.own.len();
        self.own.extend(targets.names);
        self.inside += 1;
        first.ifs.iter().for_each(|test| self.visit_expr(test));
        for generator in rest {
            self.visit_expr(&generator.iter);
            generator.ifs.iter().for_each(|test| self.visit_expr(test));
        }
        elements.iter().for_each(|element| self.visit_expr(element));
        self.inside -= 1;
        self.own.truncate(before);
    }
}

impl<'a> Visitor<'a> for Inner<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        // Functions of a class are looked up in rightly; a class within is looked at by itself.
        if !matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            walk_stmt(self, stmt);
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => {
                let found = self.inside > 0 && self.bound.contains(name.id.as_str());
                if found && name.ctx == ExprContext::Load && !self.own.contains(&name.id.as_str()) {
                    self.seen.get_or_insert(name);
                }
            }
            Expr::ListComp(it) => self.comprehension(&it.generators, &[&it.elt]),
            Expr::SetComp(it) => self.comprehension(&it.generators, &[&it.elt]),
            Expr::Generator(it) => self.comprehension(&it.generators, &[&it.elt]),
            Expr::DictComp(it) => {
                let elements: Vec<&Expr> = it.key.as_deref().into_iter().chain([it.value.as_ref()]).collect();
                self.comprehension(&it.generators, &elements);
            }
            // A lambda's names are looked up as a method's are; only a comprehension is evaluated in the class.
            Expr::Lambda(_) if self.inside == 0 => {}
            _ => walk_expr(self, expr),
        }
    }
}
