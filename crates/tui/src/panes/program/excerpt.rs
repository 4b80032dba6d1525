//! Program for a request, shown under the trajectory: as it streams, as it is offered, or as it was taken, with the calls it made.
//!
//! Which of them is shown follows the cursor: a step's own program on the step's lines, else what is under way.

use crate::request;
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Painter, Row, run, split_left, split_top};
use crate::widgets::{words, wrap};
use stepwright_episode::AskKind;
use stepwright_episode::{AskState, Node, NodeId, Session};
use stepwright_world::closes;

use ratatui::layout::Rect;

use super::{highlight, rows};

/// From this width on, the calls made are beside the code; below it under it.
const BESIDE: u16 = 76;
/// Lines of code that are shown: the end of a longer one, where a stream continues.
const MOST: usize = 40;

#[derive(Debug, PartialEq)]
pub(crate) struct ProgramExcerpt {
    head: String,
    code: Vec<String>,
    made: Option<Vec<(String, Option<String>)>>,
}

impl ProgramExcerpt {
    /// The program to show; `at` is the node whose lines the cursor is on.
    pub fn of(view: &View, at: Option<NodeId>) -> Option<ProgramExcerpt> {
        let session = view.session.as_ref()?;
        if let Some(node) = at.filter(|at| *at != session.cursor()).and_then(|at| session.node(at)) {
            return ProgramExcerpt::taken(view, session, node);
        }
        let here = session.current()?;
        // A program whose calls are taken one at a time stays until its request is closed.
        let closing = request::closing(view);
        let open = !here.action.as_ref().is_some_and(|action| closes(&action.text, closing));
        ProgramExcerpt::streaming(view)
            .or_else(|| ProgramExcerpt::in_force(view, session, here).filter(|_| open))
            .or_else(|| ProgramExcerpt::offered(view))
            .or_else(|| ProgramExcerpt::taken(view, session, here))
    }

    fn streaming(view: &View) -> Option<ProgramExcerpt> {
        request::open(view)?;
        let asks = view.turn()?.asks.iter().filter(|a| a.state == AskState::Pending && a.kind == AskKind::PROGRAM);
        let text = asks.filter_map(|a| view.streams.get(&a.id)?.values().next()).next()?;
        Some(ProgramExcerpt { head: "the program, as it comes".into(), code: lines(text), made: None })
    }

    fn offered(view: &View) -> Option<ProgramExcerpt> {
        request::open(view)?;
        let proposal = view.chosen()?;
        let text = proposal.action.as_ref().map_or(proposal.raw.as_str(), |a| a.text.as_str());
        let head = format!("offered for: {}", request::open(view)?.query);
        Some(ProgramExcerpt { head, code: lines(text), made: None })
    }

    /// The program in force at a node, with the calls it made on the path there.
    fn in_force(view: &View, session: &Session, node: &Node) -> Option<ProgramExcerpt> {
        let program = view.sections(node.id).into_iter().find(|section| section.is_program)?;
        let path = session.path(node.id);
        let steps = path.iter().skip_while(|n| n.id != program.made_at).skip(1);
        let made: Vec<_> = steps.flat_map(|n| made(n)).collect();
        let step = session.node(program.made_at)?.steps + 1;
        let code = program.lines.into_iter().map(|line| line.text).collect();
        Some(ProgramExcerpt { head: format!("taken at step {step}"), code, made: Some(made) })
    }

    fn taken(view: &View, session: &Session, node: &Node) -> Option<ProgramExcerpt> {
        if let Some(excerpt) = ProgramExcerpt::in_force(view, session, node) {
            return Some(excerpt);
        }
        let from = session.node(node.parent?)?;
        let decision = node.decision.and_then(|id| from.turn.decision(id))?;
        let code = from.turn.proposal(decision.proposal())?.action.as_ref()?.text.as_str();
        let action = node.action.as_ref()?;
        // A single call that went as written says all itself, in the trajectory.
        if rows::begins_with_action(node) && code.trim() == action.text.trim() {
            return None;
        }
        if !is_program(&action.text) && !is_program(code) {
            return None;
        }
        Some(ProgramExcerpt {
            head: format!("taken at step {}", node.steps),
            code: lines(code),
            made: Some(made(node)),
        })
    }

    /// How many rows it takes at most.
    pub fn height(&self) -> usize {
        1 + self.code.len().min(MOST) + self.made.as_ref().map_or(0, |made| 1 + made.len())
    }

    fn code_rows(&self) -> Vec<Row> {
        let mut pass = highlight::Lines::start();
        let first = self.code.len().saturating_sub(MOST);
        let rows = self.code.iter().skip(first);
        rows.map(|line| pass.as_mut().map_or_else(|| rows::plain(line), |pass| pass.next(line))).collect()
    }

    fn made_rows(&self, theme: &Theme, width: usize) -> Vec<Row> {
        let mut out = Vec::new();
        let Some(made) = &self.made else { return out };
        out.push(vec![run(Role::Title, format!("made: {}", words::count(made.len(), "call")))]);
        for (call, error) in made {
            let (glyph, role) =
                if error.is_some() { (theme.glyphs.no, Role::Bad) } else { (theme.glyphs.yes, Role::Good) };
            out.push(vec![run(role, format!("{glyph} ")), run(Role::Text, call)]);
            let why = error.iter().flat_map(|why| wrap::wrapped(why, width.saturating_sub(4)));
            out.extend(why.map(|line| vec![run(Role::Bad, format!("    {line}"))]));
        }
        out
    }

    /// Draws it at the bottom of an area, with a rule above; returns the rest.
    pub fn draw(&self, painter: &mut Painter<'_>, area: Rect) -> Rect {
        let beside = self.made.is_some() && area.width >= BESIDE;
        let half = if beside { usize::from(area.width / 2) } else { usize::from(area.width) };
        let (code, made) = (self.code_rows(), self.made_rows(painter.theme, half));
        let needed = if beside { code.len().max(made.len()) } else { code.len() + made.len() };
        let height = (needed as u16 + 1).min(area.height / 2);
        if height < 2 {
            return area;
        }
        let (rest, bottom) = split_top(area, area.height - height);
        painter.rule(bottom, 0, &self.head);
        let (_, body) = split_top(bottom, 1);
        if beside {
            let (left, right) = split_left(body, body.width / 2);
            painter.rows(left, &code);
            painter.rows(right, &made);
            return rest;
        }
        // Where there is little room, what was made counts more than what was written.
        let below = (made.len() as u16).min(body.height);
        let (above, below) = split_top(body, body.height - below);
        painter.rows(above, &code);
        painter.rows(below, &made);
        rest
    }
}

fn lines(text: &str) -> Vec<String> {
    text.trim_end().lines().map(str::to_owned).collect()
}

/// Whether an action is more than one call of the world.
fn is_program(text: &str) -> bool {
    text.trim().lines().count() > 1
}

/// The calls of a step and the errors of those that failed.
fn made(node: &Node) -> Vec<(String, Option<String>)> {
    let Some(action) = &node.action else { return Vec::new() };
    fates(&action.text, &node.outcome.observation, node.outcome.error.as_deref())
}

/// The calls of a text with their results. The observation has one line for a call that moves something, for an answer as many as it
/// has, of the others nothing; where the text was refused none was made.
fn fates(text: &str, observation: &str, refused: Option<&str>) -> Vec<(String, Option<String>)> {
    let mut reported = observation.lines();
    let mut fate = |call: &str| {
        if call.starts_with("put_first_on_second(") {
            return reported.next().filter(|line| !line.starts_with("You put ")).map(str::to_owned);
        }
        if call.starts_with("say(") {
            let breaks = call.matches("\\n").count();
            reported.by_ref().take(breaks + 1).for_each(|_| ());
        }
        None
    };
    let calls = text.lines().map(str::trim).filter(|call| !call.is_empty() && !call.starts_with('#'));
    calls.map(|call| (call.to_owned(), refused.map(str::to_owned).or_else(|| fate(call)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_is_shown_with_its_error() {
        let text =
            "put_first_on_second(\"a\", \"b\")\nsay(\"x\\ny\")\nput_first_on_second(\"q\", \"b\")\nnoop()\ndone()";
        let observation = "You put the a on the b.\nYou say: x\ny\nunknown object: q\n2 of 3: go on";
        let errors =
            |refused| fates(text, observation, refused).into_iter().map(|(_, error)| error).collect::<Vec<_>>();
        assert_eq!(errors(None), [None, None, Some("unknown object: q".to_owned()), None, None]);
        assert_eq!(errors(Some("no call")), vec![Some("no call".to_owned()); 5]);
    }
}
