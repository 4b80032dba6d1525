//! Written texts: a step read out of a completion, and steps as plans number them.

/// The sentence of a completion: its first line, what numbers it (`Step 3:`) and what marks it (`-`, quotes, a full stop) taken off.
/// A raw completion whose first line is empty holds no step; a chat model's answer begins with its first line that is not.
pub fn sentence(completion: &str, raw: bool) -> String {
    let mut lines =
        completion.lines().map(str::trim).filter(|line| raw || !(line.is_empty() || line.starts_with("```")));
    let line = lines.next().unwrap_or_default();
    let unmarked = line.trim_start_matches(['-', '*', '>', '•']).trim_start();
    let text = unnumbered(unmarked);
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '`' | '\'' | '“' | '”'));
    let text = text.strip_suffix('.').unwrap_or(text).trim_end();
    // A chat model says in a word what a raw completion says by nothing.
    if !raw && ["done", "finished", "none"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return String::new();
    }
    text.to_owned()
}

/// A line without the number of its step: `Step 3: Sit` and `3. Sit` are `Sit`.
pub(crate) fn unnumbered(line: &str) -> &str {
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
        for (completion, raw, expected) in [
            (" Walk to kitchen\nStep 2: Sit", true, "Walk to kitchen"),
            ("\nStep 2: Sit", true, ""),
            ("\n\nStep 2: Sit on chair.", false, "Sit on chair"),
            ("```\n- Step 12. \"Open fridge\"\n```", false, "Open fridge"),
            ("3) Open fridge", false, "Open fridge"),
            ("3 cups on table", false, "3 cups on table"),
            ("Step up", false, "Step up"),
            ("", false, ""),
            ("Step 4: Done.", false, ""),
        ] {
            assert_eq!(sentence(completion, raw), expected, "{completion:?}");
        }
        assert_eq!(spelled("put_food on table"), "Put food on table");
        assert!(drops("Skip.") && !drops("skip rope"));
    }
}
