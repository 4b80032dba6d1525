//! Program in force: which program is being carried out at a node of the session, and how far it is. A fold of the records.
//!
//! A program is a proposal of an ask for one, or what a person made of one. Where its calls are offered one at a time
//! they are proposals of asks for the next call, each marked with its number.

use crate::History;
use crate::context::{self, decided, kind_of};
use stepwright_episode::{AskKind, Choice, Decision, DecisionId, Node, NodeId, Proposal, Turn};
use stepwright_world::closes;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveProgram {
    pub code: String,
    pub decision: DecisionId,
    pub at: NodeId,
    /// The answer it was read from, whole; `None` where a person typed it.
    pub answer: Option<String>,
    /// Its calls that were made or passed over, from 1; the first is made when it is taken.
    pub made: usize,
}

/// The programs taken on a path, as far as one is in force. Where its request is closed at the end, it is the one that closed it.
#[derive(Debug, Clone)]
pub struct Programs {
    /// The call that closes a request; empty in a world without requests.
    closing: String,
    active_program: Option<ActiveProgram>,
    /// Whether the last step closed the request.
    closed: bool,
}

impl Programs {
    pub fn new(closing: &str) -> Self {
        Programs { closing: closing.to_owned(), active_program: None, closed: false }
    }

    pub fn active_program(self) -> Option<ActiveProgram> {
        self.active_program
    }

    fn taken(from: &Node, decision: &Decision) -> Option<ActiveProgram> {
        let program = source(&from.turn, decision, &AskKind::PROGRAM)?;
        let code = from.turn.proposal(decision.proposal())?.action.as_ref()?.text.clone();
        Some(ActiveProgram { code, decision: decision.id, at: from.id, answer: Some(program.raw.clone()), made: 1 })
    }
}

impl History for Programs {
    fn step(&mut self, from: &Node, to: &Node) {
        self.active_program.take_if(|_| self.closed);
        self.closed = to.action.as_ref().is_some_and(|action| closes(&action.text, &self.closing));
        let Some(decision) = decided(from, to) else { return };
        if let Some(program) = Programs::taken(from, decision) {
            self.active_program = Some(program);
        } else if let Some(force) = &mut self.active_program {
            let line = source(&from.turn, decision, &AskKind::PROGRAM_CALL).and_then(|call| call.line);
            force.made = force.made.max(line.unwrap_or_default());
        }
    }

    /// A call that a person refuses is passed over.
    fn stay(&mut self, here: &Node) {
        let refused = here.turn.decisions.iter().filter(|d| matches!(d.choice, Choice::Reject { .. }));
        let calls = refused.filter_map(|d| source(&here.turn, d, &AskKind::PROGRAM_CALL)?.line);
        if let (Some(force), false) = (&mut self.active_program, self.closed) {
            force.made = calls.fold(force.made, usize::max);
        }
    }
}

/// The proposal that a decision takes or edits, if an ask of that kind offered it.
fn source<'a>(turn: &'a Turn, decision: &Decision, kind: &AskKind) -> Option<&'a Proposal> {
    context::source(turn, decision).filter(|p| kind_of(turn, p) == Some(kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folded;
    use stepwright_episode::{Action, Actor, Ask, AskId, AskState, Origin};

    /// The way from a node to the next: an offer by an ask of that kind, taken, edited or typed, and the executed
    /// action.
    type Way = (Option<AskKind>, &'static str, &'static str, &'static str);

    fn turn(number: u64, (kind, raw, decided, _): Way) -> Turn {
        let mut turn = Turn::default();
        let typed = kind.is_none();
        if let Some(kind) = kind {
            turn.asks.push(Ask {
                id: number,
                kind,
                model: "m".into(),
                prompt: None,
                n: 1,
                temperature: 0.0,
                exchange: None,
                state: AskState::Pending,
            });
        }
        let proposal = |id: u64, raw: &str, text: &str, ask: Option<AskId>| {
            let (line, action) = (raw.parse().ok(), Some(Action::new(text, None)));
            Proposal { line, action, ask, ..Proposal::new(id, raw, Origin::Greedy) }
        };
        let edited = decided.starts_with("edited");
        turn.proposals.push(proposal(1, raw, if edited { raw } else { decided }, (!typed).then_some(number)).into());
        turn.proposals.push(proposal(2, decided, decided, None).into());
        let choice = match (typed, edited, decided) {
            (true, ..) => Choice::Manual { proposal: 2 },
            (_, true, _) => Choice::Edit { from: 1, proposal: 2 },
            (.., "refused") => Choice::Reject { proposal: 1, reason: String::new() },
            _ => Choice::Approve { proposal: 1 },
        };
        turn.decisions.push(Decision { id: number, choice, by: Actor::Person, why: String::new() }.into());
        turn
    }

    fn path(ways: &[Way]) -> Vec<Node> {
        let node = |(i, _): (usize, &Way)| Node {
            id: i as u64,
            parent: None,
            children: vec![],
            last_child: None,
            depth: i as u32,
            action: i.checked_sub(1).map(|i| Action::new(ways[i].3, None).into()),
            decision: (i > 0).then_some(i as u64),
            turn: turn(i as u64 + 1, ways[i].clone()),
            ..Node::default()
        };
        ways.iter().enumerate().map(node).collect()
    }

    fn found(ways: &[Way]) -> Option<(String, String, usize)> {
        let nodes = path(ways);
        let path: Vec<&Node> = nodes.iter().collect();
        let force = folded(Programs::new("done()"), &path).active_program();
        force.map(|force| (force.code, force.answer.unwrap_or_default(), force.made))
    }

    const END: Way = (None, "", "", "");

    #[test]
    fn calls_made_and_passed_over_are_counted_until_the_request_is_closed() {
        let ways = [
            (Some(AskKind::PROGRAM), "raw", "code", "a()"),
            (Some(AskKind::PROGRAM_CALL), "2", "b()", "b()"),
            (Some(AskKind::PROGRAM_CALL), "3", "refused", ""),
        ];
        let some = |code: &str, made| Some((code.to_owned(), "raw".to_owned(), made));
        assert_eq!(found(&ways[..1]), None, "nothing was taken yet");
        assert_eq!(found(&ways[..2]), some("code", 1));
        assert_eq!(found(&ways), some("code", 3), "what is refused is passed over");
        let typed = [ways[0].clone(), (None, "", "x()", "x()"), END];
        assert_eq!(found(&typed), some("code", 1), "a person's own call is none of the program's");
        let edited = [(Some(AskKind::PROGRAM), "raw", "edited", "a()"), END];
        assert_eq!(found(&edited), some("edited", 1));
    }

    #[test]
    fn a_closed_request_has_no_program_but_where_it_was_closed() {
        let whole = (Some(AskKind::PROGRAM), "raw", "code", "a()\ndone()");
        assert!(found(&[whole.clone(), END]).is_some(), "the one that closed it");
        assert_eq!(found(&[whole, (None, "", "x()", "x()"), END]), None);
        assert_eq!(found(&[(None, "", "done()", "done()"), END]), None, "closed by hand");
    }
}
