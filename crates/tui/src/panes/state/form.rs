//! The form of states in force, or the one that is offered: its text with the verdict on it, and what a person may do about it.

use ratatui::layout::Rect;

use super::{FormView, Painter, StatePane, ViewMode};
use crate::pane::{Intent, Pane, PaneAction};
use crate::panes::offer;
use crate::theme::Role;
use crate::view::{Answer, View};
use crate::widgets::draw::{Row, run};
use crate::widgets::{edit, words, wrap};
use stepwright_belief::form::text_of;
use stepwright_episode::{ArtifactId, Offer};
use stepwright_protocol::{Command, FormCommand, Request};
use stepwright_world::state_form;

/// What a session that has no form of its own begins a form with.
const BEGINNING: &str = "[tells]\n";

fn offered(view: &View) -> Option<&Offer> {
    view.session.as_ref()?.current()?.open_offer(&ArtifactId::FORM)
}

/// The form of a person's own that is in force.
fn own(view: &View) -> Option<&str> {
    view.session.as_ref()?.document(&ArtifactId::FORM).map(|document| text_of(document)).filter(|text| !text.is_empty())
}

/// The form that ships for the world.
fn shipped(view: &View) -> Option<&'static str> {
    let name = &view.session.as_ref()?.header.world;
    state_form::text(view.worlds.iter().find(|world| world.name == name)?)
}

impl StatePane {
    /// Has what is shown of a person's or a model's own judged, once.
    pub(super) fn judge_form(&mut self, view: &View) -> Vec<Intent> {
        let shown = (self.shown() == ViewMode::Form).then(|| offered(view).map(|offer| offer.written.raw.as_str()));
        let Some(text) = shown.and_then(|offered| offered.or_else(|| own(view))) else { return Vec::new() };
        if let Some((_, token)) = self.form.judged.as_ref().filter(|(judged, _)| judged == text) {
            if let Some(Answer::Form(verdict)) = view.answer(*token) {
                self.form.verdict = Some(verdict.clone());
            }
            return Vec::new();
        }
        let (token, text) = (edit::token(), text.to_owned());
        self.form = FormView { judged: Some((text.clone(), token)), verdict: None };
        vec![Intent::Send(Command::Form(FormCommand::Check { token, text }))]
    }

    pub(super) fn draw_form(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        let rows = self.form_rows(view, painter, usize::from(area.width));
        self.page.draw(painter, area, &rows);
    }

    fn form_rows(&self, view: &View, painter: &Painter<'_>, width: usize) -> Vec<Row> {
        let offered = offered(view);
        let (head, text) = match (offered, own(view), shipped(view)) {
            (Some(offer), ..) => (format!("! offered: {}", offer.written.title.trim()), offer.written.raw.as_str()),
            (None, Some(text), _) => ("in force: adopted in this session".to_owned(), text),
            (None, None, Some(text)) => ("in force: the form that ships for this world".to_owned(), text),
            (None, None, None) if self.situation.as_ref().is_some_and(|s| s.belief.is_some()) => {
                ("in force: the world tells its state in a form of its own".to_owned(), "")
            }
            (None, None, None) => ("none: no belief can be kept here until one is adopted".to_owned(), ""),
        };
        let role = if offered.is_some() { Role::Accent } else { Role::Title };
        let mut rows: Vec<Row> = wrap::wrapped(&head, width).iter().map(|line| vec![run(role, line)]).collect();
        if self.form.judged.as_ref().is_some_and(|(judged, _)| judged == text) {
            rows.extend(offer::form_rows(self.form.verdict.as_ref(), painter.theme, width));
        }
        for line in text.lines() {
            rows.extend(wrap::wrapped(line, width).iter().map(|line| vec![run(Role::Text, line)]));
        }
        let (ask, edit) = (view.key(PaneAction::Distil), view.key(PaneAction::EditWhole));
        if text.is_empty() {
            let about =
                format!("{ask} has the model in use propose one from the demonstrations; {edit} lets you write one.");
            rows.extend(words::labelled("", Role::Dim, &about, width));
        }
        rows
    }

    pub(super) fn form_actions(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        let mut actions = Vec::new();
        if let Some(offer) = offered(view) {
            actions.extend(offer.written.value.is_some().then_some((PaneAction::Adopt, "take form")));
            actions.push((PaneAction::ToggleReject, "refuse form"));
        }
        actions.extend([(PaneAction::EditWhole, "edit form"), (PaneAction::Distil, "ask for a form")]);
        actions.extend(self.turns(view));
        actions
    }

    pub(super) fn act_on_form(&mut self, action: PaneAction, view: &View) -> Vec<Intent> {
        let offered = offered(view);
        let offer = offered.map(|offer| offer.id);
        let gate = |request| vec![Intent::Send(Command::Gate(request))];
        match (action, offer) {
            (PaneAction::Adopt, Some(offer)) => gate(Request::ApproveOffer(offer)),
            (PaneAction::ToggleReject, Some(offer)) => gate(Request::RefuseOffer { offer, reason: String::new() }),
            (PaneAction::EditWhole, _) => {
                let written = offered.map(|offer| offer.written.raw.as_str());
                let text = written.or_else(|| own(view)).unwrap_or(BEGINNING).to_owned();
                vec![Intent::EditForm { offer, text }]
            }
            (PaneAction::Distil, _) => vec![Intent::Send(Command::Form(FormCommand::Propose))],
            _ => self.browse(action, view),
        }
    }
}
