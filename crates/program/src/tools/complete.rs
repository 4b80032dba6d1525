//! Completion of a call while it is typed: tools, their arguments, and values that a schema lists, in both ways of writing a call
//! (`tools.f(key=value)`, `f({"key": value})`).

use serde_json::Value as Json;

use super::{TOOLS, Toolbox};
use crate::call::Literal;

/// What may stand in place of the end of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completions {
    /// The byte at which that end begins.
    pub from: usize,
    /// The ways to go on, each whole.
    pub words: Vec<String>,
}

impl Completions {
    /// Those of `words` that begin with the end of `before` from there on, and say more.
    fn of(before: &str, from: usize, words: impl IntoIterator<Item = String>) -> Self {
        let rest = before.get(from..).unwrap_or_default();
        let from = from + rest.len() - rest.trim_start().len();
        let typed = rest.trim_start();
        // A name may be typed without the quotes that it is to have.
        let begins = |word: &String| word.starts_with(typed) || word.trim_start_matches('"').starts_with(typed);
        let words = words.into_iter().filter(|word| begins(word) && word != typed).collect();
        Completions { from, words }
    }

    /// What all of them begin with.
    pub fn common(&self) -> &str {
        let first = self.words.first().map_or("", String::as_str);
        let same = |word: &String| {
            let pairs = first.char_indices().zip(word.chars());
            pairs.take_while(|((_, a), b)| a == b).last().map_or(0, |((at, a), _)| at + a.len_utf8())
        };
        let length = self.words.iter().map(same).min().unwrap_or(0);
        first.get(..length).unwrap_or_default()
    }
}

impl Toolbox {
    /// How the text before the cursor may go on.
    pub fn complete(&self, before: &str) -> Completions {
        let mut line_at = 0;
        while let Some(line) = before.get(line_at..) {
            let end = line.find('\n');
            let first = line.get(..end.unwrap_or(line.len())).unwrap_or_default();
            let open = first.find('(').filter(|open| self.called(first.get(..*open).unwrap_or_default()).is_some());
            let next = match open {
                Some(open) => {
                    let inside = line_at + open + 1;
                    match closed(before.get(inside..).unwrap_or_default()) {
                        Some(end) => inside + end,
                        None => return self.argument(before, first.get(..open).unwrap_or_default(), inside),
                    }
                }
                None => match end {
                    Some(end) => line_at + end + 1,
                    None => return self.name(before, line_at),
                },
            };
            line_at = next;
        }
        Completions::default()
    }

    fn called(&self, head: &str) -> Option<&str> {
        let head = head.trim();
        let function = head.strip_prefix(TOOLS).and_then(|rest| rest.strip_prefix('.'));
        let tool = match function {
            Some(function) => self.tools().iter().find(|tool| self.function(&tool.name) == function),
            None => self.tools().iter().find(|tool| tool.name == head),
        };
        tool.map(|tool| tool.name.as_str())
    }

    fn name(&self, before: &str, from: usize) -> Completions {
        let typed = before.get(from..).unwrap_or_default().trim_start();
        let functions = self.tools().iter().map(|tool| format!("{TOOLS}.{}(", self.function(&tool.name)));
        // Words may begin like a tool: its bare name counts once more than a letter of it is there.
        let bare = self.tools().iter().map(|tool| format!("{}(", tool.name)).filter(|_| typed.len() > 1);
        Completions::of(before, from, functions.chain(bare).filter(|_| !typed.is_empty()))
    }

    fn argument(&self, before: &str, head: &str, inside: usize) -> Completions {
        let Some((tool, _, parameters)) = self.called(head).and_then(|name| self.tool(name)) else {
            return Completions::default();
        };
        let text = before.get(inside..).unwrap_or_default();
        if text.trim_start().starts_with('{') {
            return json(before, inside, &tool.schema);
        }
        let Scanned { start, equals, used, depth } = arguments(text);
        if depth > 0 {
            return Completions::default();
        }
        if let Some(equals) = equals {
            let name = text.get(start..equals).unwrap_or_default().trim();
            let schema = parameters.iter().find(|p| p.variable == name).map_or(&Json::Null, |p| &p.schema);
            let values = values(schema).into_iter().map(|value| Literal::from(&value).to_string());
            return Completions::of(before, inside + equals + 1, values);
        }
        let open = parameters.iter().filter(|p| !used.contains(&p.variable));
        Completions::of(before, inside + start, open.map(|p| format!("{}=", p.variable)))
    }
}

/// Where the bracket is closed that was opened before a text.
fn closed(text: &str) -> Option<usize> {
    let mut depth = 1_usize;
    scan(text, |_, sign| {
        match sign {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > 0
    })
}

/// Shows the signs of a text outside of its strings, each with where it is, until one is not gone on from; where that ends.
fn scan(text: &str, mut on: impl FnMut(usize, char) -> bool) -> Option<usize> {
    let (mut quote, mut escaped) = (None, false);
    for (at, sign) in text.char_indices() {
        match quote {
            Some(own) => {
                quote = quote.filter(|_| escaped || sign != own);
                escaped = !escaped && sign == '\\';
            }
            None if matches!(sign, '"' | '\'') => quote = Some(sign),
            None if !on(at, sign) => return Some(at + sign.len_utf8()),
            None => {}
        }
    }
    None
}

#[derive(Default)]
struct Scanned {
    /// Where the last argument begins, and where its `=` is.
    start: usize,
    equals: Option<usize>,
    /// The names of those before it.
    used: Vec<String>,
    depth: usize,
}

fn arguments(text: &str) -> Scanned {
    let mut found = Scanned::default();
    scan(text, |at, sign| {
        match (sign, found.depth) {
            ('(' | '[' | '{', _) => found.depth += 1,
            (')' | ']' | '}', _) => found.depth = found.depth.saturating_sub(1),
            ('=', 0) => found.equals = found.equals.or(Some(at)),
            (',', 0) => {
                let name = found.equals.and_then(|equals| text.get(found.start..equals)).unwrap_or_default();
                found.used.push(name.trim().to_owned());
                (found.start, found.equals) = (at + 1, None);
            }
            _ => {}
        }
        true
    });
    found
}

/// An object or a list that is open: its schema, and of an object the keys it has and the one whose value comes.
struct Open<'a> {
    schema: &'a Json,
    object: bool,
    used: Vec<String>,
    key: Option<String>,
}

impl<'a> Open<'a> {
    /// The schema of the value that comes.
    fn next(&self) -> &'a Json {
        let below = match &self.key {
            Some(key) => self.schema.get("properties").and_then(|all| all.get(key)),
            None => self.schema.get("items"),
        };
        below.unwrap_or(&Json::Null)
    }
}

fn json(before: &str, inside: usize, schema: &Json) -> Completions {
    let text = before.get(inside..).unwrap_or_default();
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut start = 0;
    scan(text, |at, sign| {
        match sign {
            '{' | '[' => {
                let schema = open.last().map_or(schema, Open::next);
                open.push(Open { schema, object: sign == '{', used: Vec::new(), key: None });
            }
            '}' | ']' => drop(open.pop()),
            ':' | ',' => {
                if let Some(last) = open.last_mut().filter(|last| last.object) {
                    let key = text.get(start..at).unwrap_or_default().trim();
                    last.key = serde_json::from_str(key).ok().filter(|_| sign == ':');
                    last.used.extend(last.key.clone());
                }
            }
            _ => return true,
        }
        start = at + 1;
        true
    });
    let Some(last) = open.last() else { return Completions::default() };
    let words: Vec<String> = match (last.object, &last.key) {
        (true, None) => {
            let keys = last.schema.get("properties").and_then(Json::as_object).into_iter().flat_map(|all| all.keys());
            keys.filter(|key| !last.used.contains(key)).map(|key| format!("{}: ", Json::from(key.as_str()))).collect()
        }
        _ => values(last.next()).iter().map(Json::to_string).collect(),
    };
    Completions::of(before, inside + start, words)
}

/// The values that a schema lists.
fn values(schema: &Json) -> Vec<Json> {
    let listed = schema.get("enum").and_then(Json::as_array).cloned();
    let only = || schema.get("const").map(|value| vec![value.clone()]);
    let either = || (schema.get("type")? == "boolean").then(|| vec![Json::Bool(true), Json::Bool(false)]);
    listed.or_else(only).or_else(either).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Tool;
    use super::*;

    fn toolbox() -> Toolbox {
        let schema = json!({"type": "object", "required": ["order_id"], "properties": {
            "order_id": {"type": "string"}, "reason": {"enum": ["late", "broken"]}, "now": {"type": "boolean"},
            "to": {"type": "object", "properties": {"street": {}, "state": {}}}}});
        let tool = |name: &str| Tool { name: name.into(), description: String::new(), schema: schema.clone() };
        Toolbox::new(vec![tool("cancel_order"), tool("count")])
    }

    #[test]
    fn tools_arguments_and_listed_values_are_completed_in_both_ways_of_writing() {
        let toolbox = toolbox();
        for (before, expected) in [
            ("tools.ca", &["tools.cancel_order("][..]),
            ("t", &["tools.cancel_order(", "tools.count("]),
            ("It is so.\ncan", &["cancel_order("]),
            ("Now I can", &[]),
            ("tools.cancel_order(", &["order_id=", "now=", "reason=", "to="]),
            ("tools.cancel_order(order_id='a, b', re", &["reason="]),
            ("tools.cancel_order(reason=", &["'late'", "'broken'"]),
            ("tools.cancel_order(reason='b", &["'broken'"]),
            ("tools.cancel_order(order_id='it', now=T", &["True"]),
            ("tools.cancel_order(order_id='x')\ncount(no", &["now="]),
            ("cancel_order({\n  \"order_id\": \"a}\",\n  \"re", &["\"reason\": "]),
            ("cancel_order({no", &["\"now\": "]),
            ("cancel_order({\"reason\": ", &["\"late\"", "\"broken\""]),
            ("cancel_order({\"to\": {\"st", &["\"street\": ", "\"state\": "]),
            ("cancel_order({\"to\": {\"street\": 1}, \"no", &["\"now\": "]),
            ("drop(", &[]),
            ("I don't (yet", &[]),
        ] {
            let mut words = toolbox.complete(before).words;
            words.sort();
            let mut expected: Vec<&str> = expected.to_vec();
            expected.sort();
            assert_eq!(words, expected, "{before}");
        }
        let found = toolbox.complete("cancel_order({\"to\": { \"st");
        assert_eq!((found.common(), found.from), ("\"st", 22));
    }
}
