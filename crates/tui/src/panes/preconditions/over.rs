//! Overlays of the list of candidates: pages with a head, rows to browse, and words on the row under the cursor.

use std::sync::Arc;

use crossterm::event::MouseEvent;
use ratatui::layout::Rect;

use super::decision::DecisionPage;
use super::sets::SetsPage;
use super::step::StepPage;
use super::study::StudyPage;
use crate::pane::PaneAction;
use crate::view::View;
use crate::widgets::draw::{Painter, split_bottom, split_top};
use crate::widgets::outline::Outline;
use stepwright_library::{Impact, Look};
use stepwright_precondition::{AdoptedSet, Inspection, SetComparison, StepView};

#[derive(Debug)]
pub(super) struct Over {
    pub(super) outline: Outline,
    pub(super) page: Page,
}

#[derive(Debug)]
pub(super) enum Page {
    /// One candidate: its relations, the steps it excludes.
    Study(StudyPage),
    Step(StepPage),
    Decision(DecisionPage),
    Sets(SetsPage),
}

impl Over {
    pub(super) fn study(seen: &Arc<Inspection>, impact: Option<&Arc<Impact>>) -> Self {
        let page = Page::Study(StudyPage::new(Arc::clone(seen), impact.cloned()));
        Over { outline: Outline::default(), page }
    }

    /// A decision of the library.
    pub(super) fn decision(look: Arc<Look>) -> Self {
        Over { outline: Outline::default(), page: Page::Decision(DecisionPage::new(look)) }
    }

    /// A step; `listed` if it is one of a close look's.
    pub(super) fn step(step: Arc<StepView>, listed: bool) -> Self {
        Over { outline: Outline::default(), page: Page::Step(StepPage::new(step, listed)) }
    }

    /// Two sets; the cursor is at that row, or at the heading of that action where there is none yet.
    pub(super) fn sets(sets: Arc<SetComparison>, right: Arc<AdoptedSet>, at: Result<usize, &str>) -> Self {
        let page = SetsPage::new(sets, right);
        let mut outline = Outline::default();
        outline.list.go(at.unwrap_or_else(|action| page.row_of(action).unwrap_or_default()), page.len());
        Over { outline, page: Page::Sets(page) }
    }

    pub(super) fn title(&self, action: &str) -> String {
        match &self.page {
            Page::Study(_) => format!("A candidate for {action}"),
            Page::Step(page) => page.title(),
            Page::Decision(page) => page.title(),
            Page::Sets(_) => "Two sets side by side".to_owned(),
        }
    }

    pub(super) fn len(&self) -> usize {
        match &self.page {
            Page::Study(page) => page.len(),
            Page::Step(page) => page.len(),
            Page::Decision(page) => page.len(),
            Page::Sets(page) => page.len(),
        }
    }

    pub(super) fn text(&self, row: usize) -> String {
        match &self.page {
            Page::Study(page) => page.text(row),
            Page::Step(page) => page.text(row),
            Page::Decision(page) => page.text(row),
            Page::Sets(page) => page.text(row),
        }
    }

    pub(super) fn copied(&self) -> Option<String> {
        Some(self.text(self.outline.list.cursor())).filter(|t| !t.is_empty())
    }

    pub(super) fn mouse(&mut self, event: MouseEvent) {
        self.outline.mouse(event, self.len());
    }

    pub(super) fn actions(&self) -> Vec<(PaneAction, &'static str)> {
        let mut actions = vec![(PaneAction::Back, "back")];
        match &self.page {
            Page::Study(_) => actions.extend([(PaneAction::Activate, "go there"), (PaneAction::Edit, "edit it")]),
            Page::Step(_) => actions.extend([(PaneAction::Right, "next step"), (PaneAction::Left, "previous step")]),
            Page::Decision(_) => {
                let there = (PaneAction::Activate, "go to its session");
                actions.extend([there, (PaneAction::Right, "next one"), (PaneAction::Left, "the one before")])
            }
            Page::Sets(_) => actions.extend([
                (PaneAction::Adopt, "adopt right"),
                (PaneAction::Activate, "step where they differ"),
                (PaneAction::Compare, "other left set"),
                (PaneAction::Right, "other right set"),
                (PaneAction::Left, "the one before"),
                (PaneAction::Load, "load"),
                (PaneAction::Save, "save"),
            ]),
        }
        actions.push((PaneAction::Copy, "copy"));
        actions.extend(self.outline.actions());
        actions
    }

    pub(super) fn draw(&mut self, painter: &mut Painter<'_>, area: Rect, view: &View) {
        let width = usize::from(area.width);
        let head = match &self.page {
            Page::Study(page) => page.head(view, painter.theme, width),
            Page::Step(page) => page.head(view, painter.theme, width),
            Page::Decision(page) => page.head(view, painter.theme, width),
            Page::Sets(page) => page.head(view, width),
        };
        // The rows keep a third of the pane whatever is above them.
        let height = (head.len() as u16).min(area.height * 2 / 3);
        let (above, area) = split_top(area, height);
        painter.rows(above, &head);
        let area = self.outline.find.draw(painter, area);
        let cursor = self.outline.list.cursor().min(self.len().saturating_sub(1));
        let detail = match &self.page {
            Page::Sets(page) => page.detail(cursor, view, width),
            Page::Study(_) | Page::Step(_) | Page::Decision(_) => Vec::new(),
        };
        let height = (detail.len() as u16 + u16::from(!detail.is_empty())).min(area.height / 2);
        let (list, below) = split_bottom(area, height);
        match &self.page {
            Page::Sets(page) if below.height > 1 => {
                let on = page.text(cursor);
                self.outline.words.draw(painter, below, ("why", &on), view, |width| page.detail(cursor, view, width));
            }
            _ => self.outline.words.hide(),
        }
        self.draw_rows(painter, list);
    }

    fn draw_rows(&mut self, painter: &mut Painter<'_>, area: Rect) {
        let (len, height) = (self.len(), usize::from(area.height));
        let first = match &mut self.page {
            Page::Step(page) => page.first(),
            Page::Decision(page) => page.first(),
            Page::Study(_) | Page::Sets(_) => None,
        };
        if let Some(call) = first {
            // What follows is brought into sight first, so that the step is in the middle.
            self.outline.list.go(call + height / 2, len);
            self.outline.list.window(len, height);
            self.outline.list.go(call, len);
        }
        let (page, theme) = (&self.page, painter.theme);
        self.outline.draw(painter, area, len, |row, width| match page {
            Page::Study(page) => page.row(row, theme, width),
            Page::Step(page) => page.row(row, theme),
            Page::Decision(page) => page.row(row, theme),
            Page::Sets(page) => page.row(row, theme, width),
        });
    }
}
