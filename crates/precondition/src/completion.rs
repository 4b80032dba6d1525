//! Candidates from a language model: the prompt's material, and the parsing of completions. The templates are
//! `prompts/preconditions/`; the driver asks.

use ruff_python_ast::{ModModule, Stmt};
use ruff_text_size::Ranged;
use serde::{Deserialize, Serialize};

use super::demonstrations::Demo;
use stepwright_program::{Effect, Function};

/// The template that ends in `assert`, for models that continue text. The paper's ends in `assert `; that blank is left to the
/// completion, because it belongs to the token of the word that follows in nearly every vocabulary.
pub const COMPLETION_TEMPLATE: &str = "preconditions/candidates";
/// The template that asks for the line, for models that chat.
pub const CHAT_TEMPLATE: &str = "preconditions/candidates_chat";

/// The same for effects. The text ends in `self.`, where the first line goes on.
pub const EFFECTS_TEMPLATE: &str = "preconditions/effects";
pub const EFFECTS_CHAT_TEMPLATE: &str = "preconditions/effects_chat";

/// Tokens of a completion at most: a few assertions.
pub const COMPLETION_TOKENS: u32 = 160;

/// What ends a completion: of a text that goes on, a blank line or the next definition; several assertions may follow each other.
pub fn completion_stops(raw: bool) -> Vec<String> {
    let stops = ["\n\n", "\n    def ", "\ndef ", "\nclass "].map(str::to_owned);
    if raw { stops.into() } else { Vec::new() }
}

/// Bounds of asking a model for candidates: prompts, samples, asks at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct CandidateAsks {
    /// Prompts an action: each shows another demonstration that calls it. From 1.
    pub demonstrations: usize,
    /// Random samples of each prompt, beside the greedy completion.
    pub samples: u32,
    /// Asks under way at once. From 1.
    pub at_once: usize,
}

impl Default for CandidateAsks {
    fn default() -> Self {
        CandidateAsks { demonstrations: 3, samples: 8, at_once: 4 }
    }
}

impl CandidateAsks {
    /// In words: `3 demonstrations x 1+8`, greedy and random completions.
    pub fn in_words(self) -> String {
        let shown = stepwright_text::words::count(self.demonstrations, "demonstration");
        let samples = match self.samples {
            0 => "not sampled".to_owned(),
            1 => "sampled once".to_owned(),
            n => format!("sampled {n} times"),
        };
        format!("{shown}, each asked once, {samples}")
    }
}

/// The variables of the templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CandidateContext {
    /// The specification without its actions: variables and observation functions. Holds no assertion.
    pub definitions: String,
    pub demonstration: String,
    /// The line that opens the action's class (`class Agent:`).
    pub class_line: String,
    pub action: String,
    /// Its parameters, without `self`.
    pub params: Vec<String>,
    /// What stands before all of it: the policy that callers are bound to; empty where there is none.
    pub policy: String,
}

impl CandidateContext {
    /// The prompt for one action from one demonstration; `None` if the specification does not parse or its class does not
    /// define the action. The definitions of `actions` (class and function) are left out, with their assertions.
    pub fn new(source: &str, actions: &[(&str, &str)], action: &Function, demonstration: &Demo) -> Option<Self> {
        let parsed = ruff_python_parser::parse_module(source).ok()?;
        let class_line = class_line(parsed.syntax(), source, &action.class, &action.name)?;
        let mut program = String::new();
        for call in &demonstration.calls {
            program.push_str(&call.to_string());
            program.push('\n');
        }
        Some(CandidateContext {
            definitions: without(parsed.syntax(), source, actions),
            demonstration: program.trim_end().to_owned(),
            class_line,
            action: action.name.clone(),
            params: action.params.clone(),
            policy: String::new(),
        })
    }
}

struct Defined<'a> {
    class: &'a str,
    line: &'a str,
    name: &'a str,
    /// Its bytes, in whole lines.
    range: std::ops::Range<usize>,
}

fn functions<'a>(module: &'a ModModule, source: &'a str) -> impl Iterator<Item = Defined<'a>> {
    module.body.iter().filter_map(|stmt| if let Stmt::ClassDef(class) = stmt { Some(class) } else { None }).flat_map(
        move |class| {
            let from = class.range().start().to_usize();
            let line = source.get(from..).and_then(|rest| rest.lines().next()).unwrap_or_default().trim_end();
            class.body.iter().filter_map(move |stmt| {
                let Stmt::FunctionDef(function) = stmt else { return None };
                let (from, to) = (function.range().start().to_usize(), function.range().end().to_usize());
                let start = source.get(..from)?.rfind('\n').map_or(0, |at| at + 1);
                let end = source.get(to..)?.find('\n').map_or(source.len(), |at| to + at + 1);
                Some(Defined { class: class.name.as_str(), line, name: function.name.as_str(), range: start..end })
            })
        },
    )
}

fn class_line(module: &ModModule, source: &str, class: &str, action: &str) -> Option<String> {
    functions(module, source).find(|f| f.class == class && f.name == action).map(|f| f.line.to_owned())
}

/// The classes without these functions, and without the comments and blank lines they leave; declarations and the module's
/// own words are left out as well.
fn without(module: &ModModule, source: &str, actions: &[(&str, &str)]) -> String {
    let mut kept = String::with_capacity(source.len());
    let classes = module.body.iter().filter(|stmt| matches!(stmt, Stmt::ClassDef(_)));
    for class in classes.map(Ranged::range) {
        let (mut at, end) = (class.start().to_usize(), class.end().to_usize());
        let inside =
            functions(module, source).filter(|f| class.start().to_usize() <= f.range.start && f.range.start < end);
        for function in inside.filter(|f| actions.contains(&(f.class, f.name))) {
            kept.push_str(source.get(at..function.range.start).unwrap_or_default());
            at = function.range.end;
        }
        kept.push_str(source.get(at..end.max(at)).unwrap_or_default());
        kept.push_str("\n\n");
    }
    let mut lines: Vec<&str> = Vec::new();
    for line in kept.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let blank = line.trim().is_empty();
        if !(blank && lines.last().is_none_or(|last| last.trim().is_empty())) {
            lines.push(if blank { "" } else { line });
        }
    }
    lines.join("\n").trim_end().to_owned()
}

/// A line of a completion as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// A candidate: the text after `assert `.
    Candidate(String),
    Unreadable {
        line: String,
        why: String,
    },
}

/// Lines that one assertion may span at most.
const MOST_LINES: usize = 12;

/// Reads one completion: its first line, and the `assert` lines that follow it directly. Code fences, a repeated `assert`,
/// comments and surrounding spaces are dropped; an assertion whose brackets are open continues in the next lines. What is
/// neither is reported as unreadable, and so is a completion that holds nothing: never empty.
pub fn read_completion(completion: &str) -> Vec<Written> {
    let mut read = Vec::new();
    let mut lines = completion.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let begun = !read.is_empty();
        if line.is_empty() || line.starts_with("```") {
            if begun {
                break;
            }
            continue;
        }
        let definition = line.starts_with("def ") || line.starts_with("class ") || line.starts_with('@');
        if line.starts_with('#') || (definition && !begun) {
            continue;
        }
        if definition {
            break;
        }
        let asserted = line.strip_prefix("assert").filter(|rest| rest.starts_with([' ', '\t', '(']));
        let Some(first) = asserted.map(str::trim).filter(|t| !t.is_empty()).or((!begun).then_some(line)) else {
            let why =
                "only `assert` lines may follow the first; this one and what comes after it are not read".to_owned();
            read.push(Written::Unreadable { line: line.to_owned(), why });
            break;
        };
        let mut text = first.to_owned();
        for _ in 1..MOST_LINES {
            let goes_on = text.strip_suffix('\\').map(str::trim_end);
            if goes_on.is_none() && !is_open(&text) {
                break;
            }
            let Some(next) = lines.next() else { break };
            text = format!("{} {next}", goes_on.unwrap_or(&text));
        }
        read.push(Written::Candidate(text));
    }
    if read.is_empty() {
        let line = completion.lines().map(str::trim).find(|l| !l.is_empty());
        let (line, why) = match line {
            Some(line) => (line, "the completion holds no assertion"),
            None => ("(empty)", "the completion is empty"),
        };
        read.push(Written::Unreadable { line: line.to_owned(), why: why.to_owned() });
    }
    read
}

/// Reads one completion as effects: a line each. The first may go on where the prompt ended, an `if` may have its line below it; code
/// fences, comments, `pass` and the action's own `def` are dropped, and another definition ends it. Never empty.
pub fn read_effects(completion: &str) -> Vec<Written> {
    let mut read = Vec::new();
    let mut lines = completion.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let definition = line.starts_with("def ") || line.starts_with("class ") || line.starts_with('@');
        if !read.is_empty() && (definition || line.starts_with("```")) {
            break;
        }
        if line.is_empty() || definition || line == "pass" || line.starts_with(['#', '`']) {
            continue;
        }
        let mut text = line.to_owned();
        while is_open(&text) || (text.starts_with("if ") && text.ends_with(':')) {
            let Some(next) = lines.next_if(|next| !next.is_empty()) else { break };
            text = format!("{text} {next}");
        }
        let continued = format!("self.{text}");
        let goes_on = read.is_empty() && !Effect::is_one(&text) && Effect::is_one(&continued);
        let text = if goes_on { continued } else { text };
        read.push(match Effect::is_one(&text) {
            true => Written::Candidate(text),
            false => Written::Unreadable {
                line: text,
                why: "it is no effect: no assignment or change of membership".to_owned(),
            },
        });
    }
    if read.is_empty() {
        read.push(Written::Unreadable { line: "(empty)".to_owned(), why: "the completion holds no effect".to_owned() });
    }
    read
}

/// Whether a bracket is open at the end of a text, outside its string literals.
fn is_open(text: &str) -> bool {
    let (mut depth, mut quote, mut escaped) = (0_i32, None, false);
    for c in text.chars() {
        match (quote, c) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, '#') => break,
            (None, _) => {}
        }
    }
    depth > 0 && quote.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "SETUP = ['env = Env()', 'agent = Agent(env)']\nACTIONS = ['agent.light', 'agent.wait']\nOBSERVATIONS = ['env.see']\n\nclass Env:\n    def __init__(self):\n        self.lit = False\n\n    def see(self, lit):\n        self.lit = lit\n\nclass Agent:\n    def __init__(self, env):\n        self.env = env\n\n    def light(self, lamp):\n        assert not self.env.lit\n        assert lamp\n\n    def wait(self):\n        pass\n";

    fn demo() -> Demo {
        let calls = ["env.see(False)", "agent.light('lamp 1')"].map(|c| c.parse().unwrap()).into();
        Demo { id: "d".into(), calls }
    }

    fn context() -> CandidateContext {
        let spec = stepwright_program::Specification::load(SPEC, "spec.py").unwrap();
        let actions = [("Agent", "light"), ("Agent", "wait")];
        CandidateContext::new(SPEC, &actions, spec.function("agent", "light").unwrap(), &demo()).unwrap()
    }

    #[test]
    fn the_prompt_holds_no_assertion_of_the_specification() {
        let context = context();
        assert!(
            !context.definitions.contains("assert") && !context.definitions.contains("wait"),
            "{}",
            context.definitions
        );
        assert!(context.definitions.starts_with("class Env:") && context.definitions.ends_with("self.env = env"));
        assert_eq!(context.class_line, "class Agent:");
        assert_eq!(context.demonstration, "env.see(False)\nagent.light('lamp 1')");
    }

    #[test]
    fn the_prompt_ends_where_the_model_continues() {
        let prompts = stepwright_model::prompt::Prompts::default();
        let text = prompts.render(COMPLETION_TEMPLATE, &context()).unwrap();
        let CandidateContext { demonstration, definitions, .. } = context();
        let parts =
            format!("{demonstration}\n\n{definitions}\n\nclass Agent:\n    def light(self, lamp):\n        assert");
        assert_eq!(text.messages[0].text, parts, "the paper's three parts in its order, and nothing else");
        let chat = prompts.render(CHAT_TEMPLATE, &context()).unwrap();
        assert_eq!(chat.messages.len(), 2);
        assert!(chat.messages[1].text.contains("env.see(False)"));
    }

    #[test]
    fn completions_are_read_as_they_come() {
        for (completion, candidates) in [
            ("self.env.lit == False\n\n    def wait(self):", vec!["self.env.lit == False"]),
            (" self.a\n        assert self.b, 'why'\n\n        self.c()", vec!["self.a", "self.b, 'why'"]),
            ("```python\nassert not self.env.lit\n```\nThis says …", vec!["not self.env.lit"]),
            ("```python\nclass Agent:\n    def light(self, lamp):\n        assert lamp\n```", vec!["lamp"]),
            ("assert(lamp)\n# and\nassert self.b", vec!["(lamp)", "self.b"]),
            ("(self.a and\n    self.b)\nassert self.c", vec!["(self.a and self.b)", "self.c"]),
            ("self.a or \\\n    self.b", vec!["self.a or self.b"]),
            ("self.a == '(' and x\nassert self.b", vec!["self.a == '(' and x", "self.b"]),
            ("assert ", vec!["assert"]),
        ] {
            let expected: Vec<_> = candidates.into_iter().map(|c| Written::Candidate(c.to_owned())).collect();
            assert_eq!(read_completion(completion), expected, "{completion:?}");
        }
    }

    #[test]
    fn effects_are_read_as_they_come() {
        for (completion, effects) in [
            (
                "inventory = obj\n        self.seen.add(obj)\n\n    def wait(self):",
                vec!["self.inventory = obj", "self.seen.add(obj)"],
            ),
            ("```python\nself.env.lit = True\n```\nThis says …", vec!["self.env.lit = True"]),
            (
                "    def light(self, lamp):\n        # lit\n        if lamp:\n            self.lit = lamp",
                vec!["if lamp: self.lit = lamp"],
            ),
        ] {
            let expected: Vec<_> = effects.into_iter().map(|c| Written::Candidate(c.to_owned())).collect();
            assert_eq!(read_effects(completion), expected, "{completion:?}");
        }
        for completion in ["", "pass", "assert lamp", "I do not know."] {
            assert!(matches!(read_effects(completion)[..], [Written::Unreadable { .. }]), "{completion:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for (completion, line, word) in [
            ("", "(empty)", "empty"),
            ("\n \n", "(empty)", "empty"),
            ("# nothing must hold", "# nothing must hold", "no assertion"),
            ("def light(self, lamp):", "def light(self, lamp):", "no assertion"),
            ("self.a\n        self.c()\n        assert self.b", "self.c()", "not read"),
        ] {
            let read = read_completion(completion);
            let Some(Written::Unreadable { line: found, why }) = read.last() else {
                panic!("{completion:?}: {read:?}")
            };
            assert!(found == line && why.contains(word), "{completion:?}: {read:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_completion_gives_a_row_on_one_line(text in "[ -~\\n#\\\\]{0,80}") {
            let read = read_completion(&text);
            proptest::prop_assert!(!read.is_empty());
            for written in read {
                let (Written::Candidate(line) | Written::Unreadable { line, .. }) = written;
                proptest::prop_assert!(!line.is_empty() && !line.contains('\n'), "{line:?}");
            }
        }
    }
}
