//! Dialog that changes the model, the method or its options from here on.

use std::collections::{BTreeMap, BTreeSet};

use ratatui::layout::Rect;

use super::{Context, Dialog, Fetch, Info, Reply, key_row};
use crate::actions::{self, ActionId};
use crate::launcher::{Catalog, Entry, WorldEntry};
use crate::sanitize;
use crate::theme::Role;
use crate::widgets::draw::{Painter, Row, run, split_top};
use crate::widgets::list::{ListState, words_cut};
use stepwright_episode::{ArtifactId, Configuration, Role as Asked, Session};
use stepwright_method as method;
use stepwright_protocol::{Command, Request};
use stepwright_world::Ability;
use stepwright_world::options::{Kind, OptionSpec, Table, Values};

/// Rows below the lists: what suits the model, or what is wrong; and the marked row's words in full where they are cut.
const FOOT: u16 = 2;

pub struct Configure {
    lists: [(&'static str, Vec<Entry>, ListState); 2],
    values: Values,
    /// Options without a default that the session has a value of.
    given: BTreeSet<String>,
    /// The models of roles; empty where a role is asked of the model in use again.
    roles: BTreeMap<Asked, String>,
    row: ListState,
    /// The session's world and kind of task, where the catalog has them.
    world: Option<WorldEntry>,
    task: Option<String>,
    /// 0 and 1 are the lists, 2 the options.
    focus: usize,
    problem: Option<String>,
}

impl Configure {
    pub fn new(catalog: &Catalog, session: &Session) -> Self {
        let list =
            |entries: &[Entry], name: &str| ListState::at(entries.iter().position(|e| e.name == name).unwrap_or(0));
        let specs = || catalog.methods.iter().flat_map(Entry::options);
        let world = catalog.worlds.iter().find(|w| w.name == session.header.world).cloned();
        let formed = session.options.contains_key(method::FORM.key) || session.document(&ArtifactId::FORM).is_some();
        let world = world.map(|world| WorldEntry { formed: formed || world.formed, ..world });
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
            roles: Asked::models(&session.options).map(|(role, name)| (role, name.to_owned())).collect(),
            row: ListState::default(),
            world,
            task,
            focus: 0,
            problem: None,
        }
    }

    fn chosen(&self, which: usize) -> Option<&Entry> {
        self.lists.get(which).and_then(|(_, entries, list)| entries.get(list.cursor()))
    }

    /// Rows of the method that has most options and roles: the dialog keeps its size.
    fn most_options(&self) -> usize {
        self.lists[1].1.iter().map(|method| method.options().len() + self.roles_of(method).len()).max().unwrap_or(0)
    }

    /// The roles that a method asks a language model as, the embedder's aside.
    fn roles_of(&self, method: &Entry) -> Vec<Asked> {
        let asks = |role: &Asked| method.method.is_some_and(|info| info.asks_as(*role, &self.values));
        Asked::ALL.into_iter().filter(|role| *role != Asked::Translator).filter(asks).collect()
    }

    /// The roles of the marked method.
    fn asked_as(&self) -> Vec<Asked> {
        self.chosen(1).map(|method| self.roles_of(method)).unwrap_or_default()
    }

    /// The model that a method asks first: of its first role, or the marked one.
    fn first_asked(&self, method: &Entry) -> Option<&Entry> {
        let own = method.method.and_then(|info| self.roles.get(info.roles.first()?));
        let known = own.and_then(|name| self.lists[0].1.iter().find(|model| model.name == *name));
        known.or_else(|| self.chosen(0))
    }

    fn remark(&self) -> Option<String> {
        let (model, method) = (self.chosen(0)?, self.chosen(1)?);
        let suits = model.suggests.as_ref().filter(|s| **s != method.name)?;
        Some(format!("{} suits {} better", suits, sanitize::line(&model.name)))
    }

    fn table(&self) -> Table {
        self.chosen(1).map_or(&[], Entry::options)
    }

    /// Why a method cannot continue with this session and the marked model; `None` if it can.
    fn obstacle(&self, method: &Entry) -> Option<String> {
        method.obstacle(self.world.as_ref(), self.task.as_deref(), self.first_asked(method))
    }

    /// The ability that the world lacks for an option to be set at all.
    fn missing(&self, spec: &OptionSpec) -> Option<String> {
        let WorldEntry { kind, formed, .. } = self.world.as_ref()?;
        let (kind, in_form) = ((*kind)?, |need: &Ability| *formed && *need == Ability::Belief);
        let absent = method::options::needs(spec, "on").iter().find(|need| !kind.has(**need) && !in_form(need))?;
        Some(format!("the world has no {}", absent.label()))
    }

    fn change(&mut self, forward: bool) {
        let at = self.row.cursor().checked_sub(self.table().len());
        if let Some(role) = at.and_then(|at| self.asked_as().get(at).copied()) {
            return self.change_role(role, forward);
        }
        if let Some(spec) = self.table().get(self.row.cursor()).filter(|spec| self.missing(spec).is_none()) {
            let next = spec.next(self.values.text(spec), forward);
            self.values.set(spec, &next);
        }
    }

    /// Gives a role the next of the models that are there, the first being none of its own.
    fn change_role(&mut self, role: Asked, forward: bool) {
        let there = self.lists[0].1.iter().filter(|model| model.unavailable.is_none()).map(|model| model.name.as_str());
        let names: Vec<&str> = std::iter::once("").chain(there).collect();
        let own = self.roles.get(&role).map_or("", String::as_str);
        let at = names.iter().position(|name| *name == own).unwrap_or(0);
        let next = (at + if forward { 1 } else { names.len() - 1 }) % names.len();
        self.roles.insert(role, names.get(next).copied().unwrap_or_default().to_owned());
    }

    /// The options to record: those of the marked method and the models of its roles, those that were set to nothing too.
    fn options(&self) -> BTreeMap<String, String> {
        let mut options = self.values.record(self.table());
        let roles = self.asked_as();
        options.extend(roles.iter().filter_map(|role| Some((role.key(), self.roles.get(role)?.clone()))));
        for key in &self.given {
            options.entry(key.clone()).or_default();
        }
        options
    }
}

/// A role's row: its model, and what it is asked for.
fn role_row(role: Asked, model: Option<&String>) -> Row {
    let label = format!("Model: {}", role.name());
    let model = model.filter(|name| !name.is_empty()).map_or("-".into(), |name| sanitize::line(name));
    vec![
        run(Role::Text, sanitize::pad(&label, 20) + " "),
        run(Role::Accent, sanitize::pad(&model, 10) + " "),
        run(Role::Dim, role.about()),
    ]
}

fn option_row(spec: &OptionSpec, value: &str, missing: Option<String>) -> Row {
    let shown = match (spec.kind, value) {
        (Kind::Switch, "true") => "yes",
        (Kind::Switch, _) => "no",
        (_, "") => "-",
        (_, value) => value,
    };
    let [label, accent] = if missing.is_some() { [Role::Dim; 2] } else { [Role::Text, Role::Accent] };
    vec![
        run(label, sanitize::pad(spec.label, 20) + " "),
        run(accent, sanitize::pad(&sanitize::line(shown), 10) + " "),
        run(Role::Dim, missing.unwrap_or_else(|| spec.note(value).to_owned())),
    ]
}

fn entry_row(entry: &Entry, obstacle: Option<String>) -> Row {
    let role = if obstacle.is_some() { Role::Dim } else { Role::Text };
    let name = sanitize::pad(&sanitize::line(&entry.name), 23) + " ";
    vec![run(role, name), run(Role::Dim, obstacle.as_ref().unwrap_or(&entry.about))]
}

/// The remark on the rows of a list that are not shown.
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
    fn info(&self) -> Info {
        let rows: usize = self.lists.iter().map(|(_, entries, _)| entries.len().min(12) + 1).sum();
        Info {
            title: "Model and method from here on".into(),
            hints: vec![(ActionId::Accept, "use them"), (ActionId::Complete, "next list"), (ActionId::Close, "cancel")],
            size: (80, u16::try_from(rows + self.most_options() + 1).unwrap_or(20) + FOOT),
            captures_text: false,
            keys: Some(actions::Context::Settings),
            opener: Some(ActionId::Configure),
        }
    }

    fn draw(&mut self, context: Context<'_>, painter: &mut Painter<'_>, area: Rect) {
        let table = self.table();
        let parts = [
            self.lists[0].1.iter().map(|entry| entry_row(entry, entry.unavailable.clone())).collect(),
            self.lists[1].1.iter().map(|entry| entry_row(entry, self.obstacle(entry))).collect(),
            table
                .iter()
                .map(|s| option_row(s, self.values.text(s), self.missing(s)))
                .chain(self.asked_as().into_iter().map(|role| role_row(role, self.roles.get(&role))))
                .collect::<Vec<Row>>(),
        ];
        let lens = [0, 1, 2].map(|part: usize| parts.get(part).map_or(0, Vec::len));
        let change = key_row(context.keymap, &[(&[ActionId::PreviousValue, ActionId::NextValue], "change them")]);
        let heading = if self.focus == 2 { format!("Options ({change})") } else { "Options".to_owned() };
        let remark = self.remark();
        let mut rest = area;
        let heights = shares(lens, self.focus, area.height.saturating_sub(FOOT));
        let mut marked = None;
        for (i, (height, rows)) in heights.into_iter().zip(&parts).enumerate() {
            let (part, below) = split_top(rest, height);
            rest = below;
            let (title, list_area) = split_top(part, 1);
            let focused = i == self.focus;
            let (name, list) = match self.lists.get_mut(i) {
                Some((name, _, list)) => (*name, list),
                None => (heading.as_str(), &mut self.row),
            };
            list.draw(painter, list_area, focused, rows.len(), |row, _| rows.get(row).cloned().unwrap_or_default());
            marked = marked.or(rows.get(list.cursor()).filter(|_| focused));
            let role = if focused { Role::Title } else { Role::Dim };
            painter.row(title, 0, &[run(role, name), run(Role::Accent, more(list.left_out(rows.len())))]);
        }
        let mut said: Vec<Row> = match (&self.problem, remark) {
            (Some(text), _) => vec![vec![run(Role::Bad, text)]],
            (None, Some(text)) => vec![vec![run(Role::Warn, text)]],
            (None, None) => Vec::new(),
        };
        let columns = usize::from(area.width);
        said.extend(marked.into_iter().flat_map(|row| words_cut(row, columns)));
        painter.rows(split_top(rest, FOOT).0, &said);
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
        let options = self.table().len() + self.asked_as().len();
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
