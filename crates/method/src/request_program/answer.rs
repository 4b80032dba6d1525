//! Parsing of answers: a program and a state, or where the ball is.

use super::policy::{NEXT_QUERY, STATE};
use stepwright_text::words::stripped;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The program, without blank lines at its ends; comments (`# THINK: …`) stay.
    pub code: String,
    /// The text of the state behind it, from its first line on.
    pub state: Option<String>,
    pub thoughts: Vec<String>,
}

/// Reads an answer that holds a program, and perhaps a state. What a model writes beyond them (the next request) does not count.
pub fn read_program(text: &str) -> Answer {
    let text = unfenced(text);
    let lines: Vec<&str> = text.lines().collect();
    let begins = |mark: &str| lines.iter().position(|l| l.trim_start().starts_with(mark.trim_end()));
    let end = begins(NEXT_QUERY).unwrap_or(lines.len());
    // A state may be written without the comment signs, and under the name a demonstration does not have.
    let marks = [STATE, "state = {", "# world_state = {"];
    let state = marks.iter().filter_map(|mark| begins(mark)).min().filter(|at| *at < end);
    let code = lines.get(..state.unwrap_or(end)).unwrap_or_default();
    let thoughts =
        code.iter().filter_map(|l| l.trim().strip_prefix("# ")).map(|l| l.trim_start_matches("THINK:").trim());
    Answer {
        thoughts: thoughts.map(str::to_owned).collect(),
        code: code.join("\n").trim_matches('\n').trim_end().to_owned(),
        state: state.and_then(|at| lines.get(at..end)).map(|l| l.join("\n")),
    }
}

/// The line that begins a state behind code, and the one that a written state continues.
const MARK: &str = "\n# state = {";

/// Code and state of an answer that holds both, kept as they are: the code ends at the first mark, the state begins at the last one.
/// Without a mark everything is forgotten, as it was in the published program.
pub fn parted(answer: &str) -> (&str, String) {
    let answer = stripped(answer);
    let (code, _) = answer.split_once(MARK).unwrap_or((answer, ""));
    let state = answer.rsplit_once(MARK).map_or("}", |(_, state)| state);
    (code, format!("{MARK}{state}"))
}

/// The state that a writer's answer is, kept as it is, behind the words that its prompt ended with.
pub fn written(answer: &str) -> String {
    format!("{MARK}\n#     {}", stripped(answer))
}

/// The updates of an answer that no program was run for: each line that begins with one, the text between its outer quotes; `None` where
/// there is no such text. Those of requests that the model made up count.
pub fn updates_of_lines(answer: &str, updating: &str) -> Vec<String> {
    let calls =
        stripped(answer).split('\n').filter(|line| line.strip_prefix(updating).is_some_and(|l| l.starts_with('(')));
    calls.map(|line| quoted(line).unwrap_or("None").to_owned()).collect()
}

/// The text from the first opening quote to the last one of its kind before a bracket: the pattern `\((['|"])(.*)\1\)`.
fn quoted(line: &str) -> Option<&str> {
    line.match_indices('(').find_map(|(at, _)| {
        let inside = line.get(at + 1..)?;
        let quote = inside.chars().next().filter(|c| ['\'', '|', '"'].contains(c))?;
        let inside = inside.get(1..)?;
        inside.get(..inside.rfind(&format!("{quote})"))?)
    })
}

/// What a game of cups begins with, in prompts and in games that a model makes up behind its answer.
const GAME: &str = "# Initial state";

/// The last list of cups in an answer, before a game that was made up: where the ball is.
pub fn read_list(text: &str) -> Option<Vec<bool>> {
    let text = unfenced(text);
    let text = text.find(GAME).filter(|at| *at > 0).and_then(|at| text.get(..at)).unwrap_or(text);
    let open = text.rfind('[').or_else(|| text.find(']').map(|_| 0))?;
    let inside = text.get(open..)?.trim_start_matches('[');
    let inside = inside.split_once(']')?.0;
    let cups: Option<Vec<bool>> = inside
        .split(',')
        .map(|word| match word.trim().to_lowercase().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        })
        .collect();
    cups.filter(|cups| !cups.is_empty())
}

/// Cups as they are written: `[False, True, False]`.
pub fn list_of(cups: &[bool]) -> String {
    let words: Vec<&str> = cups.iter().map(|ball| if *ball { "True" } else { "False" }).collect();
    format!("[{}]", words.join(", "))
}

/// The text in a chat model's fence, else the whole.
fn unfenced(text: &str) -> &str {
    let Some((_, fenced)) = text.split_once("```") else { return text };
    let inside = fenced.split_once('\n').map_or("", |(_, rest)| rest);
    inside.split_once("```").map_or(inside, |(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_world::updates;

    #[test]
    fn program_and_state_are_told_apart() {
        let text = "# THINK: it is in the bowl\nput_first_on_second(\"a\", \"b\")\nupdate_wm(\"x\")\n# state = {\n#   \"a\": {},\n# }\n# query: next\nsay(\"no\")";
        let answer = read_program(text);
        assert_eq!(answer.code, "# THINK: it is in the bowl\nput_first_on_second(\"a\", \"b\")\nupdate_wm(\"x\")");
        assert_eq!(answer.state.as_deref(), Some("# state = {\n#   \"a\": {},\n# }"));
        assert_eq!(answer.thoughts, ["it is in the bowl"]);
        assert_eq!(read_program("say('a')\n# query: b\n# state = {").state, None, "what belongs to the next request");
        assert_eq!(read_program("Sure:\n```python\nnoop()\n```\nDone.").code, "noop()");
        assert_eq!(read_program("\n\n").code, "");
        assert_eq!(read_program("noop()\n# world_state = {\n# }").code, "noop()");
    }

    #[test]
    fn an_answer_is_stripped_as_python_strips() {
        let (code, state) = parted("\u{1c} noop()\n# state = {\n# }\u{1f}\n");
        assert_eq!((code, state.as_str()), ("noop()", "\n# state = {\n# }"));
        assert_eq!(written("\u{1d}objects\u{1e}"), "\n# state = {\n#     objects");
        assert_eq!(updates_of_lines("\u{1c}update_wm('a')", "update_wm"), ["a"]);
    }

    #[test]
    fn updates_are_read_in_their_order() {
        let code = "# THINK: x\nput_first_on_second('a', 'b')\nupdate_wm(\"it's \\\"so\\\"\")\n  update_wm('b')\nupdate_wm(c)\ndone()";
        assert_eq!(updates(code), ["it's \"so\"", "b"]);
        assert!(updates("noop()").is_empty());
    }

    #[test]
    fn texts_are_kept_as_they_were_written() {
        for (answer, code, state) in [
            (" noop()\n# state = {\n#  a\n# state = {\n#  b ", "noop()", "\n# state = {\n#  b"),
            ("# state = {}\n", "# state = {}", "\n# state = {}"),
            ("", "", "\n# state = {}"),
            ("say('a')\n# state: {", "say('a')\n# state: {", "\n# state = {}"),
        ] {
            assert_eq!(parted(answer), (code, state.to_owned()), "{answer}");
        }
        assert_eq!(written(" \"a\": {}\n# }\n"), "\n# state = {\n#     \"a\": {}\n# }");
        let answer = "update_wm(\"it's\")\n  update_wm('no')\nupdate_wm ('no')\nsay(1); update_wm('no')\n# query: next\n\
                      update_wm(\"a\" + \"b\") # (\"c\")\nupdate_wm(name)\nupdate_wm(\"cut\nupdate_wm('')";
        assert_eq!(updates_of_lines(answer, "update_wm"), ["it's", "a\" + \"b\") # (\"c", "None", "None", ""]);
    }

    #[test]
    fn the_last_list_is_the_answer() {
        assert_eq!(read_list(" [False, True, False]\n"), Some(vec![false, true, false]));
        assert_eq!(read_list("cups = [True, False]\ncups = [False, True]"), Some(vec![false, true]));
        let made_up = "cups = [False, True]\n\n# Initial state\ncups = [True, False]\nSwapping cup 0 with cup 1\ncups = [False, True]";
        assert_eq!(read_list(&made_up.replace("[False, True]\n\n", "[True, False]\n\n")), Some(vec![true, false]));
        assert_eq!(read_list(made_up), Some(vec![false, true]));
        assert_eq!(read_list("False, True, False]"), Some(vec![false, true, false]), "the prompt opened it");
        for none in ["", "[]", "[1, 2]", "[True, False", "no"] {
            assert_eq!(read_list(none), None, "{none}");
        }
        assert_eq!(list_of(&[false, true]), "[False, True]");
    }
}
