//! Outputs of a model for a request, examined without running them: their calls, and the comparison of texts that the published
//! script makes.

use stepwright_text::words::stripped;
use stepwright_worlds::table::Move;

/// The calls of an output, as its lines make them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    pub moves: Vec<Move>,
    pub say: Vec<String>,
    pub update: Vec<String>,
}

/// Where a model continues with a made-up request.
const NEXT_QUERY: &str = "# query:";

impl Output {
    /// Reads an output: one call a line; other lines are passed over. From a line `# query:` on, only updates for the writer count:
    /// the original passes on every such line of the whole text.
    pub fn read(generated: &str) -> Self {
        let mut output = Output::default();
        let mut own = true;
        for line in generated.lines() {
            own &= !line.starts_with(NEXT_QUERY);
            // The published evaluation reads updates at the beginning of a line alone; the robot's program carries out others too.
            output.update.extend(update(line).map(str::to_owned));
            let line = line.trim();
            if own && let Some(text) = argument(line, "say") {
                output.say.push(text.to_owned());
            } else if own && let Some(moved) = argument(line, "put_first_on_second").and_then(two) {
                output.moves.push(moved);
            }
        }
        output
    }
}

/// The text of an update, as the original finds it: by `re.search(r'\(([\'|"])(.*)\1\)', line)`, to which `|` is a quote too.
fn update(line: &str) -> Option<&str> {
    if !line.starts_with("update_wm(") {
        return None;
    }
    line.match_indices('(').find_map(|(at, _)| {
        let quote = line.get(at + 1..)?.chars().next().filter(|c| matches!(c, '\'' | '|' | '"'))?;
        let (text, _) = line.get(at + 2..)?.rsplit_once(format!("{quote})").as_str())?;
        Some(text)
    })
}

/// The text between the outer quotes of a call's argument list.
fn argument<'a>(line: &'a str, function: &str) -> Option<&'a str> {
    let inner = line.strip_prefix(function)?.trim_start().strip_prefix('(')?;
    let inner = inner.get(..inner.rfind(')')?)?.trim();
    inner.strip_prefix(['"', '\''])?.strip_suffix(['"', '\''])
}

/// Two arguments, of which the outer quotes are gone.
fn two(inner: &str) -> Option<Move> {
    let (first, rest) = inner.split_once(['"', '\''])?;
    let second = rest.trim_start().strip_prefix(',')?.trim_start().strip_prefix(['"', '\''])?;
    (!second.contains(['"', '\''])).then(|| (first.to_owned(), second.to_owned()))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    Counts,
    /// They do not, nor does code around calls: the script's variant for some methods.
    IsDropped,
}

/// The published script's comparison: the lines of both texts are equal, one by one, apart from quotes, comments and updates for the
/// writer. Stricter than [`is_right`](stepwright_worlds::table::is_right): order and wording count.
pub fn equal_text(generated: &str, gold: &str, said: Said) -> bool {
    kept(generated, said) == kept(gold, said)
}

fn kept(text: &str, said: Said) -> Vec<String> {
    let begins = |line: &str, words: &[&str]| words.iter().any(|word| line.starts_with(word));
    // The script also drops lines that begin with two spaces, but strips every line before it looks.
    let lines = text.lines().map(stripped).filter(|line| {
        let code = said == Said::Counts || !begins(line, &["say", "if", "def", "while"]);
        code && !line.is_empty() && !begins(line, &["# ", "update_wm", "noop"])
    });
    lines.map(single_quoted).collect()
}

/// A line with what stands in double quotes in single ones; a double quote without another stays.
fn single_quoted(line: &str) -> String {
    let mut parts: Vec<&str> = line.split('"').collect();
    let lone = if parts.len().is_multiple_of(2) { parts.pop() } else { None };
    let paired = parts.join("'");
    match lone {
        Some(rest) => format!("{paired}\"{rest}"),
        None => paired,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_line_by_line() {
        let output = Output::read(
            "# THINK: put_first_on_second(\"a\", \"b\") is not possible\nput_first_on_second(\"a block\", 'b bowl')\n  say(\"yes\")\n\
             say(\"red block\", \"blue block\")\nnoop()\nupdate_wm(\"Put it (there).\")\nput_first_on_second(x, \"b\")\n\
             # query: and now?\nput_first_on_second(\"c block\", \"table\")\nsay('no')\nupdate_wm('Put more.')\n  update_wm(\"not here\")",
        );
        assert_eq!(output.moves, [("a block".to_owned(), "b bowl".to_owned())]);
        assert_eq!(output.say, ["yes", "red block\", \"blue block"]);
        assert_eq!(output.update, ["Put it (there).", "Put more."]);
    }

    #[test]
    fn updates_are_found_as_the_original_finds_them() {
        for (line, found) in [
            ("update_wm(\"x\")  # note (see 2)", Some("x")),
            ("update_wm(\"x\"); noop()", Some("x")),
            ("update_wm(\"a\"))", Some("a")),
            ("update_wm(\"\")", Some("")),
            ("update_wm(\"a\"); say(\"b\")", Some("a\"); say(\"b")),
            ("update_wm(|a \"b\"|)", Some("a \"b\"")),
            ("update_wm(x, (\"y\"))", Some("y")),
            ("update_wm (\"x\")", None),
            ("update_wm( \"x\" )", None),
            ("update_wm(\"x\" )", None),
            ("update_wm(\"a')", None),
            ("update_wm(\")", None),
        ] {
            let expected: Vec<&str> = found.into_iter().collect();
            assert_eq!(Output::read(line).update, expected, "{line}");
        }
    }

    #[test]
    fn broken_calls_are_passed_over() {
        for text in [
            "say(",
            "say)",
            "say(\"",
            "put_first_on_second(\"a\" \"b\")",
            "put_first_on_second(\"a\", \"b\", \"c\")",
            "say(\"é)",
        ] {
            assert_eq!(Output::read(text), Output::default(), "{text}");
        }
    }

    #[test]
    fn texts_are_compared_as_the_script_does() {
        let alike = |one: &str, other: &str| equal_text(one, other, Said::Counts);
        assert!(alike("say(\"yes\")", "say('yes')") && alike("say(\"a\", \"b", "say('a', \"b"));
        assert!(!alike("say('yes\")", "say(\"yes\")"), "a double quote without another stays");
        let gold = "put_first_on_second(\"a\", \"b\")\nsay(\"yes\")";
        assert!(equal_text(
            "  put_first_on_second('a', 'b')\n\n# so\nsay('yes')\nupdate_wm(\"x\")",
            gold,
            Said::Counts
        ));
        assert!(!equal_text("put_first_on_second('a', 'b')\nsay('no')", gold, Said::Counts));
        assert!(equal_text("put_first_on_second('a', 'b')\nsay('no')", gold, Said::IsDropped));
        assert!(!equal_text("say('yes')\nput_first_on_second('a', 'b')", gold, Said::Counts));
        assert!(equal_text("update_wm(\"x\")", "", Said::Counts));
    }
}
