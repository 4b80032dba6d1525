//! Request compared with the recorded one that it should repeat: ids, times and the workspace's path aside.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::raw;

/// What may differ.
#[derive(Debug, Clone, Default)]
pub struct Aside {
    /// Paths that stand for the same folder, as recorded and as now.
    pub folders: Vec<(String, String)>,
}

/// The first place where a request is another than the recorded one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// A JSON pointer (`/messages/3/content`); empty for the whole.
    pub place: String,
    /// The text there, as it was; empty where there was none.
    pub recorded: String,
    pub now: String,
}

/// Where `now` differs from what was recorded; `None` if it repeats it.
pub fn difference(recorded: &str, now: &str, aside: &Aside) -> Option<Difference> {
    if recorded == now {
        return None;
    }
    match (raw::read(recorded), raw::read(now)) {
        (Ok(a), Ok(b)) => differ(&a, &b, String::new(), aside),
        _ => Some(Difference { place: String::new(), recorded: recorded.to_owned(), now: now.to_owned() }),
    }
}

/// Fields that say who asks or where it is kept, and nothing of what is asked.
const OF_THE_CLIENT: [&str; 8] = [
    "user", "safety_identifier", "prompt_cache_key", "metadata", "client_metadata", "cache_control",
    "previous_response_id", "stream_options",
];

fn differ(a: &Value, b: &Value, place: String, aside: &Aside) -> Option<Difference> {
    match (a, b) {
        (Value::Object(old), Value::Object(new)) => {
            let names = old.keys().chain(new.keys().filter(|name| !old.contains_key(*name)));
            names.filter(|name| !OF_THE_CLIENT.contains(&name.as_str())).find_map(|name| {
                let (a, b) = (old.get(name).unwrap_or(&Value::Null), new.get(name).unwrap_or(&Value::Null));
                let name = name.replace('~', "~0").replace('/', "~1");
                differ(a, b, format!("{place}/{name}"), aside)
            })
        }
        (Value::Array(old), Value::Array(new)) => {
            let most = old.len().max(new.len());
            (0..most).find_map(|at| {
                let (a, b) = (old.get(at).unwrap_or(&Value::Null), new.get(at).unwrap_or(&Value::Null));
                differ(a, b, format!("{place}/{at}"), aside)
            })
        }
        (Value::String(old), Value::String(new)) => {
            let (mut own, mut other) = (old.clone(), new.clone());
            for (recorded, now) in &aside.folders {
                own = put(&own, recorded);
                other = put(&other, now);
            }
            (old != new && bare(&own) != bare(&other)).then(|| said(place, a, b))
        }
        _ => (a != b).then(|| said(place, a, b)),
    }
}

fn said(place: String, a: &Value, b: &Value) -> Difference {
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Difference { place, recorded: text(a), now: text(b) }
}

/// A text with the folder's name in place of its path.
fn put(text: &str, folder: &str) -> String {
    if folder.is_empty() { text.to_owned() } else { text.replace(folder, "{workspace}") }
}

/// A text without its ids and times: words of digits and hexadecimals, dates, clocks and figures of seconds become marks.
fn bare(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '.' | '_' | '+');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c| !is_word(c)).unwrap_or(from.len()));
        out += before;
        out += mark(word).unwrap_or(word);
        rest = after;
    }
    out + rest
}

/// What a word that is an id or a time stands for.
fn mark(word: &str) -> Option<&'static str> {
    let word = word.trim_end_matches(['.', ':', '-']);
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    if digits < 4 || word.len() < 5 {
        return None;
    }
    let id = word.rsplit('_').next().unwrap_or(word);
    let hex: usize = id.bytes().filter(u8::is_ascii_hexdigit).count();
    let dashes = id.bytes().filter(|b| *b == b'-').count();
    // 550e8400-e29b-41d4-a716-446655440000, or as many digits without the dashes
    if (dashes == 4 && id.len() == 36 && hex == 32) || (dashes == 0 && id.len() >= 24 && hex == id.len()) {
        return Some("{id}");
    }
    // 2026-11-27, 2026-11-27T02:18:06.123456+00:00, 02:18:06
    let time = word.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b':' | b'.' | b'T' | b'Z' | b'+'));
    let date = word.get(..10).is_some_and(|day| {
        let part =
            |at: std::ops::Range<usize>| day.get(at).is_some_and(|part| part.bytes().all(|b| b.is_ascii_digit()));
        part(0..4) && part(5..7) && part(8..10) && day.bytes().filter(|b| *b == b'-').count() == 2
    });
    let clock = word.bytes().filter(|b| *b == b':').count() == 2 && word.len() >= 7;
    // Seconds since 1970, perhaps with parts of them.
    let whole = word.split('.').next().unwrap_or_default();
    let epoch =
        whole.bytes().all(|b| b.is_ascii_digit()) && matches!(whole.len(), 10 | 13) && whole.starts_with(['1', '2']);
    (time && (date || clock || epoch)).then_some("{time}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_times_and_the_workspace_are_aside() {
        let aside = Aside { folders: vec![("/tmp/a".into(), "/tmp/copy-2".into())] };
        let body = |text: &str| json!({"messages": [{"role": "user", "content": text}], "user": text}).to_string();
        for (recorded, now) in [
            ("cd /tmp/a/src", "cd /tmp/copy-2/src"),
            ("at 2026-11-27T02:18:06Z.", "at 2026-11-28T12:00:06.5+01:00."),
            ("today is 2026-11-27", "today is 2027-01-01"),
            ("it is 02:18:06", "it is 23:59:59"),
            ("run 550e8400-e29b-41d4-a716-446655440000 x", "run 650e8400-e29b-41d4-a716-446655440001 x"),
            ("took at 1764209886.12", "took at 1764209999.9"),
            ("call_0123456789abcdef01234567", "call_fedcba9876543210fedcba98"),
        ] {
            assert_eq!(difference(&body(recorded), &body(now), &aside), None, "{recorded} | {now}");
        }
        for (recorded, now) in
            [("order W42", "order W43"), ("12345 apples", "12346 apples"), ("cd /tmp/a", "cd /tmp/b"), ("a", "a b")]
        {
            let found = difference(&body(recorded), &body(now), &aside).unwrap();
            assert_eq!(
                (found.place.as_str(), found.recorded.as_str(), found.now.as_str()),
                ("/messages/0/content", recorded, now)
            );
        }
        let found =
            difference(&json!({"a": [1]}).to_string(), &json!({"a": [1, {"b": 2}]}).to_string(), &aside).unwrap();
        assert_eq!((found.place.as_str(), found.recorded.as_str(), found.now.as_str()), ("/a/1", "", "{\"b\":2}"));
    }
}
