//! Texts of assertions split at `and`, `or`, `not`, `… if … else …`, `bool(…) <= bool(…)` and the parentheses around those, without
//! parsing. What stands between is not looked at: a split is right if, and only if, every operand by itself is a whole expression that
//! binds more tightly than these operators ([`binds_tightly`]), which the caller makes sure of.
//!
//! Why that is enough: a text is read into tokens from left to right. If the first operand is a whole expression, the reader stands
//! outside of any string where it ends, so what follows is the operator that it looks like, and the next operand begins there.

use ruff_python_ast::{Expr, UnaryOp};

use super::dissection::{BOOL, Skeleton, Truths};
use super::tokens::{end_of_token, is_of_word};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Split<'t> {
    /// How its operands are put together, by their places in `operands`.
    pub(super) skeleton: Skeleton,
    /// The texts between the operators, in order of appearance.
    pub(super) operands: Vec<&'t str>,
    pub(super) nodes: usize,
}

/// Splits a text of one line, without the message behind it; `None` where it is not of this form. With `plain_bool`, `bool(…) <= bool(…)`
/// and the like are operators too.
pub(super) fn split(text: &str, plain_bool: bool) -> Option<Split<'_>> {
    if !text.is_ascii() {
        return None;
    }
    let mut reader = Reader { text, plain_bool, at: 0, operands: Vec::new(), nodes: 0 };
    let skeleton = reader.choice()?;
    reader.spaces();
    if reader.byte(reader.at) == Some(b',') {
        let message = text.get(reader.at + 1..)?.trim_start_matches(' ');
        reader.at = if is_plain_string(message) { text.len() } else { return None };
    }
    (reader.at == text.len()).then_some(Split { skeleton, operands: reader.operands, nodes: reader.nodes })
}

/// Whether an expression keeps together next to `and`, `or`, `not`, `if` and `else` without parentheses.
pub(super) fn binds_tightly(expr: &Expr) -> bool {
    match expr {
        Expr::UnaryOp(unary) => unary.op != UnaryOp::Not,
        Expr::Compare(_)
        | Expr::Call(_)
        | Expr::Attribute(_)
        | Expr::Subscript(_)
        | Expr::Name(_)
        | Expr::BinOp(_)
        | Expr::ListComp(_)
        | Expr::SetComp(_)
        | Expr::DictComp(_)
        | Expr::List(_)
        | Expr::Set(_)
        | Expr::Dict(_)
        | Expr::FString(_)
        | Expr::StringLiteral(_)
        | Expr::NumberLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_) => true,
        _ => false,
    }
}

type Pair = (usize, usize);

struct Reader<'t> {
    text: &'t str,
    plain_bool: bool,
    at: usize,
    operands: Vec<&'t str>,
    nodes: usize,
}

/// Words that end an operand.
const OPERATORS: [&str; 4] = ["and", "or", "if", "else"];

impl<'t> Reader<'t> {
    /// `… if … else …`, or one without a choice.
    fn choice(&mut self) -> Option<Skeleton> {
        let body = self.either()?;
        if !self.takes("if") {
            return Some(body);
        }
        let test = self.either()?;
        if !self.takes("else") {
            return None;
        }
        let otherwise = self.choice()?;
        self.nodes += 1;
        Some(Skeleton::If(Box::new([test, body, otherwise])))
    }

    fn either(&mut self) -> Option<Skeleton> {
        self.chain("or", Skeleton::Or, Self::both)
    }

    fn both(&mut self) -> Option<Skeleton> {
        self.chain("and", Skeleton::And, Self::denied)
    }

    /// Operands joined by one operator; a single one stays as it is.
    fn chain(
        &mut self,
        operator: &str,
        join: fn(Vec<Skeleton>) -> Skeleton,
        operand: fn(&mut Self) -> Option<Skeleton>,
    ) -> Option<Skeleton> {
        let first = operand(self)?;
        if !self.takes(operator) {
            return Some(first);
        }
        let mut all = vec![first, operand(self)?];
        while self.takes(operator) {
            all.push(operand(self)?);
        }
        self.nodes += 1;
        Some(join(all))
    }

    fn denied(&mut self) -> Option<Skeleton> {
        if self.takes("not") {
            self.nodes += 1;
            return Some(Skeleton::Not(Box::new(self.denied()?)));
        }
        self.operand()
    }

    /// The text between operators: parentheses around a whole operand are opened, anything else is left as it is.
    fn operand(&mut self) -> Option<Skeleton> {
        self.spaces();
        let start = self.at;
        if let Some(close) = self.close_of(start)
            && self.ends_operand(close + 1)
        {
            return self.inside(start, close);
        }
        if let Some((first, truths, second)) = self.comparison(start) {
            let both = [self.inside(first.0, first.1)?, self.inside(second.0, second.1)?];
            self.nodes += 1;
            return Some(Skeleton::Compared(Box::new(both), truths));
        }
        self.at = self.end_of_operand(start)?;
        let operand = self.text.get(start..self.at)?.trim_end_matches(' ');
        if operand.is_empty() {
            return None;
        }
        self.nodes += 1;
        self.operands.push(operand);
        Some(Skeleton::Part(self.operands.len() - 1))
    }

    fn inside(&mut self, open: usize, close: usize) -> Option<Skeleton> {
        self.at = open + 1;
        let inside = self.choice()?;
        self.spaces();
        if self.at != close {
            return None;
        }
        self.at = close + 1;
        Some(inside)
    }

    /// The parentheses of `bool(…) <= bool(…)` and the like, if one is at a place and nothing of an operand follows; and the operator.
    fn comparison(&self, at: usize) -> Option<(Pair, Truths, Pair)> {
        if !self.plain_bool {
            return None;
        }
        let first = self.bool_at(at)?;
        let operator = self.past_spaces(first.1 + 1);
        let length = if self.byte(operator + 1) == Some(b'=') { 2 } else { 1 };
        let truths = Truths::of(self.text.get(operator..operator + length)?)?;
        let second = self.bool_at(self.past_spaces(operator + length))?;
        self.ends_operand(second.1 + 1).then_some((first, truths, second))
    }

    /// The parentheses of `bool(…)` at a place.
    fn bool_at(&self, at: usize) -> Option<Pair> {
        let open = at + BOOL.len();
        if self.text.get(at..open) != Some(BOOL) {
            return None;
        }
        Some((open, self.close_of(open)?))
    }

    fn past_spaces(&self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        let spaces = rest.iter().take_while(|byte| **byte == b' ').count();
        self.text.len() - rest.len() + spaces
    }

    /// Where the operand that begins at a place ends: before an operator, before a closing parenthesis or a comma, or with the text.
    fn end_of_operand(&self, from: usize) -> Option<usize> {
        let (mut at, mut depth) = (from, 0_usize);
        while let Some(byte) = self.byte(at) {
            let end = self.end_of_token(at)?;
            match byte {
                b')' | b',' if depth == 0 => return Some(at),
                _ if depth == 0 && self.is_operator(at, end) => return Some(at),
                _ => depth = nested(depth, byte)?,
            }
            at = end;
        }
        (depth == 0).then_some(at)
    }

    /// The end of the parentheses that open at a place, if any do.
    fn close_of(&self, open: usize) -> Option<usize> {
        if self.byte(open) != Some(b'(') {
            return None;
        }
        let (mut at, mut depth) = (open, 0_usize);
        loop {
            depth = nested(depth, self.byte(at)?)?;
            if depth == 0 {
                return Some(at);
            }
            at = self.end_of_token(at)?;
        }
    }

    /// Whether nothing of an operand follows at a place.
    fn ends_operand(&self, at: usize) -> bool {
        let at = self.past_spaces(at);
        match self.byte(at) {
            None | Some(b')' | b',') => true,
            Some(_) => self.end_of_token(at).is_some_and(|end| self.is_operator(at, end)),
        }
    }

    fn is_operator(&self, at: usize, end: usize) -> bool {
        // Most tokens are told by their length.
        (2..=4).contains(&(end - at)) && self.text.get(at..end).is_some_and(|token| OPERATORS.contains(&token))
    }

    /// Goes past spaces and this word, if it comes next.
    fn takes(&mut self, word: &str) -> bool {
        self.spaces();
        // Nearly always something else comes, which its first letter tells.
        if self.byte(self.at) != word.bytes().next() {
            return false;
        }
        let end = self.at + word.len();
        let comes = self.text.get(self.at..end) == Some(word) && !self.byte(end).is_some_and(is_of_word);
        if comes {
            self.at = end;
        }
        comes
    }

    fn spaces(&mut self) {
        self.at = self.past_spaces(self.at);
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn end_of_token(&self, at: usize) -> Option<usize> {
        end_of_token(self.text.as_bytes(), at)
    }
}

/// Whether a text is one string literal without anything particular in it: a message that need not be evaluated.
fn is_plain_string(text: &str) -> bool {
    let quote = |quote: char| {
        let inside = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        inside.is_some_and(|inside| !inside.contains([quote, '\\']))
    };
    quote('\'') || quote('"')
}

/// How deep brackets nest after a sign; `None` where one closes that was not opened.
fn nested(depth: usize, byte: u8) -> Option<usize> {
    match byte {
        b'(' | b'[' | b'{' => Some(depth + 1),
        b')' | b']' | b'}' => depth.checked_sub(1),
        _ => Some(depth),
    }
}

#[cfg(test)]
#[path = "splitting_tests.rs"]
mod tests;
