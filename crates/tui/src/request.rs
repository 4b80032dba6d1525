//! Request line of an episode that is a sequence of requests: which of how many, and how many were answered right so far.

use super::theme::Glyphs;
use super::view::View;
use stepwright_episode::Session;
use stepwright_program::{Role, Specification};
use stepwright_world::{Request, closes};

/// The call that closes a request, as the world has it; empty where it makes none.
pub fn closing(view: &View) -> &'static str {
    view.situation.as_ref().map_or("", |situation| situation.closing)
}

/// The requests closed on the path to the cursor: how many, and how many of them right.
fn closed(session: &Session, closing: &str) -> (usize, usize) {
    let path = session.path(session.cursor());
    let closed = path
        .iter()
        .filter(|n| n.outcome.error.is_none() && n.action.as_ref().is_some_and(|a| closes(&a.text, closing)));
    closed.fold((0, 0), |(all, right), node| (all + 1, right + usize::from(node.outcome.reward > 0.0)))
}

pub fn open(view: &View) -> Option<&Request> {
    view.situation.as_ref()?.request.as_ref()
}

/// The calls that a program for a request is made of, as the specification declares them: `say(text), done()`.
pub fn calls(view: &View) -> String {
    let source = view.session.as_ref().map_or("", |session| session.header.specification.as_str());
    let Ok(specification) = Specification::load(source, "spec.py") else { return String::new() };
    let actions = specification.functions().iter().filter(|f| f.role == Role::Action);
    actions.map(|f| format!("{}({})", f.name, f.params.join(", "))).collect::<Vec<_>>().join(", ")
}

/// `request 3 of 7`, and how many were right and wrong so far.
pub fn place(view: &View, glyphs: &Glyphs) -> Option<String> {
    let session = view.session.as_ref()?;
    let last = session.current().and_then(|n| n.action.as_ref());
    let over = session.is_done() && last.is_some_and(|a| closes(&a.text, closing(view)));
    let request = open(view).filter(|_| !over);
    if request.is_none() && !over {
        return None;
    }
    let (closed, right) = closed(session, closing(view));
    let place = match request {
        Some(request) => format!("request {} of {}", request.number, request.of),
        None => format!("{} closed, none is left", stepwright_text::words::count(closed, "request")),
    };
    Some(format!(
        "{place} {dot} {right} {yes} {wrong} {no}",
        dot = glyphs.dot,
        yes = glyphs.yes,
        no = glyphs.no,
        wrong = closed - right
    ))
}
