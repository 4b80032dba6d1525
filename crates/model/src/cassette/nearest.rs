//! Nearest recorded request to one that is not recorded, and where the two differ.

use std::collections::HashMap;

use crate::ModelRequest;

/// Names the nearest of `recorded` and the first difference.
pub(super) fn nearest<'a>(wanted: &ModelRequest, recorded: impl Iterator<Item = &'a ModelRequest>) -> String {
    let wanted_lines = lines(wanted);
    let mut best: Option<(f64, usize, &ModelRequest)> = None;
    for (i, request) in recorded.enumerate() {
        let likeness = likeness(&wanted_lines, &lines(request));
        if best.is_none_or(|(most, _, _)| likeness > most) {
            best = Some((likeness, i + 1, request));
        }
    }
    let Some((likeness, number, request)) = best else {
        return "nothing: the cassette is empty".to_owned();
    };
    let percent = (likeness * 100.0).floor();
    format!(
        "exchange {number} ({percent}% of the lines alike): {}",
        difference(&wanted_lines, &lines(request), wanted, request)
    )
}

/// The share of lines the two have in common, 0 to 1: twice those in common by all. The settings count as one line, so that of
/// two equal prompts the one with equal settings is nearer.
fn likeness(a: &[String], b: &[String]) -> f64 {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in a {
        *counts.entry(line).or_default() += 1;
    }
    let mut common = 0usize;
    for line in b {
        if let Some(count) = counts.get_mut(line.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    2.0 * common as f64 / (a.len() + b.len()).max(1) as f64
}

/// A request's lines: each message's role and text, then the settings.
fn lines(request: &ModelRequest) -> Vec<String> {
    let mut lines = Vec::new();
    for message in &request.messages {
        lines.push(format!("[{}]", message.role));
        lines.extend(message.text.lines().map(str::to_owned));
        if message.text.ends_with('\n') {
            lines.push(String::new());
        }
    }
    lines.push(settings(request));
    lines
}

fn settings(request: &ModelRequest) -> String {
    format!(
        "max_tokens {} temperature {} frequency_penalty {} presence_penalty {} top_p {} n {} stop {:?} seed {:?} logprobs {}",
        request.max_tokens,
        request.temperature,
        request.frequency_penalty,
        request.presence_penalty,
        request.top_p.unwrap_or(1.0),
        request.n,
        request.stop,
        request.seed,
        request.logprobs
    )
}

fn difference(wanted: &[String], found: &[String], wanted_request: &ModelRequest, request: &ModelRequest) -> String {
    let last = |lines: &[String]| lines.len().saturating_sub(1);
    let (text_a, text_b) = (&wanted[..last(wanted)], &found[..last(found)]);
    let length = text_a.len().max(text_b.len());
    for i in 0..length {
        let (a, b) = (text_a.get(i), text_b.get(i));
        if a != b {
            let show = |line: Option<&String>| match line {
                Some(line) => format!("{:?}", line.chars().take(120).collect::<String>()),
                None => "nothing (it ends there)".to_owned(),
            };
            return format!("line {} is {} here but {} in the recording", i + 1, show(a), show(b));
        }
    }
    format!("the prompts are equal; asked with {} but recorded with {}", settings(wanted_request), settings(request))
}
