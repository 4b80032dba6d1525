//! Candidates from a language model: what the prompt is given, and how its completions are read. The templates are
//! `prompts/preconditions/`; asking is the driver's business.

use ruff_python_ast::{ModModule, Stmt};
use ruff_text_size::Ranged;
use serde::Serialize;

use super::ground::Demo;
use crate::program::Function;

/// The template that ends in `assert `, for models that continue text.
pub const COMPLETION_TEMPLATE: &str = "preconditions/candidates";
/// The template that asks for the line, for models that chat.
pub const CHAT_TEMPLATE: &str = "preconditions/candidates_chat";

/// What the templates are given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CandidateContext {
    /// The specification without its actions: variables and observation functions. Holds no assertion.
    pub definitions: String,
    /// One demonstration as a program.
    pub demonstration: String,
    /// The line that opens the action's class (`class Agent:`).
    pub class_line: String,
    /// The action's function.
    pub action: String,
    /// Its parameters, without `self`.
    pub params: Vec<String>,
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
        })
    }
}

/// A function in a class of the module.
struct Defined<'a> {
    class: &'a str,
    /// The line that opens the class.
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

/// Reads the candidates of one completion: its first line, and the `assert` lines that follow it directly. Code fences, a
/// repeated `assert` and surrounding blanks are dropped.
pub fn read_completion(completion: &str) -> Vec<String> {
    let mut candidates = Vec::new();
    for line in completion.lines().map(str::trim) {
        if line.is_empty() || line.starts_with("```") {
            if candidates.is_empty() {
                continue;
            }
            break;
        }
        let asserted = line.strip_prefix("assert ").map(str::trim_start);
        // Models that chat may put words or the definition first.
        let heading = line.starts_with('#') || line.starts_with("def ") || line.starts_with("class ");
        match (asserted, candidates.is_empty()) {
            (None, true) if heading => {}
            (None, true) => candidates.push(line.to_owned()),
            (Some(text), _) if !text.is_empty() => candidates.push(text.to_owned()),
            _ => break,
        }
    }
    candidates
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
        let spec = crate::program::Specification::load(SPEC, "spec.py").unwrap();
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
        let prompts = crate::prompt::Prompts::default();
        let text = prompts.render(COMPLETION_TEMPLATE, &context()).unwrap();
        assert!(
            text.messages[0].text.ends_with("    def light(self, lamp):\n        assert "),
            "{:?}",
            text.messages[0]
        );
        let chat = prompts.render(CHAT_TEMPLATE, &context()).unwrap();
        assert_eq!(chat.messages.len(), 2);
        assert!(chat.messages[1].text.contains("env.see(False)"));
    }

    #[test]
    fn completions_are_read_as_they_come() {
        for (completion, candidates) in [
            ("self.env.lit == False\n\n    def wait(self):", vec!["self.env.lit == False"]),
            (" self.a\n        assert self.b, 'why'\n        self.c()", vec!["self.a", "self.b, 'why'"]),
            ("```python\nassert not self.env.lit\n```\nThis says …", vec!["not self.env.lit"]),
            ("```python\nclass Agent:\n    def light(self, lamp):\n        assert lamp\n```", vec!["lamp"]),
            ("\n\n", vec![]),
            ("", vec![]),
            ("assert ", vec!["assert"]),
        ] {
            assert_eq!(read_completion(completion), candidates, "{completion:?}");
        }
    }
}
