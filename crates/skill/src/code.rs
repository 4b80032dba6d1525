//! Policies as code (O3D-Code; Xiao et al. 2024, Appendix D): the program a model writes for a task, put together with the functions it
//! may call, and what those functions are answered with that need no model.
//!
//! Printed programs act by `env.step`, look texts up by `re.search`, and in the shop call five functions that the authors had a model
//! or an embedding answer. [`PRELUDE`] makes these calls of host functions; [`Layout`] tells whose line a line is. [`by_rule`] answers what
//! needs no language model; the functions that one answers are [`MODEL`] and [`ASK`]. Nothing here runs code.

mod host;
mod patterns;

pub use host::{Pure, by_rule, pure};
pub use patterns::find_all;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The host function that acts in the world: an action's text to `[observation, reward, done, won]`.
pub const ACT: &str = "act";

/// The host function whose question goes to the model as it is; its answer is the text.
pub const ASK: &str = "ask";
/// The host function by which a program that ends tells its variables, each as `[name, text]`; and, as a second list of such pairs, what it
/// leaves to a later program.
pub const VARIABLES: &str = "_tell_variables";
/// The host function that reads a Python literal: to `[value, error, its words]`. What JSON has no kind for is an object of one entry,
/// whose key names the kind: `_built` makes the value of it.
pub const LITERAL: &str = "_read_literal";
/// The host function that looks a pattern up: the pattern, its flags, a text, from which character, and what of `search`, `match`, `fullmatch`
/// and `all` is wanted; to the names of its groups and the matches, each as the places of its groups.
pub(crate) const MATCHES: &str = "_matches";
/// The host function that ends a run by what it is told.
pub(crate) const REFUSED: &str = "_refused";

/// The functions a language model answers where one is in use: a query, requirements, the options to choose.
pub const MODEL: [&str; 3] = ["search", "extract_requirement", "select_most_relevant_attibutes"];

/// Host functions that are answered beside the world. A name with an underscore before it is for the code before a program alone.
pub(crate) const PURE: [&str; 4] =
    [MATCHES, REFUSED, "requirement_match_check", "parse_items_observation_into_items_dict"];

pub fn functions() -> Vec<String> {
    [ACT, ASK, VARIABLES, LITERAL].iter().chain(&MODEL).chain(&PURE).map(|name| (*name).to_owned()).collect()
}

/// Whether a function is answered by a language model where one is in use.
pub fn is_asked(function: &str) -> bool {
    function == ASK || MODEL.contains(&function)
}

/// The code before a program: `env`, `re` and `literal_eval` as the printed programs use them, and what the worker makes of an `import`.
pub const PRELUDE: &str = include_str!("code/prelude.py");

/// Whether a name means something before a program begins: that of a host function, or one of the prelude's. The prelude's own code needs
/// those alone to keep their meaning that have an underscore before them; whatever else a program calls its variables changes nothing there.
pub fn is_known(name: &str) -> bool {
    functions().iter().any(|known| known == name) || defined(PRELUDE).any(|known| known == name)
}

/// The names that lines of code without blanks before them begin with: of functions, of classes, of what is assigned to.
pub fn defined(code: &str) -> impl Iterator<Item = &str> {
    let heads = code.lines().filter(|line| !line.starts_with(char::is_whitespace));
    let names = heads.filter_map(|line| {
        let line = line.strip_prefix("def ").or_else(|| line.strip_prefix("class ")).unwrap_or(line);
        line.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()
    });
    names.filter(|name| !name.is_empty())
}

/// The functions that are there before any is written, where a world brings none of its own.
pub const GENERIC: &str =
    "# All that was done and seen: lists of an action and what was seen then, the first without an action.
history = [['', observation]]

def interact_with_environment(action):
    # Does an action; gives what is seen then, and whether the task is done.
    observations, rewards, dones, info = env.step([action])
    history.append([action, observations[0]])
    return observations[0], info['won'][0]
";

/// The parts of a program as it is run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Parts {
    /// Code of this program's own before all else.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub own: String,
    pub library: String,
    pub program: String,
    /// The line of `program`, from 1, that is none of the text it was made of; 0 for none.
    #[serde(skip_serializing_if = "is_none")]
    pub added: usize,
    /// Where `program` tells its variables as it fails: the program that does not, which fails at a line of its own.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub untold: String,
    /// The line of `program` at which it is none of the language it is to be in, from 1, and why: it is not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<(usize, String)>,
}

fn is_none(line: &usize) -> bool {
    *line == 0
}

/// A program put together: what stands before it, the functions of a library, the program itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub prelude: String,
    pub code: String,
    library: usize,
    program: usize,
    added: usize,
}

/// Whose line a line of the whole code is, counted from 1 in its part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// None of a person's or model's.
    Prelude,
    Library(usize),
    Program(usize),
}

impl Layout {
    pub fn new(parts: &Parts) -> Self {
        let (library, program) = (&parts.library, &parts.program);
        let lines = |text: &str| text.matches('\n').count();
        let prelude = format!("{PRELUDE}{}\n", parts.own);
        let before = lines(&prelude);
        let code = format!("{library}\n{program}\n");
        Layout { prelude, code, library: before, program: before + lines(library) + 1, added: parts.added }
    }

    pub fn place(&self, line: usize) -> Place {
        match line {
            line if line > self.program => {
                let line = line - self.program;
                Place::Program(line - usize::from(self.added > 0 && line >= self.added))
            }
            line if line > self.library => Place::Library(line - self.library),
            _ => Place::Prelude,
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Prelude => f.write_str("before the first line"),
            Place::Library(line) => write!(f, "line {line} of the functions"),
            Place::Program(line) => write!(f, "line {line}"),
        }
    }
}

/// The code in an answer: what is in its fences, joined, else all of it.
pub fn written(answer: &str) -> String {
    let fenced: Vec<&str> = answer.split("```").skip(1).step_by(2).collect();
    if fenced.is_empty() {
        return answer.trim_matches('\n').trim_end().to_owned();
    }
    let body = |block: &&str| block.split_once('\n').map_or("", |(_, body)| body).trim_matches('\n').to_owned();
    fenced.iter().map(body).collect::<Vec<_>>().join("\n\n")
}

/// The program of an answer of which the first fenced block counts, or all of it where there is none, without a line before it that is
/// one of these names of the language.
pub fn first_block(answer: &str, languages: &[&str]) -> String {
    let block = answer.split("```").nth(1).unwrap_or(answer);
    let named = block.split_once('\n').filter(|(language, _)| languages.contains(&language.trim()));
    named.map_or(block, |(_, body)| body).trim().to_owned()
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Next {
    /// It calls a function that has no answer yet.
    Call {
        /// Which call of the run that is answered from outside, from 0.
        number: usize,
        function: String,
        args: Vec<Value>,
        /// The line of the program it came from; 0 where that is not known.
        line: usize,
    },
    Finished,
    Fault {
        why: String,
        /// The error as Python's traceback ends, without a place.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        error: String,
        /// The variables there were, each with its text in Python; `None` where they are not told: the program tells none, or the function
        /// whose they are was not begun.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        variables: Option<Vec<(String, String)>>,
    },
}

impl Next {
    /// The text of the action, with blanks at its ends: what they mean is the world's to say.
    pub fn action(&self) -> Option<&str> {
        match self {
            Next::Call { function, args, .. } if function == ACT => args.first()?.as_str(),
            _ => None,
        }
    }
}

/// The answer to [`ACT`].
pub fn acted(observation: &str, reward: f64, done: bool, won: bool) -> Value {
    json!([observation, reward, done, won])
}

/// A model's answer to one of [`MODEL`] as the program gets it: a text of the form `search[…]`, or a list of texts. Lists are read as
/// Python's or JSON's, or line by line without their marks. An answer to [`ASK`] is the text itself.
pub fn answer(function: &str, written: &str) -> Value {
    if function == ASK {
        return json!(written.trim());
    }
    let text = written.trim().trim_matches('`').trim();
    if function == MODEL[0] {
        let query = text.find("search[").and_then(|at| text.get(at..)).and_then(|rest| rest.split_once(']'));
        return match query {
            Some((inside, _)) => json!(format!("{inside}]")),
            None => json!(format!("search[{}]", text.lines().next().unwrap_or_default().trim_matches(['"', '\'']))),
        };
    }
    let inside = text.find('[').and_then(|open| text.get(open + 1..)).and_then(|rest| Some(rest.rsplit_once(']')?.0));
    let items: Vec<String> = match inside {
        Some(inside) => quoted(inside),
        None => text.lines().map(|line| line.trim().trim_start_matches(['-', '*', ' ']).to_owned()).collect(),
    };
    json!(items.into_iter().filter(|item| !item.is_empty()).collect::<Vec<_>>())
}

/// The texts of a list: in quotes of either kind, with backslashes before quotes; bare words between commas where there are no quotes.
fn quoted(inside: &str) -> Vec<String> {
    if !inside.contains(['"', '\'']) {
        return inside.split(',').map(|word| word.trim().to_owned()).collect();
    }
    let (mut items, mut open, mut item, mut escaped) = (Vec::new(), None, String::new(), false);
    for c in inside.chars() {
        match (open, c) {
            (Some(_), c) if escaped => {
                item.push(c);
                escaped = false;
            }
            (Some(_), '\\') => escaped = true,
            (Some(mark), c) if c == mark => {
                items.push(std::mem::take(&mut item));
                open = None;
            }
            (Some(_), c) => item.push(c),
            (None, '"' | '\'') => open = Some(c),
            (None, _) => {}
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_their_part() {
        let parts = |library: &str, program: &str, added| Parts {
            library: library.to_owned(),
            program: program.to_owned(),
            added,
            ..Parts::default()
        };
        let layout = Layout::new(&parts("import re\ndef f():\n    return 1", "x = f()\nact(x)", 0));
        let whole = format!("{}{}", layout.prelude, layout.code);
        let line = |text: &str| whole.lines().position(|line| line == text).unwrap() + 1;
        assert_eq!(layout.place(line("def f():")), Place::Library(2));
        assert_eq!(layout.place(line("x = f()")), Place::Program(1));
        assert_eq!(layout.place(3), Place::Prelude);
        let first = PRELUDE.lines().count() + 3;
        assert_eq!(Layout::new(&parts("", "x", 0)).place(first), Place::Program(1));
        let added = Layout::new(&parts("", "def f():\n    global a\n    a = 1", 2));
        assert_eq!([0, 1, 2].map(|n| added.place(first + n)), [1, 1, 2].map(Place::Program));
    }

    #[test]
    fn the_prelude_needs_names_with_an_underscore_alone() {
        for name in
            ["_act", "_Match", "_matches", "_tell_variables", "_str", "_module", "act", "search", "env", "re", "ask"]
        {
            assert!(is_known(name), "{name}");
        }
        for name in ["found", "Found", "str", "_", "_mine", "kept"] {
            assert!(!is_known(name), "{name}");
        }
        // What it uses of Python's own it has under names of its own, since a program's variables are names of the module.
        let own = ["str(", "len(", "list(", "dict(", "set(", "tuple(", "isinstance(", "type(", "range(", "repr("];
        let body = PRELUDE.lines().filter(|line| line.starts_with(' ')).collect::<Vec<_>>().join("\n");
        for (at, name) in own.iter().flat_map(|name| body.match_indices(name)) {
            assert!(body[..at].ends_with(|c: char| c == '_' || c.is_alphanumeric()), "{name}");
        }
    }

    #[test]
    fn code_and_lists_are_read_from_what_models_write() {
        assert_eq!(written("Sure:\n```python\na = 1\n```\nand\n```\nb = 2\n```"), "a = 1\n\nb = 2");
        assert_eq!(written("\na = 1\n"), "a = 1");
        let first = |answer: &str| first_block(answer, &["python"]);
        assert_eq!(first("Sure:\n```python\na = 1\n```\n```\nb\n```"), "a = 1");
        assert_eq!(
            (first("```Python\na\n```"), first("a"), first("```")),
            ("Python\na".into(), "a".into(), String::new())
        );
        assert_eq!(answer("search", "Action: search[blue mug]\nObservation"), json!("search[blue mug]"));
        assert_eq!(answer("search", "\"blue mug\""), json!("search[blue mug]"));
        let list = |text: &str| answer("extract_requirement", text);
        assert_eq!(list("['blue', \"men's\", 'a, b']"), json!(["blue", "men's", "a, b"]));
        assert_eq!(list("[blue, large]"), json!(["blue", "large"]));
        assert_eq!(list("- blue\n- large\n"), json!(["blue", "large"]));
        assert_eq!(list("[]"), json!([]));
    }
}
