//! What assertions say as texts: Python prints whatever stands there, the sandbox has exceptions of texts alone. Where code asks an
//! exception for what it was given, it gets the thing that was said.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, ExprContext, Stmt};
use ruff_text_size::Ranged;
use stepwright_program::parse::with_module;

/// What stands before such code.
pub(super) const SAID: &str = r"_things_said = {}
def _said(value):
    text = _str(value)
    _things_said[text] = value
    return text
def _args(of):
    args = of.args
    if _isinstance(of, AssertionError) and _len(args) == 1 and args[0] in _things_said:
        return (_things_said[args[0]],)
    return args
";

/// Code whose assertions say texts; its lines stay what they are.
pub(super) fn as_texts(code: &str) -> String {
    let said = with_module(code, |module| {
        let mut said = Said { code, edits: Vec::new() };
        said.visit_body(&module.body);
        said.edits
    });
    let mut edits = said.unwrap_or_default();
    // Stable: of two that begin at a place the outer one was found first.
    edits.sort_by_key(|(start, ..)| *start);
    let (mut texts, mut from) = (String::new(), 0);
    for (start, end, text) in edits {
        let Some(before) = code.get(from..start) else { return code.to_owned() };
        texts.extend([before, text]);
        from = end;
    }
    texts + code.get(from..).unwrap_or_default()
}

/// What to put in which places: where assertions say something else than a text that is written there, and where what an exception was given
/// is read.
struct Said<'a> {
    code: &'a str,
    edits: Vec<(usize, usize, &'static str)>,
}

impl Said<'_> {
    /// A call of a function around a place.
    fn around(&mut self, function: &'static str, start: usize, end: (usize, usize)) {
        self.edits.push((start, start, function));
        self.edits.push((end.0, end.1, ")"));
    }
}

impl<'a> Visitor<'a> for Said<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Assert(it) = statement
            && let Some(said) =
                it.msg.as_deref().filter(|said| !matches!(said, Expr::StringLiteral(_) | Expr::FString(_)))
        {
            let end = said.end().to_usize();
            self.around("_said(", said.start().to_usize(), (end, end));
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Attribute(it) = expression
            && it.attr.as_str() == "args"
            && it.ctx == ExprContext::Load
        {
            // Behind the value may be a bracket that closes around it.
            let (from, end) = (it.value.end().to_usize(), it.end().to_usize());
            let dot = self.code.get(from..end).and_then(|rest| rest.rfind('.')).map(|at| from + at);
            if let Some(dot) = dot {
                self.around("_args(", it.start().to_usize(), (dot, end));
            }
        }
        walk_expr(self, expression);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_made_one() {
        let code = "def f(x):\n    assert x, 5\n    if x:\n        assert x, (f'{x}')\n        assert x, ['a',\n            x]\n    assert x";
        let texts = "def f(x):\n    assert x, _said(5)\n    if x:\n        assert x, (f'{x}')\n        assert x, _said(['a',\n            x])\n    assert x";
        assert_eq!(as_texts(code), texts);
        assert_eq!(as_texts("assert x, ("), "assert x, (", "what does not parse stays");
        let caught = "assert (e).args, e.args[0].args\nx.args = args";
        assert_eq!(as_texts(caught), "assert _args((e)), _said(_args(_args(e)[0]))\nx.args = args");
    }
}
