//! Merge of candidates into one: their conjunction or disjunction as one expression, with no more brackets than it needs.

use ruff_python_ast::{BoolOp, Expr, Stmt};
use ruff_text_size::Ranged;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joint {
    /// All must hold: `and`.
    All,
    /// One must hold: `or`.
    Any,
}

impl Joint {
    fn word(self) -> &'static str {
        match self {
            Joint::All => "and",
            Joint::Any => "or",
        }
    }
}

/// The candidates (each as written after `assert `) joined into one. Messages (`assert x, 'why'`) and comments are left out; a
/// text that is listed twice is taken once.
pub fn merged<'a>(texts: impl IntoIterator<Item = &'a str>, joint: Joint) -> Result<String, String> {
    let mut parts: Vec<String> = Vec::new();
    for text in texts {
        let part = part(text, joint)?;
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    if parts.len() < 2 {
        return Err("merging takes two different candidates or more".to_owned());
    }
    Ok(parts.join(&format!(" {} ", joint.word())))
}

/// The expression of an assertion, in brackets where it would otherwise fall apart between its neighbours.
fn part(text: &str, joint: Joint) -> Result<String, String> {
    let line = format!("assert {text}");
    let no = |why: &str| format!("`{text}` cannot be merged: {why}");
    let module = ruff_python_parser::parse_module(&line).map_err(|e| no(&e.error.to_string()))?;
    let [Stmt::Assert(assert)] = module.syntax().body.as_slice() else {
        return Err(no("it is not one assertion"));
    };
    let range = assert.test.range();
    let inner = line.get(range.start().to_usize()..range.end().to_usize()).unwrap_or(text);
    let firm = match assert.test.as_ref() {
        Expr::BoolOp(of) => of.op == BoolOp::And || joint == Joint::Any,
        Expr::If(_) | Expr::Lambda(_) | Expr::Named(_) | Expr::Tuple(_) | Expr::Starred(_) => false,
        Expr::Yield(_) | Expr::YieldFrom(_) | Expr::Await(_) | Expr::Generator(_) => false,
        _ => true,
    };
    Ok(if firm { inner.to_owned() } else { format!("({inner})") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_stand_where_they_must() {
        for (texts, all, any) in [
            (vec!["a", "b == 1"], "a and b == 1", "a or b == 1"),
            (vec!["a or b", "c"], "(a or b) and c", "a or b or c"),
            (vec!["a and b", "not c, 'why'"], "a and b and not c", "a and b or not c"),
            (vec!["a if b else c", "(a)  # so", "(a)"], "(a if b else c) and a", "(a if b else c) or a"),
        ] {
            assert_eq!(merged(texts.iter().copied(), Joint::All).unwrap(), all);
            assert_eq!(merged(texts.iter().copied(), Joint::Any).unwrap(), any);
        }
    }

    #[test]
    fn what_cannot_be_merged_says_why() {
        for (texts, word) in
            [(vec!["a"], "two"), (vec!["a", "a"], "two"), (vec!["a", "b =="], "`b ==`"), (vec!["a; b", "c"], "not one")]
        {
            let error = merged(texts.iter().copied(), Joint::All).unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }
}
