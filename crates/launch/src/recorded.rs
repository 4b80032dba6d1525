//! Recorded episodes as they are judged: a log by what its texts read as, or by its tools; a session by its own specification, by the calls
//! that it recorded, as the library has them, and by what was in force in it.

use std::borrow::Cow;

use stepwright_episode::{Assertions, Node, Session};
use stepwright_library::{Actions, refusal};
use stepwright_method::log_checks::{self, StepCalls, Taken, Violation, violations_of};
use stepwright_method::program_context::ProgramContext;
use stepwright_program::Call;
use stepwright_trajectory::Trajectory;
use stepwright_world::transcript::{PLAIN, Transcript};
use stepwright_worlds::{WORLDS, transcript_of};

/// An episode of a file, and the session that it is, where it is one.
#[derive(Debug)]
pub struct Recorded {
    pub log: Trajectory,
    pub(super) session: Option<Session>,
}

impl Recorded {
    /// How its texts are read. A session has its own calls; of its world's texts it needs only what a call shows to have been there.
    fn transcript(&self) -> Transcript {
        let Some(session) = &self.session else { return transcript_of(&self.log) };
        let kind = WORLDS.iter().find(|kind| kind.name == session.header.world);
        kind.and_then(|kind| kind.transcript).cloned().unwrap_or(PLAIN)
    }

    /// The specification that its calls are of.
    pub fn specification(&self) -> Cow<'_, str> {
        match &self.session {
            Some(session) => Cow::Borrowed(&session.header.specification),
            None => transcript_of(&self.log).specification(),
        }
    }

    /// Its program, with the specification's own assertions in force.
    /// Errors: if the specification does not load.
    pub fn program(&self) -> Result<ProgramContext, String> {
        ProgramContext::load(&self.specification())
    }

    /// What was called in it, the reset first.
    pub fn called(&self) -> Vec<StepCalls> {
        let Some(session) = &self.session else { return log_checks::called(&self.log, &self.transcript()) };
        let actions = Actions::new(&session.header.specification);
        let reset = session.line().into_iter().take(1);
        reset.chain(steps(session)).map(|node| called_at(&actions, node)).collect()
    }

    /// Which assertions and effects in force its steps violate: of a session those that were in force when each was taken. What is adopted here
    /// stands in place of what is in force for the same action.
    /// Errors: the specification does not load, or something cannot be put in force.
    pub fn violations(&self, adopted: &[Assertions]) -> Result<Vec<Violation>, String> {
        let mut program = self.program()?;
        adopted.iter().try_for_each(|own| program.adopt(own))?;
        let each = self.session.as_ref().map(|session| programs(session, &program, adopted)).transpose()?;
        let each = each.unwrap_or_default();
        let in_force = |at: usize| each.get(at).unwrap_or(&program);
        Ok(violations_of(&self.log, &self.transcript(), self.called(), in_force))
    }
}

/// The nodes of a session's line that are steps of its trajectory: what executed nothing was not done.
fn steps(session: &Session) -> impl Iterator<Item = &Node> {
    session.line().into_iter().filter(|node| node.outcome.is_executed() && node.action.is_some())
}

fn called_at(actions: &Actions<'_>, node: &Node) -> StepCalls {
    let is_refused = refusal(&node.outcome).is_some();
    let taken = node.action.as_ref().map(|action| actions.taken(action, &node.outcome)).unwrap_or_default();
    let taken = taken.into_iter().filter_map(|one| {
        let call: Call = one.call.parse().ok()?;
        Some(Taken { call, text: one.text, is_refused: is_refused || one.left_out.is_some() })
    });
    StepCalls {
        taken: taken.collect(),
        added: node.outcome.calls.iter().filter_map(|call| call.parse().ok()).collect(),
    }
}

/// The program with what was in force at each step of a session.
fn programs(
    session: &Session,
    program: &ProgramContext,
    adopted: &[Assertions],
) -> Result<Vec<ProgramContext>, String> {
    let mut program = program.clone();
    let at = |node: &Node| {
        program.put_in_force(session.assertions_at(node.parent.unwrap_or_default()))?;
        adopted.iter().try_for_each(|own| program.adopt(own))?;
        Ok(program.clone())
    };
    steps(session).map(at).collect()
}
