//! Programs put together from answers: the function with its header, the line that calls it, the variables it goes on with.

use std::fmt::Write as _;

use ruff_python_ast::PythonVersion;
use stepwright_program::SyntaxFault;
use stepwright_program::parse::{ParseFailure, position, with_parsed_of};
use stepwright_skill::code;

use super::messages::SAID;
use stepwright_method::Context;
use stepwright_text::words::stripped;

/// The name of the function that a program is.
pub(super) const FUNCTION: &str = "solution";
const HEADER: &str = "def solution(agent, start_from=1):";
/// How a line that calls the function begins.
const CALL: &str = "solution(agent";
/// Blanks before an answer that is no whole function, as published: of a first program, of a correction.
const BLANKS: [usize; 2] = [8, 16];
/// A question is a text, as the published function has it, which strips it.
const ASK: &str = r"_asked = ask
def ask(prompt):
    _text = prompt.strip()
    return _asked(prompt)
";
/// How the function begins by which a class tells its last acts; and one before it that fails where there are fewer than it shows.
const REPORTED: &str = "\ndef _told(agent):";
const REPORT: &str = r"_tells = _told
def _told(agent):
    _first = agent.interaction_history['actions'][-3]
    return _tells(agent)
";
/// What the published program takes out of programs or puts in other words, in its order.
const REWORDED: [(&str, &str); 6] = [
    ("CD", "cd"),
    ("solution(agent)", ""),
    ("<EOC>", ""),
    ("print(\"Task completed successfully!\")", ""),
    ("print(agent.report())", ""),
    ("receptacles =", "# receptacles ="),
];

stepwright_world::option_specs! {
    pub(super) ANSWERS: "solutions", "Programs in answers", "how a program is read from a model's answer", [
        "mended" = "fences off, the body indented as it parses", "published" = "as AdaPlanner's program puts them together"
    ] or "mended";
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Mended,
    Published,
}

impl Form {
    pub(super) fn of(cx: &Context<'_>) -> Self {
        if cx.options().is(&ANSWERS, "published") { Form::Published } else { Form::Mended }
    }

    /// The function in an answer that is one, or the rest of one behind its header; `again`: in a correction.
    pub(super) fn function(self, answer: &str, again: bool) -> String {
        match self {
            Form::Published => {
                let answer = stripped(answer);
                let blanks = BLANKS[usize::from(again)];
                let whole = if answer.starts_with(HEADER) {
                    answer.to_owned()
                } else {
                    format!("{HEADER}\n{:blanks$}{answer}", "")
                };
                // A first program is put in other words once it was checked.
                if again { reworded(&whole) } else { whole }
            }
            Form::Mended => mended(&code::written(answer)),
        }
    }

    /// The function after its check: as the answer has it where that decides so, else as it was.
    pub(super) fn checked(self, answer: &str, function: &str) -> String {
        let code = "[Revised code]";
        let marks = answer.split_once("[Decision]").and_then(|(_, rest)| rest.split_once(code));
        let decided = marks.filter(|(decision, _)| decision.contains("Yes"));
        // As published the first mark of code counts, wherever the decision is.
        let first = || answer.split_once(code).filter(|_| self == Form::Published);
        let revised = decided.map(|behind| first().unwrap_or(behind).1.trim());
        match (self, revised) {
            (Form::Published, revised) => {
                let text = |text: &str| text.trim_matches('`').replace("Revised code:", "");
                let revised = revised.map(|revised| stripped(&text(stripped(revised))).to_owned());
                reworded(revised.as_deref().unwrap_or(function))
            }
            (Form::Mended, Some(revised)) if !code::written(revised).trim().is_empty() => {
                mended(&code::written(revised))
            }
            (Form::Mended, _) => function.to_owned(),
        }
    }

    /// A function that begins with the variables of the one that failed while it ran, as further parameters: as published all of them, else
    /// those whose text is a value again.
    pub(super) fn with_variables(self, function: &str, variables: Option<&[(String, String)]>) -> String {
        let Some(variables) = variables else { return function.to_owned() };
        let kept = |text: &str| self == Form::Published || crate::code_policy::is_literal(text);
        let further =
            variables.iter().filter(|(_, text)| kept(text)).fold(String::new(), |mut further, (name, text)| {
                // Writing to a String cannot fail.
                let _ = write!(further, ", {name}={text}");
                further
            });
        function.replace(HEADER, &format!("def solution(agent, start_from{further}):"))
    }

    /// Where a program is no Python for the published one, which runs in 3.9, and why. The function counts: it is read without the call.
    pub(super) fn refused(self, program: &str) -> Option<(usize, String)> {
        let (function, _) = parted(program);
        match with_parsed_of(PythonVersion::PY39, function, |_| ()) {
            Err(ParseFailure::Syntax(why, at)) if self == Form::Published => Some((position(function, at).0, why)),
            _ => None,
        }
    }

    /// The code between a class and a function: what asks, and what a variable's text is. As published the quotes of a text are not minded,
    /// and a report of fewer acts than it shows is an error.
    pub(super) fn between(self, class: &str) -> String {
        let shown = match self {
            Form::Published => "'\"' + value + '\"'",
            Form::Mended => r#"'"' + value.replace('\\', '\\\\').replace('"', '\\"').replace('\n', '\\n') + '"'"#,
        };
        let report = if self == Form::Published && class.contains(REPORTED) { REPORT } else { "" };
        format!(
            "{ASK}{SAID}{report}def _shown(value):\n    return {shown} if _isinstance(value, _str) else _str(value)\n"
        )
    }
}

fn reworded(function: &str) -> String {
    REWORDED.iter().fold(function.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// A function whose header is the usual one, without a call of it; where there is none, one of which the code is the body.
fn mended(code: &str) -> String {
    let is_header = |line: &str| line.starts_with("def solution(") && line.trim_end().ends_with(':');
    if code.lines().any(is_header) {
        let lines = code.lines().filter(|line| !line.starts_with(CALL));
        let lines: Vec<&str> = lines.map(|line| if is_header(line) { HEADER } else { line }).collect();
        return lines.join("\n").trim_end().to_owned();
    }
    let code = code.trim_end();
    if code.trim().is_empty() {
        return String::new();
    }
    // The first line's blanks are lost where an answer was trimmed.
    let first = format!("    {}", code.trim_start());
    let deeper: Vec<String> =
        code.lines().map(|line| if line.is_empty() { String::new() } else { format!("    {line}") }).collect();
    let bodies = [first.as_str(), code, &deeper.join("\n")].map(|body| format!("{HEADER}\n{body}"));
    let parses = |whole: &&String| SyntaxFault::of_program(whole).is_none();
    bodies.iter().find(parses).unwrap_or(&bodies[0]).clone()
}

/// The whole program: a function and the line that calls it.
pub(super) fn whole(function: &str, step: usize) -> String {
    if function.trim().is_empty() {
        return String::new();
    }
    format!("{function}\n\n{CALL}, start_from={step})")
}

/// A program's function, and the line that calls it with what stands behind.
pub(super) fn parted(program: &str) -> (&str, &str) {
    match program.rfind(&format!("\n{CALL}")) {
        Some(at) => {
            let (function, call) = program.split_at(at);
            (function.strip_suffix('\n').unwrap_or(function), call.trim_start_matches('\n'))
        }
        None => (program, ""),
    }
}

/// A program that tells its variables, and what it leaves to the next one, where its last line, the call, ends.
pub(super) fn telling(program: &str) -> String {
    let (_, call) = parted(program);
    if call.is_empty() || call.trim_end().contains('\n') {
        return program.to_owned();
    }
    let before = program.len() - call.len();
    let before = program.get(..before).unwrap_or_default();
    format!("{before}try: {}\nfinally: {}(_variables(), _left())\n", call.trim_end(), code::VARIABLES)
}

/// The step that an answer names: its first digit, of any script; the first where there is none, or 0.
pub(super) fn step(answer: &str) -> usize {
    let digit = code::find_all(r"\d", answer).first().and_then(|digit| digit.chars().next()).map(value);
    digit.filter(|digit| *digit > 0).unwrap_or(1)
}

/// The value of a digit. Those of a script follow each other, in some scripts several times, but never more than fifty.
fn value(digit: char) -> usize {
    let before: String = (0..=60).rev().filter_map(|n| char::from_u32(u32::from(digit).checked_sub(n)?)).collect();
    let row = code::find_all(r"\d+$", &before).first().map_or(0, |row| row.chars().count());
    row.saturating_sub(1) % 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_in_what_models_write() {
        let body = "    # Plan.\n    if start_from <= 1:\n        x = 1";
        let function = format!("{HEADER}\n{body}");
        for answer in [
            function.clone(),
            format!("```python\n{function}\n\nsolution(agent)\n```"),
            body.to_owned(),
            body.trim().to_owned(),
            "# Plan.\nif start_from <= 1:\n    x = 1".to_owned(),
            format!("Here:\n```\n{}\n```", function.replace("start_from=1", "start_from: int = 1")),
        ] {
            assert_eq!(Form::Mended.function(&answer, false), function, "{answer}");
        }
        assert_eq!(Form::Mended.function("```python\n```", false), "");
        let broken = Form::Mended.function("if x\n        y", false);
        assert!(broken.starts_with(HEADER), "what does not parse is a program all the same: {broken}");
    }

    #[test]
    fn the_published_form_is_the_published_programs() {
        let published = |answer: &str, again| Form::Published.function(answer, again);
        assert_eq!(published("\u{1c} # Plan\n    pass\n\u{1f}", false), format!("{HEADER}\n        # Plan\n    pass"));
        assert_eq!(published("# Plan\n    CD()", true), format!("{HEADER}\n                # Plan\n    cd()"));
        assert_eq!(
            published("def solution(agent, start_from=1):\n    pass\nsolution(agent)", true),
            format!("{HEADER}\n    pass\n")
        );
        let was = "def solution(agent, start_from=1):\n    CD";
        assert_eq!(Form::Published.checked("Question 1: Yes\n[Revised code]\nx", was), was.replace("CD", "cd"));
        assert_eq!(Form::Published.checked("[Decision] Yes\n[Revised code]\n```x = 1\n```", was), "x = 1");
        assert_eq!(Form::Published.checked("[Decision] No\n[Revised code]\nx", was), was.replace("CD", "cd"));
        let twice = "[Revised code]\nx\n[Decision] Yes\n[Revised code]\ny";
        assert_eq!(Form::Published.checked(twice, was), twice.trim_start_matches("[Revised code]\n"));
    }

    #[test]
    fn the_published_programs_python_is_an_older_one() {
        let line = |code: &str| {
            let program = whole(&format!("{HEADER}\n    {code}"), 1);
            assert_eq!(Form::Mended.refused(&program), None, "{code}");
            Form::Published.refused(&program).map(|(line, _)| line)
        };
        assert_eq!(line("x = f'{d[\"k\"]}'"), None);
        for code in ["x = f'{d['k']}'", "match x:\n        case 1: pass", "type X = int", "x = 1 \\"] {
            assert_eq!(line(code), Some(2), "{code}");
        }
    }

    #[test]
    fn a_check_changes_only_what_it_decides_to() {
        let was = format!("{HEADER}\n    pass");
        assert_eq!(Form::Mended.checked("[Decision] No\n[Revised code]\n", &was), was);
        assert_eq!(Form::Mended.checked("Yes, it does.", &was), was);
        assert_eq!(Form::Mended.checked("[Decision] Yes\n[Revised code]\n", &was), was);
        let revised = format!("[Decision] Yes\n[Revised code]\n```python\n{HEADER}\n    x = 1\n```");
        assert_eq!(Form::Mended.checked(&revised, &was), format!("{HEADER}\n    x = 1"));
    }

    #[test]
    fn programs_are_parted_and_go_on_with_variables() {
        let program = whole("def solution(agent, start_from=1):\n    pass", 2);
        let (function, call) = parted(&program);
        assert_eq!((function, call), ("def solution(agent, start_from=1):\n    pass", "solution(agent, start_from=2)"));
        let told = telling(&program);
        assert_eq!(told.lines().nth(3), Some("try: solution(agent, start_from=2)"));
        assert_eq!(telling("act('x')"), "act('x')");
        let variables =
            [("seen", "\"a \\\"b\\\"\""), ("n", "3"), ("o", "<object>"), ("l", "['x', 'y']"), ("d", "{1: set()}")];
        let variables = variables.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let with = |form: Form, variables| form.with_variables(function, variables);
        assert_eq!(
            with(Form::Mended, Some(&variables)),
            "def solution(agent, start_from, seen=\"a \\\"b\\\"\", n=3, l=['x', 'y'], d={1: set()}):\n    pass"
        );
        assert!(with(Form::Published, Some(&variables)).contains(", o=<object>, "), "all are kept, as published");
        assert_eq!(with(Form::Published, Some(&[])), "def solution(agent, start_from):\n    pass");
        assert_eq!(with(Form::Published, None), function, "of a failed definition there are none");
        assert_eq!(["2", "From step 3 on.", "0", "none", "12"].map(step), [2, 3, 1, 1, 1]);
        assert_eq!(["٣", "Step ７.", "𝟘 1", "𝟡", "² 4"].map(step), [3, 7, 1, 9, 4], "as `\\d` and `int` have it");
    }
}
