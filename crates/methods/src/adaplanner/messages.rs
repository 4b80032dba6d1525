//! What assertions say as texts: Python prints whatever stands there, the sandbox has exceptions of texts alone.

use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;
use stepwright_program::parse::with_module;

/// Code whose assertions say texts; its lines stay what they are.
pub(super) fn as_texts(code: &str) -> String {
    let said = with_module(code, |module| {
        let mut said = Said::default();
        said.visit_body(&module.body);
        said.places
    });
    let (mut texts, mut from) = (String::new(), 0);
    for (start, end) in said.unwrap_or_default() {
        let (Some(before), Some(value)) = (code.get(from..start), code.get(start..end)) else { continue };
        texts.extend([before, "str(", value, ")"]);
        from = end;
    }
    texts + code.get(from..).unwrap_or_default()
}

/// Where assertions say something else than a text that is written there, in their order.
#[derive(Default)]
struct Said {
    places: Vec<(usize, usize)>,
}

impl<'a> Visitor<'a> for Said {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Assert(it) = statement
            && let Some(said) =
                it.msg.as_deref().filter(|said| !matches!(said, Expr::StringLiteral(_) | Expr::FString(_)))
        {
            self.places.push((said.start().to_usize(), said.end().to_usize()));
        }
        walk_stmt(self, statement);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_made_one() {
        let code = "def f(x):\n    assert x, 5\n    if x:\n        assert x, (f'{x}')\n        assert x, ['a',\n            x]\n    assert x";
        let texts = "def f(x):\n    assert x, str(5)\n    if x:\n        assert x, (f'{x}')\n        assert x, str(['a',\n            x])\n    assert x";
        assert_eq!(as_texts(code), texts);
        assert_eq!(as_texts("assert x, ("), "assert x, (", "what does not parse stays");
    }
}
