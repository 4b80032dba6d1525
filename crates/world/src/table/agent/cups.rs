//! Three cups: swaps of cups, and where the ball is then.

use serde_json::{Value, json};

use super::Unreadable;
use super::act::quoted;

/// The answer to a swap: the list after it, and the update that states it.
pub fn answer(belief: &Value, query: &str) -> Result<String, Unreadable> {
    let after = update(belief, query)?;
    let said = format!("say({})", quoted(&list(&after)));
    Ok(match swap(query) {
        Some((one, other)) => format!("update_wm(\"Swapping cup {one} with cup {other}\")\n{said}"),
        None => said,
    })
}

/// The cups after a swap; a question without one leaves them as they are.
pub fn update(belief: &Value, text: &str) -> Result<Value, Unreadable> {
    let cups = belief.get("cups").and_then(Value::as_array);
    let cups = cups.ok_or_else(|| Unreadable::new("", "the belief: \"cups\" is no list"))?;
    let Some((one, other)) = swap(text) else {
        let asked = ["where", "cups", "which", "ball"].iter().any(|word| text.to_lowercase().contains(word));
        return if asked {
            Ok(belief.clone())
        } else {
            Err(Unreadable::new(text.trim(), "\"Swapping cup 0 with cup 2\" is expected"))
        };
    };
    let mut cups = cups.clone();
    if let Some(missing) = [one, other].into_iter().find(|cup| *cup >= cups.len()) {
        return Err(Unreadable::new(
            &format!("cup {missing}"),
            format!("the belief has cups 0 to {}", cups.len().saturating_sub(1)),
        ));
    }
    cups.swap(one, other);
    let mut after = belief.clone();
    if let Some(entry) = after.get_mut("cups") {
        *entry = json!(cups);
    }
    Ok(after)
}

/// The two cups a text says to swap.
fn swap(text: &str) -> Option<(usize, usize)> {
    let lower = text.to_lowercase();
    let numbers: Vec<usize> =
        lower.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
    match (lower.contains("swap") || lower.contains("exchang") || lower.contains("switch"), numbers.as_slice()) {
        (true, [one, other]) => Some((*one, *other)),
        _ => None,
    }
}

/// The cups as a Python list.
fn list(state: &Value) -> String {
    let cups = state.get("cups").and_then(Value::as_array).into_iter().flatten();
    let words: Vec<&str> = cups.map(|cup| if cup.as_bool() == Some(true) { "True" } else { "False" }).collect();
    format!("[{}]", words.join(", "))
}
