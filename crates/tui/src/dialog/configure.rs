//! Dialog that changes the model, the method or its options from here on.

use std::collections::{BTreeMap, BTreeSet};

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};

use super::list::List;
use super::{Context, Dialog, Fetch, Reply, key_row};
use crate::actions::{self, ActionId};
use crate::launcher::{Catalog, Entry, WorldEntry};
use crate::panes::wrap::wrapped;
use crate::sanitize;
use crate::theme::{Role, Theme};
use stepwright_driver::{Command, Request};
use stepwright_episode::{Configuration, Session};
use stepwright_method as method;
use stepwright_world::options::{Kind, OptionSpec, Table, Values};

/// Rows below the lists: what suits the model, or what is wrong; and the marked row's words in full where they are cut.
const FOOT: u16 = 2;

/// Lists of models and methods, and the method's options.
pub struct Configure {
    lists: [(&'static str, Vec<Entry>, List); 2],
    values: Values,
    /// Options without a default that the session has a value of.
    given: BTreeSet<String>,
    row: List,
    /// The session's world and kind of task, where the catalog has them.
    world: Option<WorldEntry>,
    task: Option<String>,
    /// 0 and 1 are the lists, 2 the options.
    focus: usize,
    problem: Option<String>,
}

impl Configure {
    /// The lists and options, with what is in use marked.
    pub fn new(catalog: &Catalog, session: &Session) -> Self {
        let list = |entries: &[Entry], name: &str| List::at(entries.iter().position(|e| e.name == name).unwrap_or(0));
        let specs = || catalog.methods.iter().flat_map(Entry::options);
        let world = catalog.worlds.iter().find(|w| w.name == session.header.world).cloned();
        let task = world.iter().flat_map(|w| &w.tasks).find(|t| t.id == session.header.task).map(|t| t.kind.clone());
        Configure {
            lists: [
                ("Model", catalog.models.clone(), list(&catalog.models, &session.model)),
                ("Method", catalog.methods.clone(), list(&catalog.methods, &session.method)),
            ],
            // A session whose options cannot be read shows the defaults; choosing them mends it.
            values: Values::read(specs(), &session.options).unwrap_or_default(),
            given: specs()
                .filter(|s| s.default.is_empty())
                .map(|s| s.key.to_owned())
                .filter(|k| session.options.contains_key(k))
                .collect(),
            row: List::default(),
            world,
            task,
            focus: 0,
            problem: None,
        }
    }

    fn chosen(&self, which: usize) -> Option<&Entry> {
        self.lists.get(which).and_then(|(_, entries, list)| entries.get(list.cursor()))
    }

    /// Rows of the method that has most options: the dialog keeps its size.
    fn most_options(&self) -> usize {
        self.lists[1].1.iter().map(|method| method.options().len()).max().unwrap_or(0)
    }

    /// A remark on the choice: that another method suits the model.
    fn remark(&self) -> Option<String> {
        let (model, method) = (self.chosen(0)?, self.chosen(1)?);
        let suits = model.suggests.as_ref().filter(|s| **s != method.name)?;
        Some(format!("{} suits {} better", suits, sanitize::line(&model.name)))
    }

    /// The options of the marked method.
    fn table(&self) -> Table {
        self.chosen(1).map_or(&[], Entry::options)
    }

    /// Why a method cannot continue with this session and the marked model; `None` if it can.
    fn obstacle(&self, method: &Entry) -> Option<String> {
        let unfit = || method.unfit(self.world.as_ref(), self.task.as_deref(), self.chosen(0));
        method.unavailable.clone().or_else(unfit)
    }

    /// What the world lacks for an option to be set at all.
    fn missing(&self, spec: &OptionSpec) -> Option<String> {
        let world = self.world.as_ref()?.kind?;
        let absent = method::options::needs(spec, "on").iter().find(|need| !world.has(**need))?;
        Some(format!("the world has no {}", absent.label()))
    }

    /// Changes the marked option, forward or back.
    fn change(&mut self, forward: bool) {
        if let Some(spec) = self.table().get(self.row.cursor()).filter(|spec| self.missing(spec).is_none()) {
            let next = spec.next(self.values.text(spec), forward);
            self.values.set(spec, &next);
        }
    }

    /// What the session is to record: the options of the marked method, those that were set to nothing too.
    fn options(&self) -> BTreeMap<String, String> {
        let mut options = self.values.record(self.table());
        for key in &self.given {
            options.entry(key.clone()).or_default();
        }
        options
    }
}

fn option_row(spec: &OptionSpec, value: &str, missing: Option<String>, theme: &Theme) -> Line<'static> {
    let shown = match (spec.kind, value) {
        (Kind::Switch, "true") => "yes",
        (Kind::Switch, _) => "no",
        (_, "") => "-",
        (_, value) => value,
    };
    let (label, accent) = if missing.is_some() { (Role::Dim, Role::Dim) } else { (Role::Text, Role::Accent) };
    Line::from(vec![
        Span::styled(format!("{:<20} ", spec.label), theme.style(label)),
        Span::styled(format!("{:<10} ", sanitize::line(shown)), theme.style(accent)),
        Span::styled(missing.unwrap_or_else(|| spec.note(value).to_owned()), theme.style(Role::Dim)),
    ])
}

fn entry_row(entry: &Entry, obstacle: Option<String>, theme: &Theme) -> Line<'static> {
    let obstacle = obstacle.as_ref().or(entry.unavailable.as_ref());
    let role = if obstacle.is_some() { Role::Dim } else { Role::Text };
    let about = obstacle.unwrap_or(&entry.about);
    Line::from(vec![
        Span::styled(format!("{:<23} ", sanitize::line(&entry.name)), theme.style(role)),
        Span::styled(sanitize::line(about).into_owned(), theme.style(Role::Dim)),
    ])
}

/// What a list has beside the rows that are shown.
fn more(left_out: (usize, usize)) -> String {
    match left_out {
        (0, 0) => String::new(),
        (0, below) => format!("  {below} more below"),
        (above, 0) => format!("  {above} more above"),
        (above, below) => format!("  {above} more above, {below} below"),
    }
}

/// Rows of each part, its title included: where there is no room for all, the part in focus has as many as it needs, and the
/// others share the rest, down to two rows each.
fn shares(lens: [usize; 3], focus: usize, room: u16) -> [u16; 3] {
    const LEAST: usize = 3;
    let mut heights = lens.map(|len| (len + 1).min(LEAST));
    let mut left = usize::from(room).saturating_sub(heights.iter().sum());
    let mut grow = |part: usize, most: usize| {
        if let (Some(height), Some(len)) = (heights.get_mut(part), lens.get(part)) {
            let more = (len + 1).saturating_sub(*height).min(left).min(most);
            *height += more;
            left -= more;
            return more > 0;
        }
        false
    };
    grow(focus, usize::MAX);
    // The others grow row by row.
    while (0..lens.len()).filter(|part| grow(*part, 1)).count() > 0 {}
    let mut room = room;
    heights.map(|height| {
        let height = u16::try_from(height).unwrap_or(room).min(room);
        room -= height;
        height
    })
}

impl Dialog for Configure {
    fn title(&self) -> String {
        "Model and method from here on".into()
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        vec![(ActionId::Accept, "use them"), (ActionId::Complete, "next list"), (ActionId::Close, "cancel")]
    }

    fn captures_text(&self) -> bool {
        false
    }

    fn keys(&self) -> Option<actions::Context> {
        Some(actions::Context::Settings)
    }

    fn opener(&self) -> Option<ActionId> {
        Some(ActionId::Configure)
    }

    fn size(&self, _: Context<'_>) -> (u16, u16) {
        let rows: usize = self.lists.iter().map(|(_, entries, _)| entries.len().min(12) + 1).sum();
        (80, u16::try_from(rows + self.most_options() + 1).unwrap_or(20) + FOOT)
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let theme = context.theme;
        let table = self.table();
        let lens = [self.lists[0].1.len(), self.lists[1].1.len(), table.len()];
        let heights = shares(lens, self.focus, area.height.saturating_sub(FOOT));
        let change = key_row(context.keymap, &[(&[ActionId::PreviousValue, ActionId::NextValue], "change them")]);
        let heading = if self.focus == 2 { format!("Options ({change})") } else { "Options".to_owned() };
        let options: Vec<Line<'static>> =
            table.iter().map(|s| option_row(s, self.values.text(s), self.missing(s), theme)).collect();
        let methods = self.lists[1].1.iter();
        let obstacles: Vec<Option<String>> = methods.map(|method| self.obstacle(method)).collect();
        let mut y = area.y;
        for (i, (height, len)) in heights.into_iter().zip(lens).enumerate() {
            let part = Rect { y, height, ..area };
            y += height;
            let below = Rect { y: part.y + height.min(1), height: height.saturating_sub(1), ..part };
            let focused = i == self.focus;
            let (name, list) = match self.lists.get_mut(i) {
                Some((name, entries, list)) => {
                    list.render(theme, below, frame, focused, len, |r| {
                        let obstacle = obstacles.get(r).filter(|_| i == 1).cloned().flatten();
                        entries.get(r).map(|entry| entry_row(entry, obstacle, theme)).unwrap_or_default()
                    });
                    (*name, &*list)
                }
                None => {
                    self.row.render(theme, below, frame, focused, len, |r| options.get(r).cloned().unwrap_or_default());
                    (heading.as_str(), &self.row)
                }
            };
            let role = if focused { Role::Title } else { Role::Dim };
            let title = Line::from(vec![
                Span::styled(name, theme.style(role)),
                Span::styled(more(list.left_out(len)), theme.style(Role::Accent)),
            ]);
            frame.render_widget(title, Rect { height: height.min(1), ..part });
        }
        let foot = Rect { y, height: area.bottom().saturating_sub(y).min(FOOT), ..area };
        let mut lines: Vec<Line<'static>> = match (&self.problem, self.remark()) {
            (Some(text), _) => vec![Line::styled(text.clone(), theme.style(Role::Bad))],
            (None, Some(text)) => vec![Line::styled(text, theme.style(Role::Warn))],
            (None, None) => Vec::new(),
        };
        let marked = match self.chosen(self.focus) {
            Some(entry) => {
                let obstacle = if self.focus == 1 { self.obstacle(entry) } else { None };
                Some(entry_row(entry, obstacle, theme))
            }
            None => options.get(self.row.cursor()).cloned(),
        };
        let cut = marked.filter(|row| row.width() + List::MARK > usize::from(area.width));
        let words = cut.iter().filter_map(|row| row.spans.last());
        let words = words.flat_map(|span| wrapped(&span.content, usize::from(area.width)));
        lines.extend(words.map(|text| Line::styled(text, theme.style(Role::Dim))));
        frame.render_widget(Text::from(lines), foot);
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        self.problem = None;
        match action {
            ActionId::Complete => self.focus = (self.focus + 1) % 3,
            ActionId::PreviousList => self.focus = (self.focus + 2) % 3,
            ActionId::NextValue | ActionId::PreviousValue if self.focus == 2 => {
                self.change(action == ActionId::NextValue);
            }
            ActionId::Accept => {
                let (Some(model), Some(method)) = (self.chosen(0), self.chosen(1)) else { return vec![Reply::Close] };
                let missing = model.unavailable.as_ref().filter(|_| model.fetch.is_none());
                if let Some(why) = missing.cloned().or_else(|| self.obstacle(method)) {
                    self.problem = Some(sanitize::line(&why).into_owned());
                    return Vec::new();
                }
                let command = Command::Gate(Request::Configure(Configuration {
                    model: model.name.clone(),
                    method: method.name.clone(),
                    options: self.options(),
                }));
                let what = match &model.fetch {
                    Some(size) => {
                        Reply::OfferFetch(Fetch { model: model.name.clone(), size: size.clone(), then: Some(command) })
                    }
                    None => Reply::Send(command),
                };
                return vec![Reply::Close, what];
            }
            _ => {}
        }
        let options = self.table().len();
        let (list, len) = match self.lists.get_mut(self.focus) {
            Some((_, entries, list)) => (list, entries.len()),
            None => (&mut self.row, options),
        };
        if action != ActionId::Complete {
            list.act(action, len);
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_in_focus_has_what_it_needs() {
        assert_eq!(shares([4, 9, 7], 0, 40), [5, 10, 8]);
        assert_eq!(shares([4, 9, 7], 1, 19), [5, 10, 4]);
        assert_eq!(shares([4, 9, 7], 2, 19), [5, 6, 8]);
        assert_eq!(shares([4, 9, 7], 2, 4), [3, 1, 0]);
        assert_eq!(shares([0, 0, 7], 0, 0), [0, 0, 0]);
        assert_eq!(more((0, 4)), "  4 more below");
    }
}
