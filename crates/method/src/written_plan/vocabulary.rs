//! The vocabulary of plans in a world: the actions a plan may name, and what the words of its assertions mean as literals.
//!
//! A world's file `plans.txt` says so; where there is none, the actions are those of the specification, and a state is the predicate
//! of that name. Example programs are the world's demonstrations in this vocabulary.

use super::kind_of;
use stepwright_program::{Call, Literal, Role, Specification};
use stepwright_world::WorldKind;
use stepwright_world::demonstration::Demonstration;

const FILE: &str = "plans.txt";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vocabulary {
    /// The actions with their parameters, as prompts list them (`putin <obj> <obj>`).
    pub actions: Vec<String>,
    pub states: Vec<String>,
    /// The text of the world's file, empty where it has none.
    text: &'static str,
}

impl Vocabulary {
    /// That of a world: its file's, where it has one, else what the specification says.
    pub fn of(world: &WorldKind, specification: &Specification) -> Self {
        let mut vocabulary = Vocabulary::shipped(world);
        if vocabulary.actions.is_empty() {
            let functions = specification.functions().iter().filter(|f| f.role == Role::Action);
            let listed = functions.map(|f| {
                let named = f.params.iter().filter(|p| !p.starts_with('*'));
                named.fold(f.name.clone(), |text, _| text + " <obj>")
            });
            vocabulary.actions = listed.collect();
        }
        vocabulary
    }

    pub fn shipped(world: &WorldKind) -> Self {
        let text = world.file(FILE).map_or("", |file| file.text);
        let mut vocabulary = Vocabulary { actions: Vec::new(), states: Vec::new(), text };
        vocabulary.actions = vocabulary.list("actions");
        let states = vocabulary.entries().filter_map(|(words, _)| words.strip_prefix("is "));
        vocabulary.states = states.filter_map(|words| words.split(' ').next()).map(str::to_owned).collect();
        vocabulary
    }

    /// The entries: words and what they mean.
    fn entries(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let entry = |line: &&'static str| line.starts_with(|c: char| c.is_ascii_lowercase()) && !line.contains('(');
        let entries = self.text.lines().filter(entry).filter_map(|line| line.split_once(':'));
        entries.map(|(words, meaning)| (words, meaning.trim()))
    }

    /// The meaning of a word under a heading (`is`, `means`), or of the heading itself.
    fn meaning(&self, heading: &str, word: &str) -> Option<&'static str> {
        let of = |words: &str| match word {
            "" => words == heading,
            word => words.strip_prefix(heading).is_some_and(|words| words.split(' ').any(|known| known == word)),
        };
        self.entries().find(|(words, _)| of(words)).map(|(_, meaning)| meaning)
    }

    fn list(&self, heading: &str) -> Vec<String> {
        let items = self.meaning(heading, "").into_iter().flat_map(|meaning| meaning.split(", "));
        items.map(str::to_owned).collect()
    }

    /// The world's function for an action as plans name it.
    pub fn function<'a>(&self, action: &'a str) -> &'a str
    where
        Self: 'a,
    {
        self.meaning("means", action).unwrap_or(action)
    }

    /// Whether a name stands for one thing of a scene that is known beforehand; else for any thing of its kind, what is near first.
    pub fn binds_scene(&self) -> bool {
        self.meaning("names", "") == Some("scene")
    }

    /// Whether an action looks for what it names, and continues until that is near.
    pub fn is_search(&self, action: &str) -> bool {
        self.meaning("search", "") == Some(action)
    }

    pub(crate) fn keeps_names(&self, action: &str) -> bool {
        self.meaning("keeps", "") == Some(action)
    }

    /// Whether a word of a literal stands for the agent itself.
    pub fn is_agent(&self, word: &str) -> bool {
        self.meaning("robot", "") == Some(word)
    }

    /// The predicates of what is within reach: one must hold.
    pub fn near(&self) -> Vec<&'static str> {
        self.meaning("close", "").map_or_else(|| vec!["CLOSE", "NEAR", "AT"], |m| m.split(", or ").collect())
    }

    pub fn held(&self) -> &'static str {
        self.meaning("hands", "").unwrap_or("HOLDS")
    }

    /// The literals a state stands for, all of them: whether each must hold, and its predicate.
    pub fn state(&self, word: &str) -> Vec<(bool, String)> {
        let literal = |text: &str| match text.strip_prefix("not ") {
            Some(predicate) => (false, predicate.to_owned()),
            None => (true, text.to_owned()),
        };
        match self.meaning("is", word) {
            Some(meaning) => meaning.split(", ").map(literal).collect(),
            None => vec![(true, word.to_uppercase())],
        }
    }

    /// The predicates that are reported of things seen, with their words.
    pub fn seen(&self) -> Vec<(String, String)> {
        let pairs = self.list("seen").into_iter();
        pairs.filter_map(|pair| pair.split_once(' ').map(|(p, word)| (p.to_owned(), word.to_owned()))).collect()
    }

    /// The lines of a section (`def`, `before`) for so many things.
    pub fn part(&self, section: &str, name: &str, things: usize) -> Option<impl Iterator<Item = &'static str> + use<>> {
        let is = |line: &str| {
            let of = line.strip_prefix(section).and_then(|l| l.strip_prefix(' ')?.split_once('('));
            of.is_some_and(|(n, rest)| n == name && rest.matches(|c: char| c.is_ascii_lowercase()).count() == things)
        };
        let start = self.text.lines().position(is)?;
        Some(self.text.lines().skip(start + 1).take_while(|line| !line.trim().is_empty()))
    }

    /// Example functions: demonstrations, at most so many, kinds of tasks in turn.
    pub fn examples(&self, demonstrations: &[Demonstration], most: usize) -> Vec<String> {
        let mut chosen: Vec<&Demonstration> = Vec::new();
        let of_kind = |chosen: &[&Demonstration], kind: &str| chosen.iter().filter(|d| d.task_type == kind).count();
        while chosen.len() < most {
            let left = demonstrations.iter().filter(|d| !chosen.iter().any(|c| c.id == d.id));
            let Some(next) = left.min_by_key(|d| of_kind(&chosen, &d.task_type)) else { break };
            chosen.push(next);
        }
        chosen.into_iter().map(|demonstration| self.example(demonstration)).collect()
    }

    fn example(&self, demonstration: &Demonstration) -> String {
        let mut text = format!("def {}():\n", function_name(&demonstration.sentence));
        let (mut number, mut lines): (usize, Vec<String>) = (0, Vec::new());
        for call in demonstration.actions() {
            let of_call = self.lines_of(call);
            if let Some(goal) = self.subgoal(call).filter(|_| !of_call.is_empty() && of_call.last() != lines.last()) {
                lines.push(format!("\t# {number}: {goal}"));
                lines.extend(of_call);
                number += 1;
            }
        }
        lines.push(format!("\t# {number}: Done"));
        text.push_str(&lines.join("\n"));
        text
    }

    /// What a demonstration's action is for, as the comment above it says.
    fn subgoal(&self, call: &Call) -> Option<String> {
        let (written, kinds) = self.written(call)?;
        let named = || kinds.iter().map(|kind| format!("the {kind}")).collect::<Vec<_>>().join(", ");
        Some(match self.meaning("says", written) {
            Some(words) => filled(words, &kinds),
            None => format!("{written} {}", named()),
        })
    }

    /// An action of a demonstration as plans name it, with the kinds of its things; `None` for one that plans leave out.
    fn written<'a>(&self, call: &'a Call) -> Option<(&'a str, Vec<String>)> {
        let written = self.meaning("written", &call.function).unwrap_or(&call.function);
        let kinds = call.args.iter().filter_map(|arg| match arg {
            Literal::Str(name) => Some(kind_of(name)),
            _ => None,
        });
        let listed = self.actions.iter().find(|action| action.split(' ').next() == Some(written));
        let kinds = kinds.take(listed.map_or(usize::MAX, |action| action.matches('<').count())).collect();
        (!written.is_empty()).then_some((written, kinds))
    }

    /// An action of a demonstration, with what comes before it.
    fn lines_of(&self, call: &Call) -> Vec<String> {
        let Some((written, kinds)) = self.written(call) else { return Vec::new() };
        let before = self.part("before", written, kinds.len()).into_iter().flatten();
        let named = kinds.iter().map(|kind| format!("'{kind}'")).collect::<Vec<_>>().join(", ");
        before.map(|line| filled(line, &kinds)).chain([format!("\t{written}({named})")]).collect()
    }
}

/// A line with `{a}`, `{b}`, … replaced.
pub fn filled(line: &str, kinds: &[String]) -> String {
    ('a'..='z').zip(kinds).fold(line.to_owned(), |line, (letter, kind)| line.replace(&format!("{{{letter}}}"), kind))
}

/// A sentence as the name of a function; ids are cut to their kinds.
pub fn function_name(sentence: &str) -> String {
    let words = sentence.split_whitespace().map(|word| {
        let word = word.split('|').next().unwrap_or(word).to_lowercase();
        word.chars().filter(|c| c.is_ascii_alphanumeric()).collect::<String>()
    });
    let words: Vec<String> = words.filter(|w| !w.is_empty()).collect();
    words.join("_")
}
