//! Actions as text: calls, one a line (`put_first_on_second("red block", "tin bowl")`), and as program calls.

use super::thing::tidy;
use stepwright_program::{Call, Literal};
use stepwright_world::HostFunction;

/// The object the calls are of, in programs.
pub(crate) const ROBOT: &str = "robot";
/// The function that answers a question.
pub(crate) const ANSWERING: &str = "say";
/// The longest text read, in bytes.
const LONGEST: usize = 64 * 1024;
const MOST: usize = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    Put(String, String),
    Say(String),
    Noop,
    /// Asks that a maintained state be brought up to date; nothing on the table changes.
    Update(String),
    Done,
}

/// The functions that programs may call.
pub fn functions() -> Vec<HostFunction> {
    let put = "the robot takes the first and puts it on or in the second; the second may be \"table\".";
    let own = [
        HostFunction::new("put_first_on_second", &["first", "second"], put),
        HostFunction::new(ANSWERING, &["text"], "the robot answers the person."),
    ];
    own.into_iter().chain(HostFunction::of_any_world()).collect()
}

impl Act {
    pub fn call(&self) -> Call {
        let call = |function, args: &[&str]| Call::new(ROBOT, function, args.iter().copied());
        match self {
            Act::Put(first, second) => call("put_first_on_second", &[first, second]),
            Act::Say(text) => call("say", &[text]),
            Act::Noop => call("noop", &[]),
            Act::Update(text) => call("update_wm", &[text]),
            Act::Done => call("done", &[]),
        }
    }

    /// The request of a program call; `None` if it is no action here.
    pub fn of(call: &Call) -> Option<Act> {
        if call.receiver != ROBOT || !call.named.is_empty() {
            return None;
        }
        match (call.function.as_str(), call.args.as_slice()) {
            ("put_first_on_second", [Literal::Str(first), Literal::Str(second)]) => {
                Some(Act::Put(tidy(first), tidy(second)))
            }
            ("say", args) if !args.is_empty() => Some(Act::Say(joined(args))),
            ("noop", []) => Some(Act::Noop),
            ("update_wm", [Literal::Str(text)]) => Some(Act::Update(text.clone())),
            ("done", []) => Some(Act::Done),
            _ => None,
        }
    }

    /// The action's text, texts in double quotes.
    pub fn text(&self) -> String {
        let call = self.call();
        let args: Vec<String> = call.args.iter().map(quoted).collect();
        format!("{}({})", call.function, args.join(", "))
    }

    fn read(line: &str) -> Option<Act> {
        // Lines of a tuple in published programs end with a comma.
        let line = line.trim().trim_end_matches([',', ';']).trim_end();
        let line = line.strip_prefix("robot.").unwrap_or(line);
        let parsed = |text: &str| format!("{ROBOT}.{text}").parse::<Call>().ok();
        let straight = || parsed(&line.replace(['“', '”'], "\"").replace(['‘', '’'], "'"));
        if let Some(call) = parsed(line).or_else(straight) {
            return Act::of(&call);
        }
        // An answer may be a list of truths, which is no constant of a program call.
        let list = line.strip_prefix("say(")?.strip_suffix(')')?.trim();
        let plain = |c: char| c.is_ascii_alphanumeric() || " ,".contains(c);
        let inside = list.strip_prefix('[')?.strip_suffix(']')?;
        inside.chars().all(plain).then(|| Act::Say(list.to_owned()))
    }
}

/// Reads an action's text: a call a line; empty lines and comments count for nothing.
pub fn read(text: &str) -> Result<Vec<Act>, String> {
    if text.len() > LONGEST || text.lines().count() > MOST {
        return Err(format!("the text is longer than {MOST} lines or {LONGEST} bytes"));
    }
    let mut acts = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if acts.last() == Some(&Act::Done) {
            return Err("done() closes the request, so it can only be the last line".to_owned());
        }
        acts.push(Act::read(line).ok_or_else(|| {
            let shown: String = line.chars().take(80).collect();
            format!(
                "`{shown}` is no call of this world; put_first_on_second(\"a\", \"b\"), say(\"…\"), noop(), update_wm(\"…\") and \
                 done() are"
            )
        })?);
    }
    if acts.is_empty() {
        return Err("there is no call in this text; noop() does nothing, done() closes the request".to_owned());
    }
    Ok(acts)
}

/// Checks that a reference program can be played; one of remarks alone is as good as none.
pub(super) fn check(program: &str) -> Result<(), String> {
    let has_lines = program.lines().map(str::trim).any(|line| !line.is_empty() && !line.starts_with('#'));
    if has_lines { read(program).map(drop) } else { Ok(()) }
}

fn joined(args: &[Literal]) -> String {
    let text = |arg: &Literal| match arg {
        Literal::Str(text) => text.clone(),
        other => other.to_string(),
    };
    args.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn quoted(arg: &Literal) -> String {
    let Literal::Str(text) = arg else { return arg.to_string() };
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    let escaped = escaped.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t").replace('\0', "\\0");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn calls_are_read_in_any_quotes() {
        let put = Act::Put("red block".into(), "tin bowl".into());
        for text in [
            "put_first_on_second(\"red block\", \"tin bowl\")",
            " put_first_on_second('red_block', 'tin_bowl'),",
            "put_first_on_second(“red block”, ‘tin bowl’)",
            "robot.put_first_on_second('red block', 'tin bowl')",
        ] {
            assert_eq!(read(text), Ok(vec![put.clone()]), "{text}");
        }
        let text =
            "# THINK: the red block\nsay('a', 'b')\n\nsay([False, True])\nupdate_wm(\"it's dirty\")\nnoop()\ndone()";
        let expected =
            [Act::Say("a, b".into()), Act::Say("[False, True]".into()), Act::Update("it's dirty".into()), Act::Noop];
        assert_eq!(read(text), Ok(expected.into_iter().chain([Act::Done]).collect()));
    }

    #[test]
    fn what_is_no_call_is_refused_whole() {
        for text in [
            "",
            "# nothing",
            "fly()",
            "noop()\nfor a in b:",
            "done()\nnoop()",
            "put_first_on_second('a')",
            "put_first_on_second(a, b)",
            "say([f()])",
            "say()",
            &"(".repeat(70_000),
        ] {
            assert!(read(text).is_err(), "{text:.60}");
        }
    }

    proptest! {
        #[test]
        fn an_action_survives_its_text(text in "[^\u{0}-\u{1f}\u{7f}]{0,20}|a\nb\t\"'\\\\", which in 0..3) {
            let act = match which {
                0 => Act::Say(text),
                1 => Act::Update(text),
                _ => Act::Put("red block".into(), tidy(&text)),
            };
            prop_assert_eq!(read(&act.text()), Ok(vec![act.clone()]));
            prop_assert_eq!(Act::of(&act.call()), Some(act));
        }

        #[test]
        fn nothing_panics(text in "\\PC{0,80}|(say|done|noop)[(\\[\"'a-z, \\])]{0,20}") {
            let _ = read(&text);
        }
    }
}
