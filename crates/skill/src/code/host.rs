//! Answers to host functions that need no model: texts looked up by pattern, results parsed, requirements compared by their words; and
//! stand-ins by rule for the three functions a language model answers, used and named as such where none is in use.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::patterns::{Which, matches};

/// How much of a requirement's words a description must have.
const MATCH: f64 = 0.8;

/// The answer to a host function of this file.
pub type Pure = Result<Value, String>;

/// Answers one of [`super::PURE`]; `None` for any other.
pub fn pure(function: &str, args: &[Value]) -> Option<Pure> {
    let text = |at: usize| args.get(at).and_then(Value::as_str).unwrap_or_default();
    Some(match function {
        super::MATCHES => {
            let number = |at: usize| args.get(at).and_then(Value::as_u64).unwrap_or_default();
            let from = usize::try_from(number(3)).unwrap_or(usize::MAX);
            matches(text(0), number(1), text(2), from, Which::named(text(4)))
        }
        super::REFUSED => Err(text(0).to_owned()),
        "requirement_match_check" => Ok(json!(satisfies(text(0), text(1)))),
        "parse_items_observation_into_items_dict" => Ok(items(text(0))),
        _ => return None,
    })
}

/// Answers one of [`super::MODEL`] by rule, where no language model is in use; `None` for any other.
pub fn by_rule(function: &str, args: &[Value]) -> Option<Value> {
    let text = |at: usize| args.get(at).and_then(Value::as_str).unwrap_or_default();
    Some(match function {
        "search" => json!(format!("search[{}]", query(text(0)))),
        "extract_requirement" => json!(requirements(text(0))),
        "select_most_relevant_attibutes" => {
            let wanted: Vec<&str> =
                args.get(1).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
            json!(options(text(0), &wanted))
        }
        _ => return None,
    })
}

/// The words of a text, in lower case.
fn words(text: &str) -> BTreeSet<String> {
    let split = text.split(|c: char| !(c.is_alphanumeric() || c == '.'));
    split.map(|word| word.trim_matches('.').to_lowercase()).filter(|word| !word.is_empty()).collect()
}

/// Words that say nothing of a thing.
const SMALL: &str = "a an and are as at be by can find for i in is it looking like m me my need of on or please some that the them to up want \
    which with would you";

fn telling(text: &str) -> Vec<String> {
    let small: BTreeSet<&str> = SMALL.split_whitespace().collect();
    let split = text.split(|c: char| !(c.is_alphanumeric() || ".-/".contains(c)));
    let words = split.map(|word| word.trim_matches(['.', '-', '/']).to_lowercase());
    words.filter(|word| !word.is_empty() && !small.contains(word.as_str())).collect()
}

/// Whether a description meets a requirement: a price by the figures, anything else where it has most of its words. The paper compares
/// embeddings.
fn satisfies(description: &str, requirement: &str) -> bool {
    if let Some(limit) = limit(requirement) {
        return prices(description).first().is_some_and(|price| *price <= limit);
    }
    let (has, wants) = (words(description), telling(requirement));
    if wants.is_empty() {
        return false;
    }
    let met = wants.iter().filter(|word| words(word).iter().all(|part| has.contains(part))).count();
    met as f64 >= MATCH * wants.len() as f64
}

/// The most a thing may cost, where a text says so.
fn limit(text: &str) -> Option<f64> {
    let lower = text.to_lowercase();
    let at = ["lower than", "less than", "under", "below"]
        .iter()
        .filter_map(|word| Some(lower.find(word)? + word.len()))
        .min()?;
    number(lower.get(at..)?)
}

fn number(text: &str) -> Option<f64> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let digits: String = text
        .get(start..)?
        .chars()
        .take_while(|c| c.is_ascii_digit() || ".,".contains(*c))
        .filter(|c| *c != ',')
        .collect();
    digits.trim_end_matches('.').parse().ok()
}

fn prices(text: &str) -> Vec<f64> {
    text.split('$').skip(1).filter_map(number).collect()
}

/// Results by their number: what stands between one number in brackets and the next.
fn items(observation: &str) -> Value {
    let is_number =
        |inside: &str| inside.len() == 10 && inside.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    let mut items = Map::new();
    let mut last: Option<(&str, String)> = None;
    for part in observation.split('[').skip(1) {
        let (inside, text) = part.split_once(']').unwrap_or((part, ""));
        if is_number(inside) {
            items.extend(
                last.replace((inside, text.to_owned())).map(|(number, text)| (number.to_owned(), one_line(&text))),
            );
        } else if let Some((_, before)) = &mut last {
            before.push('[');
            before.push_str(part);
        }
    }
    items.extend(last.map(|(number, text)| (number.to_owned(), one_line(&text))));
    Value::Object(items)
}

fn one_line(text: &str) -> Value {
    json!(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The wish, without the price.
fn wish(instruction: &str) -> &str {
    let lower = instruction.to_lowercase();
    let end =
        ["and price lower than", "price lower than", "and price"].iter().filter_map(|mark| lower.find(mark)).min();
    end.and_then(|end| instruction.get(..end)).unwrap_or(instruction).trim_end_matches([' ', ','])
}

fn query(instruction: &str) -> String {
    telling(wish(instruction)).join(" ")
}

fn requirements(instruction: &str) -> Vec<String> {
    let parts =
        wish(instruction).split([',', ';']).flat_map(|part| part.split(" and ")).flat_map(|part| part.split(" with "));
    let mut all: Vec<String> = parts.map(|part| telling(part).join(" ")).filter(|part| !part.is_empty()).collect();
    all.extend(limit(instruction).map(|limit| format!("price lower than {limit:.2} dollars")));
    all
}

/// The options that the requirements name: of each line of choices at most one, the longest whose words are all wanted.
fn options(description: &str, requirements: &[&str]) -> Vec<String> {
    let wanted: BTreeSet<String> = requirements.iter().flat_map(|requirement| words(requirement)).collect();
    let mut chosen = Vec::new();
    for line in description.lines() {
        let choices: Vec<&str> = line.split('[').skip(1).filter_map(|part| Some(part.split_once(']')?.0)).collect();
        let named = line.split_once('[').is_some_and(|(name, _)| !name.trim().is_empty());
        let fitting = choices.into_iter().filter(|choice| {
            let own = words(choice);
            named && !own.is_empty() && own.is_subset(&wanted)
        });
        chosen.extend(fitting.max_by_key(|choice| words(choice).len()).map(str::to_owned));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(function: &str, args: Value) -> Value {
        pure(function, args.as_array().unwrap()).unwrap().unwrap()
    }

    #[test]
    fn patterns_are_matched_and_what_is_refused_says_why() {
        let found = |which: &str| call("_matches", json!([r"(\w+) \d", 0, "a mug 1 mug 2", 0, which]));
        assert_eq!(found("search"), json!([[], [[[2, 7], [2, 5]]]]));
        assert_eq!(found("all")[1], json!([[[2, 7], [2, 5]], [[8, 13], [8, 11]]]));
        assert_eq!(found("match")[1], json!([]));
        assert!(pure("_matches", &[json!("("), json!(0), json!("a"), json!(0), json!("all")]).unwrap().is_err());
        assert_eq!(pure("_refused", &[json!("no")]), Some(Err("no".to_owned())));
        assert!(pure("act", &[]).is_none());
    }

    #[test]
    fn results_are_parsed_by_number() {
        let page = "[Back to Search] \nPage 1 (Total results: 50) \n[Next >] \n[B09GLCXKP6] \nA [tall] chair \n$9.99 \n[B0184JRW1I] \nA desk \n$5 ";
        assert_eq!(
            call("parse_items_observation_into_items_dict", json!([page])),
            json!({ "B09GLCXKP6": "A [tall] chair $9.99", "B0184JRW1I": "A desk $5" })
        );
        let check = |a: &str, b: &str| call("requirement_match_check", json!([a, b]));
        assert_eq!(check("Blue Ottoman Bench $99.00", "ottoman bench"), json!(true));
        assert_eq!(check("Blue Ottoman Bench $99.00", "price lower than 90.00 dollars"), json!(false));
        assert_eq!(check("Blue Ottoman Bench $99.00", "price lower than 410.00 dollars"), json!(true));
        assert_eq!(check("Blue Ottoman Bench", "red"), json!(false));
    }

    #[test]
    fn rules_stand_in_for_a_model_and_say_what_they_found() {
        let say = |function: &str, args: Value| by_rule(function, args.as_array().unwrap()).unwrap();
        let wish = "i'm looking for a light pink long handle back brush, and price lower than 40.00 dollars";
        assert_eq!(say("search", json!([wish])), json!("search[light pink long handle back brush]"));
        assert_eq!(
            say("extract_requirement", json!([wish])),
            json!(["light pink long handle back brush", "price lower than 40.00 dollars"])
        );
        let page = "[Back to Search]\ncolor [pink][light pink][blue]\nsize [s][xl]\n[Buy Now]";
        assert_eq!(
            say("select_most_relevant_attibutes", json!([page, ["light pink brush", "size xl"]])),
            json!(["light pink", "xl"])
        );
    }
}
