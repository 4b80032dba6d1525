//! Screening of code before it runs: what no code may say, what would be answered wrongly, and which names it binds.

use std::collections::HashSet;

use ruff_python_ast::name::Name;
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::{Visitor, walk_except_handler, walk_expr, walk_parameter, walk_pattern, walk_stmt};
use ruff_python_ast::{ExceptHandler, Expr, ExprContext, ModModule, Parameter, Pattern, Stmt};
use ruff_python_parser::Parsed;
use ruff_text_size::Ranged;

use stepwright_program::parse::position;
use stepwright_sandbox::{Bound, Fault, FaultKind};

/// How deep code may nest; the engine's own passes recurse over it.
const DEEPEST: usize = 100;

/// Names the code binds itself, so that they do not mean what they mean elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Own {
    /// Variables, functions, classes, parameters.
    pub(crate) names: HashSet<Name>,
    pub(crate) attributes: HashSet<Name>,
}

/// Looks at parsed code; its first `own` bytes are this program's and may say what they like.
pub(crate) fn screen(source: &str, parsed: &Parsed<ModModule>, own: usize) -> Result<Own, Fault> {
    forbidden(source, parsed, own)?;
    let mut look = Look::default();
    look.visit_body(&parsed.syntax().body);
    if let Some((offset, kind)) = look.refused {
        return Err(Fault::at(line_of(source, offset), kind));
    }
    Ok(look.own)
}

/// The line of an offset, from 1.
pub(crate) fn line_of(source: &str, offset: usize) -> u32 {
    u32::try_from(position(source, offset).0).unwrap_or(u32::MAX)
}

/// Statler's own execution refuses code that holds `import` or `__` anywhere; here what a text or a comment says is free.
fn forbidden(source: &str, parsed: &Parsed<ModModule>, own: usize) -> Result<(), Fault> {
    for token in parsed.tokens().iter().filter(|token| token.range().start().to_usize() >= own) {
        let text = source.get(token.range().to_std_range()).unwrap_or_default();
        let what = match token.kind() {
            TokenKind::Import => "import".to_owned(),
            TokenKind::Name if text.contains("__") => format!("the name `{text:.60}`, because of its two underscores"),
            _ => continue,
        };
        return Err(Fault::at(line_of(source, token.range().start().to_usize()), FaultKind::Forbidden(what)));
    }
    Ok(())
}

#[derive(Default)]
struct Look {
    own: Own,
    depth: usize,
    classes: usize,
    refused: Option<(usize, FaultKind)>,
}

impl Look {
    fn bind(&mut self, name: &Name) {
        self.own.names.insert(name.clone());
        if self.classes > 0 {
            self.own.attributes.insert(name.clone());
        }
    }

    fn enter(&mut self, node: &impl Ranged) -> bool {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.refuse(node, FaultKind::Limit(Bound::Depth));
        }
        self.depth <= DEEPEST
    }

    fn refuse(&mut self, node: &impl Ranged, kind: FaultKind) {
        self.refused.get_or_insert((node.start().to_usize(), kind));
    }
}

impl<'a> Visitor<'a> for Look {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        if self.enter(stmt) {
            match stmt {
                Stmt::FunctionDef(def) => self.bind(&def.name.id),
                Stmt::ClassDef(def) => self.bind(&def.name.id),
                _ => {}
            }
            let class = usize::from(matches!(stmt, Stmt::ClassDef(_)));
            self.classes += class;
            walk_stmt(self, stmt);
            self.classes -= class;
        }
        self.depth -= 1;
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if self.enter(expr) {
            match expr {
                Expr::Name(name) if name.ctx != ExprContext::Load => self.bind(&name.id),
                Expr::Attribute(a) if a.ctx != ExprContext::Load => {
                    self.own.attributes.insert(a.attr.id.clone());
                }
                // The engine would say that a text has no `upper`.
                Expr::Name(name) if matches!(name.id.as_str(), "hasattr" | "getattr") => {
                    self.refuse(name, FaultKind::Unsupported(format!("`{}`", name.id)));
                }
                _ => {}
            }
            walk_expr(self, expr);
        }
        self.depth -= 1;
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.own.names.insert(parameter.name.id.clone());
        walk_parameter(self, parameter);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(it) = handler;
        if let Some(name) = &it.name {
            self.bind(&name.id);
        }
        walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        // The engine refuses `match` as a whole; only its depth matters here.
        if self.enter(pattern) {
            walk_pattern(self, pattern);
        }
        self.depth -= 1;
    }
}
