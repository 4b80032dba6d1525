//! One weight: a sum of other objects' weights, each times a fraction, and of a number.

use std::collections::BTreeMap;
use std::fmt;

use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, Signed, Zero};
use serde_json::Value;

use super::Ratio;
use super::words::{number, ratio};

/// A weight in terms of other weights: exact, and the same for every spelling.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Expression {
    /// Each object it speaks of with its factor; no factor is zero.
    pub terms: BTreeMap<String, Ratio>,
    pub number: Ratio,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no weight: {why}; a weight looks like `green_block.weight * 2`, `1/4` or `half`")]
pub struct WeightError {
    pub text: String,
    pub why: String,
}

/// A text longer than this is no weight.
const LONGEST: usize = 1000;
/// Parentheses deeper than this are not read.
const DEEPEST: usize = 20;

pub fn read(text: &str) -> Result<Expression, WeightError> {
    let fail = |why: String| WeightError { text: text.chars().take(80).collect(), why };
    if text.len() > LONGEST {
        return Err(fail(format!("it is longer than {LONGEST} characters")));
    }
    if let Some(alone) = ratio(text) {
        return Ok(Expression::number(alone));
    }
    let mut reader = Reader { text, at: 0 };
    let sum = reader.sum(0).map_err(fail)?;
    match reader.rest() {
        "" => Ok(sum),
        rest => Err(fail(format!("`{rest}` is too much"))),
    }
}

impl Expression {
    fn number(number: Ratio) -> Self {
        Expression { terms: BTreeMap::new(), number }
    }

    fn object(name: &str) -> Self {
        Expression {
            terms: BTreeMap::from([(name.trim().replace('_', " "), Ratio::from_integer(1))]),
            number: Ratio::zero(),
        }
    }

    /// The weight that a value of a belief gives, if it gives one: an expression or a number.
    pub fn of(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => read(text).ok(),
            Value::Number(n) => number(&n.to_string()).map(Expression::number),
            _ => None,
        }
    }

    /// The one object it is a fraction of, and the fraction.
    pub fn one_term(&self) -> Option<(&str, Ratio)> {
        let mut terms = self.terms.iter();
        match (terms.next(), terms.next()) {
            (Some((name, factor)), None) if self.number.is_zero() => Some((name, *factor)),
            _ => None,
        }
    }

    fn times(&self, factor: &Ratio) -> Option<Self> {
        let mut product = Expression::number(self.number.checked_mul(factor)?);
        for (name, own) in &self.terms {
            let own = own.checked_mul(factor)?;
            if !own.is_zero() {
                product.terms.insert(name.clone(), own);
            }
        }
        Some(product)
    }

    fn plus(mut self, other: &Self) -> Option<Self> {
        self.number = self.number.checked_add(&other.number)?;
        for (name, factor) in &other.terms {
            let own = self.terms.remove(name).unwrap_or_default().checked_add(factor)?;
            if !own.is_zero() {
                self.terms.insert(name.clone(), own);
            }
        }
        Some(self)
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (name, factor) in &self.terms {
            if !first {
                f.write_str(" + ")?;
            }
            first = false;
            write!(f, "{}.weight", name.replace(' ', "_"))?;
            let (over, under) = (factor.numer(), factor.denom());
            match (*over, *under) {
                (1, 1) => {}
                (1, under) => write!(f, " / {under}")?,
                (over, 1) => write!(f, " * {over}")?,
                (over, under) => write!(f, " * {over} / {under}")?,
            }
        }
        match (first, self.number.is_zero()) {
            (true, _) => write!(f, "{}", self.number),
            (false, true) => Ok(()),
            (false, false) => write!(f, " + {}", self.number),
        }
    }
}

/// The one error of sums that pass the numbers' range.
fn too_large() -> String {
    "the numbers are too large".to_owned()
}

/// Reads sums of products, left to right.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default().trim_start()
    }

    fn take(&mut self, signs: &[char]) -> Option<char> {
        let rest = self.rest();
        let sign = rest.chars().next().filter(|c| signs.contains(c))?;
        self.at = self.text.len() - rest.len() + sign.len_utf8();
        Some(sign)
    }

    fn sum(&mut self, depth: usize) -> Result<Expression, String> {
        let negative = self.take(&['-']).is_some();
        let mut sum = self.product(depth)?;
        if negative {
            sum = sum.times(&Ratio::from_integer(-1)).ok_or_else(too_large)?;
        }
        while let Some(sign) = self.take(&['+', '-', '−']) {
            let mut term = self.product(depth)?;
            if sign != '+' {
                term = term.times(&Ratio::from_integer(-1)).ok_or_else(too_large)?;
            }
            sum = sum.plus(&term).ok_or_else(too_large)?;
        }
        Ok(sum)
    }

    fn product(&mut self, depth: usize) -> Result<Expression, String> {
        let mut product = self.factor(depth)?;
        while let Some(sign) = self.take(&['*', '×', '/', '÷']) {
            let by = self.factor(depth)?;
            product = if matches!(sign, '*' | '×') {
                match (product.terms.is_empty(), by.terms.is_empty()) {
                    (_, true) => product.times(&by.number).ok_or_else(too_large)?,
                    (true, _) => by.times(&product.number).ok_or_else(too_large)?,
                    _ => return Err("two weights are multiplied".to_owned()),
                }
            } else if by.terms.is_empty() {
                let inverse = Ratio::from_integer(1).checked_div(&by.number).ok_or("it divides by zero")?;
                product.times(&inverse).ok_or_else(too_large)?
            } else {
                return Err("it divides by a weight".to_owned());
            };
        }
        Ok(product)
    }

    /// A fraction written as one word: `x / 1/9` is x divided by a ninth, as states write it.
    fn part(&self, rest: &str) -> Option<(Ratio, usize)> {
        let before = self.text.len() - rest.len();
        let apart = self.text.get(..before).is_some_and(|before| before.ends_with(char::is_whitespace));
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '/').unwrap_or(rest.len());
        let word = rest.get(..end).filter(|word| apart && word.contains('/'))?;
        Some((number(word).filter(Ratio::is_positive)?, end))
    }

    fn factor(&mut self, depth: usize) -> Result<Expression, String> {
        if self.take(&['(']).is_some() {
            if depth >= DEEPEST {
                return Err("too many parentheses".to_owned());
            }
            let inner = self.sum(depth + 1)?;
            return self.take(&[')']).map(|_| inner).ok_or_else(|| "a parenthesis is not closed".to_owned());
        }
        let rest = self.rest();
        if let Some((part, length)) = self.part(rest) {
            self.at = self.text.len() - rest.len() + length;
            return Ok(Expression::number(part));
        }
        let end = rest.find(['*', '×', '/', '÷', '+', '−', '(', ')']).unwrap_or(rest.len());
        // A minus ends a word only with a blank before it: `one-fourth` is one.
        let end = rest.find(" -").map_or(end, |minus| minus.min(end));
        let word = rest.get(..end).unwrap_or_default().trim();
        let read = match word.strip_suffix("weight").map(|w| w.trim_end_matches(['.', ' ', '_'])) {
            Some(name) if !name.is_empty() => Expression::object(name.trim_matches(['"', '\'', '“', '”'])),
            _ if word.is_empty() => return Err("something is missing".to_owned()),
            _ => Expression::number(
                ratio(word).filter(|r| !r.is_negative()).ok_or_else(|| format!("`{word}` is no number"))?,
            ),
        };
        self.at = self.text.len() - rest.len() + end;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_forms() {
        for (text, name, over, under) in [
            ("green_block.weight", "green block", 1, 1),
            ("red_block.weight / 2", "red block", 1, 2),
            ("blue_block.weight*3", "blue block", 3, 1),
            ("2 * blue_block.weight", "blue block", 2, 1),
            ("blue_block.weight * 1/4", "blue block", 1, 4),
            ("blue_block.weight * one-fourth", "blue block", 1, 4),
            ("gold_block.weight / 1/9", "gold block", 9, 1),
            ("gold_block.weight/3/2", "gold block", 1, 6),
            ("(1/4) * \"blue block\".weight", "blue block", 1, 4),
            ("half * blue block.weight", "blue block", 1, 2),
        ] {
            assert_eq!(read(text).unwrap().one_term(), Some((name, Ratio::new(over, under))), "{text}");
        }
        assert_eq!(read("one-fourth").unwrap().number, Ratio::new(1, 4));
        assert_eq!(read("2").unwrap(), Expression::of(&serde_json::json!(2)).unwrap());
    }

    #[test]
    fn sums_are_one_expression_whatever_their_spelling() {
        let one = read("a.weight + b.weight * 2 - 1").unwrap();
        assert_eq!(one, read("2 * (b.weight + a.weight / 2) - 2 / 2").unwrap());
        assert_eq!(one.to_string(), "a.weight + b.weight * 2 + -1");
        assert_eq!(read("a.weight - a.weight").unwrap(), Expression::default());
        assert_eq!(read("green_block.weight / 3").unwrap().to_string(), "green_block.weight / 3");
    }

    #[test]
    fn what_is_no_weight_says_why() {
        for (text, why) in [
            ("a.weight * b.weight", "multiplied"),
            ("2 / a.weight", "divides by a weight"),
            ("a.weight / 0", "divides by zero"),
            ("a.weight *", "missing"),
            ("black_block.", "no number"),
            ("(a.weight", "not closed"),
            ("a.weight)", "too much"),
            ("heavy", "no number"),
        ] {
            assert!(read(text).unwrap_err().to_string().contains(why), "{text}: {}", read(text).unwrap_err());
        }
        assert!(read(&"(".repeat(500)).is_err() && read(&"9".repeat(2000)).is_err());
        assert!(read("999999999 * 999999999 * 999999999 * a.weight").unwrap_err().to_string().contains("too large"));
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(text in "[a-z0-9._*/+() -]{0,40}") {
            if let Ok(read_once) = read(&text) {
                let _ = read_once.to_string();
            }
        }
    }
}
