//! The answers to a program so far, read from the records: each action it took with what the world said, each function a model
//! answered; and what it does next, as far as that was found out.

use serde_json::Value;
use stepwright_skill::code::{self, Next, acted};

use super::run::{Answered, RunResult};
use stepwright_episode::{AskId, AskKind, Node, OwnAsk};
use stepwright_method::context::{decided, source};
use stepwright_method::plan_following::{ActivePlan, active_plan, is_line};
use stepwright_method::{History, folded};
use stepwright_text::words::stripped;

/// The program's answer where a person refused its action: the world's words on an action without effect.
const REFUSED: &str = "Nothing happens.";

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct RunSoFar {
    /// The ask that the program answers, and the last that counts.
    plan: AskId,
    until: AskId,
    /// Its calls with their answers, in their order.
    pub(super) answered: Vec<Answered>,
    /// Those of the program that a person mended, as far as it is not known yet which of them the mended one makes too.
    pub(super) tape: Vec<Answered>,
    pub(crate) actions: usize,
    /// The lines of the actions that the program before had taken and this one takes too, and whether the world accepted each; 0 for a
    /// line that is none of the program's.
    pub(super) replayed: Vec<(usize, bool)>,
    /// The next call; `None` where it has to be found out.
    pub(crate) next: Option<Next>,
    /// What it left to a later program: places and the texts of their values.
    pub(crate) left: Vec<(String, String)>,
}

pub(super) fn run_kind() -> AskKind {
    AskKind::own("run", "the program's next call")
}

/// The kind of an ask for the answer to a call of a program.
pub(super) fn function_kind(number: usize, function: &str) -> AskKind {
    let label = format!("{function}, call {} of the program", number + 1);
    AskKind::Other(OwnAsk { tag: "function".into(), of: function.to_owned(), nth: number, label })
}

/// The answers to the program that a person mended at that place of a path; none where the program in force is no
/// mended one.
fn mended(path: &[&Node], at: usize, force: &ActivePlan<'_>) -> Vec<Answered> {
    let before = path.get(..at).filter(|_| force.edited).and_then(active_plan);
    let Some((before, until)) = before.zip(path.get(..=at)) else { return Vec::new() };
    // What was asked at that node before the person wrote belongs to the program before.
    let run = RunSoFar::until(until, &before, force.ask);
    run.answered.into_iter().chain(run.tape).collect()
}

impl RunSoFar {
    pub(crate) fn of(path: &[&Node], force: &ActivePlan<'_>) -> Self {
        Self::until(path, force, AskId::MAX)
    }

    /// As [`RunSoFar::of`], without what was asked after that ask.
    fn until(path: &[&Node], force: &ActivePlan<'_>, last: AskId) -> Self {
        let at = path.iter().position(|node| node.id == force.made_at).unwrap_or(path.len());
        let begun = RunSoFar { plan: force.ask, until: last, tape: mended(path, at, force), ..RunSoFar::default() };
        folded(begun, path.get(at..).unwrap_or_default())
    }

    /// Takes in what was found out at a node, in its order. An action that a person refused there was answered to the program before
    /// anything else was found out.
    fn asks(&mut self, node: &Node) {
        let run = run_kind();
        let (turn, since, until) = (&node.turn, self.plan, self.until);
        for ask in turn.asks.iter().filter(|ask| ask.id > since && ask.id <= until) {
            if ask.kind == AskKind::PLAN_LINE {
                let refused = turn.proposals.iter().any(|p| p.ask == Some(ask.id) && turn.rejection(p.id).is_some());
                if refused && self.waits_to_act() {
                    self.answer(acted(REFUSED, 0.0, false, false), None);
                }
                continue;
            }
            let Some(text) = ask.text() else { continue };
            if ask.kind == run {
                let Some(came) = RunResult::read(text, self.answered.len()) else { continue };
                self.take_from_tape(&came);
                self.left = came.left;
                // One that was found out before an answer came in tells nothing more.
                let fresh = |next: &Next| !matches!(next, Next::Call { number, .. } if *number != self.answered.len());
                if let Some(next) = Some(came.next).filter(fresh) {
                    self.next = Some(next);
                }
            } else if let Some(Next::Call { number, function, .. }) = &self.next
                && ask.kind == function_kind(*number, function)
            {
                let answer = code::answer(function, stripped(text));
                self.answer(answer, None);
            }
        }
    }

    fn waits_to_act(&self) -> bool {
        self.next.as_ref().and_then(Next::action).is_some()
    }

    fn answer(&mut self, answer: Value, taken: Option<bool>) {
        if let Some(Next::Call { function, args, .. }) = self.next.take() {
            self.answered.push(Answered { taken, function, args, answer });
        }
    }

    /// A run tells which calls of the tape it made too. Where a call of its own came after them the others are not made any more; where
    /// it ended before, the program that is mended next may make them.
    fn take_from_tape(&mut self, came: &RunResult) {
        let same = came.replayed.len().min(self.tape.len());
        for (call, line) in self.tape.drain(..same).zip(&came.replayed) {
            self.actions += usize::from(call.function == code::ACT);
            self.replayed.extend(call.taken.map(|accepted| (*line, accepted)));
            self.answered.push(call);
        }
        if matches!(came.next, Next::Call { .. }) {
            self.tape.clear();
        }
    }
}

impl History for RunSoFar {
    /// The step may be the action that the program waited to take.
    fn step(&mut self, from: &Node, to: &Node) {
        self.asks(from);
        let taken = decided(from, to).and_then(|decision| source(&from.turn, decision));
        if self.waits_to_act() && taken.is_some_and(|taken| is_line(&from.turn, taken, self.plan)) {
            let outcome = &to.outcome;
            self.actions += 1;
            let answer = acted(&outcome.observation, outcome.reward, outcome.done, outcome.won);
            self.answer(answer, Some(outcome.error.is_none()));
        }
    }

    fn stay(&mut self, here: &Node) {
        self.asks(here);
    }
}
