//! Statements: assignments to several places at once, `+=`, loops over them, and what `except` catches.

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{
    ExceptHandler, ExceptHandlerExceptHandler, Expr, Identifier, Operator, Stmt, StmtAssign, StmtAugAssign, StmtFor,
    StmtTry,
};
use ruff_text_size::{Ranged, TextRange, TextSize};

use stepwright_sandbox::FaultKind;

use super::{Rewriter, in_this_form};

/// What `except` may name without catching a gap of the engine's, where it does not look at what it caught.
const SAFE: &[&str] = &["IndexError", "ZeroDivisionError", "AssertionError", "StopIteration", "KeyError"];

impl Rewriter<'_> {
    /// The engine unpacks to names alone. CPython evaluates the right side, then unpacks, then assigns from left to right.
    pub(super) fn assign(&mut self, assign: &StmtAssign) {
        let Some(last) = assign.targets.last() else { return };
        if !assign.targets.iter().any(unpacks_to_places) {
            assign.targets.iter().for_each(|target| self.visit_expr(target));
            let unpacks = assign.targets.iter().any(|target| target.is_tuple_expr() || target.is_list_expr());
            return if unpacks { self.ordered(&assign.value) } else { self.visit_expr(&assign.value) };
        }
        let (pattern, stores) = if let [Expr::Tuple(_) | Expr::List(_)] = assign.targets.as_slice() {
            self.unpacked(last)
        } else {
            let value = self.keep();
            let stores = assign.targets.iter().flat_map(|target| self.stored(target, &value)).collect();
            (value, stores)
        };
        if !self.text(TextRange::new(last.end(), assign.value.start())).trim_start().starts_with('=') {
            return self.refuse(assign, in_this_form());
        }
        self.replace(TextRange::new(assign.start(), last.end()), pattern);
        self.ordered(&assign.value);
        for store in stores {
            self.insert(assign.end(), &format!("; {store}"));
        }
    }

    /// Names for the parts of a target, and what puts them where they belong.
    fn unpacked(&mut self, target: &Expr) -> (String, Vec<String>) {
        let parts = match target {
            Expr::Tuple(tuple) => tuple.elts.as_slice(),
            Expr::List(list) => list.elts.as_slice(),
            _ => &[],
        };
        let (mut pattern, mut stores) = ("(".to_owned(), Vec::new());
        for part in parts {
            let name = self.keep();
            let (star, place) = match part {
                Expr::Starred(starred) => ("*", starred.value.as_ref()),
                _ => ("", part),
            };
            pattern.push_str(&format!("{star}{name}, "));
            stores.extend(self.stored(place, &name));
        }
        (pattern.trim_end().to_owned() + ")", stores)
    }

    fn stored(&mut self, target: &Expr, value: &str) -> Vec<String> {
        if matches!(target, Expr::Tuple(_) | Expr::List(_)) {
            let (pattern, stores) = self.unpacked(target);
            std::iter::once(format!("{pattern} = {value}")).chain(stores).collect()
        } else {
            vec![format!("({}) = {value}", self.moved(target))]
        }
    }

    /// A list is extended by anything that has elements; the engine extends it by lists alone.
    /// `helper` looks at both sides.
    pub(super) fn add(&mut self, it: &StmtAugAssign, helper: &str) {
        let is_simple = matches!(it.value.as_ref(), Expr::NumberLiteral(_) | Expr::List(_) | Expr::ListComp(_));
        if is_simple && it.op == Operator::Add {
            self.visit_expr(&it.target);
            return self.visit_expr(&it.value);
        }
        if matches!(it.target.as_ref(), Expr::Subscript(s) if s.slice.is_slice_expr()) {
            return self.refuse(it, FaultKind::Unsupported("putting a list into a part of another".to_owned()));
        }
        let again = self.read_again(&it.target);
        self.insert(it.value.start(), &format!("{helper}({again}, "));
        self.around("", &it.value);
        self.insert(it.value.end(), ")");
    }

    /// Text that reads a place anew that is assigned to; what the place is made of is evaluated once.
    fn read_again(&mut self, target: &Expr) -> String {
        match target {
            _ if is_plain(target) => {
                let text = self.moved(target);
                self.replace(target.range(), text.clone());
                text
            }
            Expr::Attribute(a) => {
                let object = self.keep_in_place(&a.value);
                format!("{object}.{}", a.attr)
            }
            Expr::Subscript(s) => {
                let object = self.keep_in_place(&s.value);
                let index = self.keep_in_place(&s.slice);
                format!("{object}[{index}]")
            }
            _ => {
                self.refuse(target, in_this_form());
                String::new()
            }
        }
    }

    fn keep_in_place(&mut self, expr: &Expr) -> String {
        let name = self.keep();
        let bare = matches!(expr, Expr::Tuple(tuple) if !tuple.parenthesized);
        self.insert(expr.start(), &format!("({name} := {}", if bare { "(" } else { "" }));
        self.visit_expr(expr);
        self.insert(expr.end(), if bare { "))" } else { ")" });
        name
    }

    pub(super) fn for_each(&mut self, it: &StmtFor) {
        self.at_once.insert(it.iter.range());
        let stores = if matches!(it.target.as_ref(), Expr::Name(_)) || is_of_names(&it.target) {
            self.visit_expr(&it.target);
            Vec::new()
        } else {
            let name = self.keep();
            let stores = self.stored(&it.target, &name);
            self.replace(it.target.range(), name);
            stores
        };
        self.ordered(&it.iter);
        self.first_in(&it.body, &stores);
        self.visit_body(&it.body);
        self.visit_body(&it.orelse);
    }

    /// Puts statements before the first of a block.
    fn first_in(&mut self, body: &[Stmt], statements: &[String]) {
        let Some(first) = body.first().map(Ranged::start) else { return };
        let before = self.source.get(..first.to_usize()).unwrap_or_default();
        let indent = before.rsplit('\n').next().unwrap_or_default();
        let own_line = indent.trim().is_empty();
        for statement in statements {
            let text = if own_line { format!("{statement}\n{indent}") } else { format!("{statement}; ") };
            self.insert(first, &text);
        }
    }

    /// What the engine does not offer raises exceptions, too; whatever is caught is looked at.
    pub(super) fn attempt(&mut self, it: &StmtTry) {
        self.visit_body(&it.body);
        for ExceptHandler::ExceptHandler(handler) in &it.handlers {
            if let Some(caught) = &handler.type_ {
                self.visit_expr(caught);
            }
            let is_safe = |caught: &Expr| match caught {
                Expr::Tuple(all) => all.elts.iter().all(|one| self.is_named(one, SAFE)),
                one => self.is_named(one, SAFE),
            };
            let mut used = Used { name: handler.name.as_ref().map(Identifier::as_str), found: false };
            used.visit_body(&handler.body);
            if used.found || !handler.type_.as_deref().is_some_and(is_safe) {
                self.catch(handler, used.found);
            }
            self.visit_body(&handler.body);
        }
        self.visit_body(&it.orelse);
        self.visit_body(&it.finalbody);
    }

    fn catch(&mut self, handler: &ExceptHandlerExceptHandler, is_looked_at: bool) {
        self.is_helped = true;
        let name = match &handler.name {
            Some(name) => name.to_string(),
            None => {
                let head = handler.type_.as_deref().map_or(handler.start() + TextSize::of("except"), Ranged::end);
                let end = handler.body.first().map_or(handler.end(), Ranged::start);
                let between = self.text(TextRange::new(head, end));
                let colon =
                    between.find(':').filter(|at| between[..*at].chars().all(|c| c == ')' || c.is_whitespace()));
                let Some(Ok(colon)) = colon.map(TextSize::try_from) else {
                    return self.refuse(handler, in_this_form());
                };
                let what = if handler.type_.is_none() { " BaseException as __e__" } else { " as __e__" };
                self.insert(head + colon, what);
                "__e__".to_owned()
            }
        };
        let shown = if is_looked_at { "True" } else { "False" };
        self.first_in(&handler.body, &[format!("__caught__({name}, {shown})")]);
    }
}

/// Whether a name is looked at.
struct Used<'n> {
    name: Option<&'n str>,
    found: bool,
}

impl<'a> Visitor<'a> for Used<'_> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        self.found |= matches!(expr, Expr::Name(name) if Some(name.id.as_str()) == self.name);
        walk_expr(self, expr);
    }
}

/// Whether a target is several, not all of them names.
fn unpacks_to_places(target: &Expr) -> bool {
    matches!(target, Expr::Tuple(_) | Expr::List(_)) && !is_of_names(target)
}

fn is_of_names(target: &Expr) -> bool {
    match target {
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_of_names),
        Expr::List(list) => list.elts.iter().all(is_of_names),
        Expr::Starred(starred) => is_of_names(&starred.value),
        _ => target.is_name_expr(),
    }
}

/// Whether it may be evaluated twice.
fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Attribute(a) => is_plain(&a.value),
        Expr::Subscript(s) => is_plain(&s.value) && is_plain(&s.slice),
        Expr::Name(_) | Expr::StringLiteral(_) | Expr::NumberLiteral(_) => true,
        _ => false,
    }
}
