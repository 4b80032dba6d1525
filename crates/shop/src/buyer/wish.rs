//! Wish that an instruction expresses: a price limit, options by name where it names them, and words.

use std::collections::BTreeSet;

use crate::text::analyse;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wish {
    /// The most it may cost, in dollars.
    pub limit: Option<f64>,
    /// Options by name (`size: large`), lower case.
    pub named: Vec<(String, String)>,
    /// The instruction without limit and named options, lower case.
    pub text: String,
    /// Its terms, each once, without those that only ask.
    pub terms: BTreeSet<String>,
    /// Parts of it that are to be found together: `machine wash`, `rubber sole`.
    pub phrases: Vec<String>,
}

/// Terms that ask and say nothing of the product.
const ASKING: [&str; 40] = [
    "am", "bui", "can", "could", "do", "dollar", "find", "get", "give", "go", "have", "help", "i", "im", "like",
    "look", "lower", "me", "my", "need", "one", "order", "our", "pick", "place", "pleas", "price", "search", "show",
    "some", "than", "ve", "want", "we", "which", "who", "would", "you", "your", "also",
];

impl Wish {
    pub fn of(instruction: &str) -> Self {
        let text = instruction.to_lowercase();
        let (text, limit) = without_limit(&text);
        let (text, named) = without_options(text);
        let terms = analyse(text).into_iter().filter(|term| !ASKING.contains(&term.as_str())).collect();
        Wish { limit, named, text: text.to_owned(), terms, phrases: phrases(text) }
    }

    /// The search texts, fullest first.
    pub fn queries(&self) -> Vec<String> {
        let options: Vec<String> = self.named.iter().map(|(_, value)| value.clone()).collect();
        let words = self.text.trim_start_matches("find me ").to_owned();
        let first = if options.is_empty() { words.clone() } else { format!("{words} {}", options.join(" ")) };
        let kind = words.split(" with ").next().unwrap_or_default().to_owned();
        let mut queries = vec![first, words, kind];
        queries.dedup();
        queries.retain(|query| !query.trim().is_empty());
        queries
    }
}

/// The text before the price limit, and the limit.
fn without_limit(text: &str) -> (&str, Option<f64>) {
    const SAYS: [&str; 6] =
        ["price lower than", "priced lower than", "price less than", "priced under", "under $", "less than $"];
    let Some((at, said)) = SAYS.iter().filter_map(|said| Some((text.rfind(said)?, said))).max() else {
        return (text, None);
    };
    let after = text.get(at + said.len()..).unwrap_or_default().trim_start_matches([' ', '$']);
    let digits: String = after.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let before = text.get(..at).unwrap_or_default().trim_end();
    let before = before.strip_suffix("and").unwrap_or(before).trim_end_matches([' ', ',']);
    match digits.trim_end_matches('.').parse() {
        Ok(limit) => (before, Some(limit)),
        Err(_) => (text, None),
    }
}

/// The text before ` with size: large, and color: blue`, and those options.
fn without_options(text: &str) -> (&str, Vec<(String, String)>) {
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(" with ")).map(|at| from + at) {
        let rest = text.get(at + " with ".len()..).unwrap_or_default();
        let parts = rest.split(", and ").map(|part| {
            let (name, value) = part.split_once(": ")?;
            let is_name = name.chars().count() <= 30 && !name.contains(',') && !name.contains(" with ");
            is_name.then(|| (name.trim().to_owned(), value.trim().to_owned()))
        });
        if let Some(named) = parts.collect::<Option<Vec<_>>>() {
            return (text.get(..at).unwrap_or_default(), named);
        }
        from = at + " with ".len();
    }
    (text, Vec::new())
}

/// The parts between commas and joining words, of two words or three.
fn phrases(text: &str) -> Vec<String> {
    let text =
        text.trim_start_matches("find me ").replace(" with ", ", ").replace(" for ", ", ").replace(" and ", ", ");
    let parts = text.split(", ").map(str::trim).filter(|part| (1..=3).contains(&part.split(' ').count()));
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_instructions_are_read() {
        let wish = Wish::of(
            "Find me machine wash men's polos with relaxed fit, needle sleeve with color: a | b, and size: small, and price lower than 60.00 dollars",
        );
        assert_eq!(wish.limit, Some(60.0));
        let named: Vec<String> = wish.named.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(named, ["color=a | b", "size=small"]);
        assert_eq!(wish.text, "find me machine wash men's polos with relaxed fit, needle sleeve");
        assert!(wish.terms.contains("polo") && !wish.terms.contains("find"));
        assert_eq!(wish.phrases, ["machine wash men's polos", "relaxed fit", "needle sleeve"][1..]);
    }

    #[test]
    fn peoples_instructions_are_read() {
        let wish = Wish::of("i need a 120 ml hair mask treatment, and price lower than 140.00 dollars");
        assert_eq!((wish.limit, wish.named.len()), (Some(140.0), 0));
        assert_eq!(wish.queries(), ["i need a 120 ml hair mask treatment"]);
    }
}
