//! Python highlighting: one pass by syntect, its scopes mapped to the theme's roles.
//!
//! Loading the grammar takes a moment, so it happens on a separate thread; until then lines are drawn plain.

use std::sync::OnceLock;
use std::thread;

use syntect::easy::ScopeRegionIterator;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};

use crate::theme::Role;
use crate::widgets::draw::{Row, run};

/// Lines longer than this many bytes are drawn plain: no grammar is worth a stall.
const LONGEST: usize = 2_000;

static GRAMMARS: OnceLock<Grammar> = OnceLock::new();

pub(crate) struct Grammar {
    set: SyntaxSet,
    roles: Vec<(Scope, Role)>,
}

impl Grammar {
    fn load() -> Self {
        // Innermost scopes are asked first; within one scope the first prefix that fits counts.
        let roles = [
            ("comment", Role::SyntaxComment),
            ("string", Role::SyntaxString),
            ("constant", Role::SyntaxConstant),
            ("keyword.operator", Role::Text),
            ("keyword", Role::SyntaxKeyword),
            ("storage", Role::SyntaxKeyword),
            ("entity.name", Role::SyntaxFunction),
            ("support.function", Role::SyntaxFunction),
            ("variable.function", Role::SyntaxFunction),
            ("variable.language", Role::SyntaxKeyword),
        ];
        let roles = roles.into_iter().filter_map(|(name, role)| Some((Scope::new(name).ok()?, role))).collect();
        let grammar = Grammar { set: SyntaxSet::load_defaults_newlines(), roles };
        // The grammar's patterns are compiled at first use; that belongs to loading too.
        if let Some(mut lines) = Lines::of(&grammar) {
            let _ = lines.next("agent.take('mug 1', 2)  # and so on");
        }
        grammar
    }

    fn role(&self, stack: &ScopeStack) -> Role {
        let fits = |scope: &Scope| self.roles.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope)).map(|(_, r)| *r);
        stack.as_slice().iter().rev().find_map(fits).unwrap_or(Role::Text)
    }
}

/// Begins loading in the background, once.
pub fn prepare() {
    static ASKED: OnceLock<()> = OnceLock::new();
    ASKED.get_or_init(|| {
        // Without a thread the lines stay plain, nothing worse.
        let _ = thread::Builder::new().name("grammar".into()).spawn(|| {
            GRAMMARS.get_or_init(Grammar::load);
        });
    });
}

pub(crate) fn is_ready() -> bool {
    GRAMMARS.get().is_some()
}

pub struct Lines<'a> {
    grammar: &'a Grammar,
    state: ParseState,
    stack: ScopeStack,
}

impl std::fmt::Debug for Lines<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lines")
    }
}

impl Lines<'static> {
    /// A highlighter at the start of a text; `None` while loading.
    pub fn start() -> Option<Self> {
        GRAMMARS.get().and_then(Lines::of)
    }
}

impl<'a> Lines<'a> {
    fn of(grammar: &'a Grammar) -> Option<Self> {
        let python = grammar.set.find_syntax_by_extension("py")?;
        Some(Lines { grammar, state: ParseState::new(python), stack: ScopeStack::new() })
    }

    pub fn next(&mut self, line: &str) -> Row {
        let mut row = Row::new();
        let text = format!("{line}\n");
        let parsed = if line.len() > LONGEST { None } else { self.state.parse_line(&text, &self.grammar.set).ok() };
        let Some(ops) = parsed else { return vec![run(Role::Text, line)] };
        for (piece, op) in ScopeRegionIterator::new(&ops, &text) {
            if self.stack.apply(op).is_err() {
                return vec![run(Role::Text, line)];
            }
            let piece = piece.trim_end_matches('\n');
            if piece.is_empty() {
                continue;
            }
            let role = self.grammar.role(&self.stack);
            let safe = run(role, piece);
            match row.last_mut() {
                Some(last) if last.role == role => last.text.push_str(&safe.text),
                _ => row.push(safe),
            }
        }
        row
    }
}

/// Waits until the grammar is there; for tests and benchmarks.
#[cfg(test)]
pub(crate) fn load_now() {
    GRAMMARS.get_or_init(Grammar::load);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_is_told_apart() {
        load_now();
        let mut lines = Lines::start().unwrap();
        let row = lines.next("    def take(self, obj): return 'mug 1' # yes");
        let role = |text: &str| row.iter().find(|r| r.text.contains(text)).map(|r| r.role);
        assert_eq!(role("def"), Some(Role::SyntaxKeyword));
        assert_eq!(role("take"), Some(Role::SyntaxFunction));
        assert_eq!(role("mug 1"), Some(Role::SyntaxString));
        assert_eq!(role("yes"), Some(Role::SyntaxComment));
        let text: String = row.iter().map(|r| r.text.as_str()).collect();
        assert_eq!(text, "    def take(self, obj): return 'mug 1' # yes");
    }

    #[test]
    fn a_string_goes_on_over_lines() {
        load_now();
        let mut lines = Lines::start().unwrap();
        lines.next("x = '''one");
        assert!(lines.next("two").iter().all(|r| r.role != Role::Text));
        assert_eq!(lines.next(&"y".repeat(10_000)).len(), 1);
    }
}
