//! Written texts: a step read out of an answer, and steps as plans number them.

/// The sentence of a chat model's answer: its first line that is not empty, what numbers it (`Step 3:`) and what marks it (`-`, quotes, a
/// full stop) taken off; empty where it says that the plan is done.
pub fn sentence(answer: &str) -> String {
    let mut lines = answer.lines().map(str::trim).filter(|line| !(line.is_empty() || line.starts_with("```")));
    let line = lines.next().unwrap_or_default();
    let unmarked = line.trim_start_matches(['-', '*', '>', '•']).trim_start();
    let text = unnumbered(unmarked);
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '`' | '\'' | '“' | '”'));
    let text = text.strip_suffix('.').unwrap_or(text).trim_end();
    if ["done", "finished", "none"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return String::new();
    }
    text.to_owned()
}

/// A sentence as it is translated: in lower case, and without ASCII punctuation where `plain`.
pub fn translated(sentence: &str, plain: bool) -> String {
    sentence.to_lowercase().chars().filter(|c| !plain || !c.is_ascii_punctuation()).collect()
}

/// A line without the number of its step: `Step 3: Sit` and `3. Sit` are `Sit`.
pub fn unnumbered(line: &str) -> &str {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let word = line.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("step"));
    let rest = if word { line.get(4..).unwrap_or_default().trim_start() } else { line };
    let number = digits(rest);
    let after = rest.get(number..).unwrap_or_default();
    let mark =
        if word { after.strip_prefix([':', '.']) } else { after.strip_prefix(['.', ')']).filter(|_| number > 0) };
    mark.map_or(line, str::trim_start)
}

/// An admissible step as plans spell it: its first letter in upper case, underscores as spaces.
pub fn spelled(step: &str) -> String {
    let mut letters = step.chars().map(|c| if c == '_' { ' ' } else { c });
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether a correction says that the failed step is to be dropped.
pub fn drops(sentence: &str) -> bool {
    let word = sentence.trim().trim_end_matches(['.', '!']);
    ["skip", "skip it", "skip the step", "skip this step"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_read_with_and_without_what_marks_it() {
        for (answer, expected) in [
            ("\n\nStep 2: Sit on chair.", "Sit on chair"),
            ("```\n- Step 12. \"Open fridge\"\n```", "Open fridge"),
            ("3) Open fridge", "Open fridge"),
            ("3 cups on table", "3 cups on table"),
            ("Step up", "Step up"),
            ("", ""),
            ("Step 4: Done.", ""),
        ] {
            assert_eq!(sentence(answer), expected, "{answer:?}");
        }
        assert_eq!(spelled("put_food on table"), "Put food on table");
        assert!(drops("Skip.") && !drops("skip rope"));
        assert_eq!(translated("Put food_bread (2), now!", true), "put foodbread 2 now");
        assert_eq!(translated("Put food_bread.", false), "put food_bread.");
    }
}
