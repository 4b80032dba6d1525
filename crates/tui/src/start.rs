//! Start screen: what to step through, with which method and model; or a recorded session to open.
//!
//! Knows only the catalogue it is given; starting is the application's.

use crossterm::event::{KeyCode, KeyEvent, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::text::Span;
use ratatui::widgets::Block;
use smart_default::SmartDefault;

use super::actions::{ActionId, EXAMPLE_KEYS};
use super::event::Input;
use super::keymap::Keymap;
use super::launcher::{Catalog, Choice, Entry, WorldEntry};
use super::theme::{Role, Theme};
use super::widgets::draw::{Painter, Row, run};
use super::widgets::edit::{Edited, Editor};
use super::widgets::list::ListState;
use super::widgets::wrap::wrapped;
use super::{fuzzy, sanitize};
use std::path::PathBuf;
use stepwright_text::Columns;
use stepwright_text::words::{count, thousands};
use stepwright_world::TaskInfo;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Tasks,
    Sessions,
    Worlds,
    Methods,
    Models,
}

/// From this height on, the marked row is described in full below the lists.
const ROOM_FOR_WORDS: u16 = 20;
/// From this height on, beside them what the program is for.
const ROOM_FOR_ABOUT: u16 = 26;
/// Columns that a line's words need behind the longest name; where there are fewer, the words are shown below only.
const ROOM_FOR_LINE: usize = 24;
const MOST_WORDS: usize = 3;

const PARTS: [Part; 5] = [Part::Tasks, Part::Sessions, Part::Worlds, Part::Methods, Part::Models];

impl Part {
    fn title(self) -> &'static str {
        match self {
            Part::Tasks => "Task",
            Part::Sessions => "Sessions",
            Part::Worlds => "World",
            Part::Methods => "Method",
            Part::Models => "Model",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StartAction {
    Begin(Choice),
    Open(PathBuf),
    /// Fetch what a model needs, of that size.
    Fetch {
        model: String,
        size: String,
    },
    Say(String),
}

#[derive(SmartDefault)]
pub(crate) struct Start {
    /// The choices; `None` while they are being read.
    catalog: Option<Catalog>,
    focus: usize,
    lists: [ListState; PARTS.len()],
    /// Indices of the world's tasks that match the search.
    tasks: Vec<usize>,
    #[default(Editor::field(""))]
    search: Editor,
    /// Text searched for in a list that is no list of tasks: the best match is marked, and all rows stay.
    #[default(Editor::field(""))]
    wanted: Editor,
    searching: bool,
    /// The person moved the method's cursor: it no longer follows the model.
    method_chosen: bool,
    /// The key pressed while the catalogue was being read: acted on once it is.
    awaiting: Option<ActionId>,
    /// Whether anybody has looked around; then what is read later is looked at too.
    looks: bool,
    /// What was to be begun before the catalogue was read: marked once it is, for where that fails.
    wish: Option<Choice>,
    /// The lists, and whether the method was chosen, before the search of a list that hides no rows.
    before: Option<([ListState; PARTS.len()], bool)>,
    /// The world somebody looks at whose process is to be asked for its tasks.
    asked: Option<String>,
    areas: [Rect; PARTS.len()],
}

impl Start {
    pub(crate) fn set_catalog(&mut self, catalog: Catalog) {
        let usable = |entries: &[Entry]| entries.iter().position(|e| e.unavailable.is_none()).unwrap_or(0);
        self.lists = std::array::from_fn(|_| ListState::default());
        self.lists[Part::Models as usize] = ListState::at(usable(&catalog.models));
        self.catalog = Some(catalog);
        self.method_chosen = false;
        self.before = None;
        self.find();
        if let Some(choice) = self.wish.take() {
            self.mark(&choice);
        }
        if self.looks {
            self.look();
        }
    }

    /// What is being begun unseen: where that fails, it is what the person finds marked.
    pub(crate) fn wish(&mut self, choice: &Choice) {
        self.wish = self.catalog.is_none().then(|| choice.clone());
    }

    /// Marks what a choice names, as far as it is there.
    fn mark(&mut self, choice: &Choice) {
        let Some(catalog) = &self.catalog else { return };
        let named = |entries: &[Entry], name: &str| entries.iter().position(|entry| entry.name == name);
        let world = catalog.worlds.iter().position(|world| world.name == choice.world);
        let (method, model) = (named(&catalog.methods, &choice.method), named(&catalog.models, &choice.model));
        let mut put = |part: Part, row: Option<usize>| {
            if let Some(row) = row {
                self.lists[part as usize] = ListState::at(row);
            }
        };
        put(Part::Worlds, world);
        put(Part::Models, model);
        self.find();
        if let Some(row) = world.and_then(|_| (0..self.tasks.len()).find(|row| self.is_task(*row, &choice.task))) {
            self.lists[Part::Tasks as usize] = ListState::at(row);
            self.follow_suggestion();
        }
        if let Some(row) = method {
            self.lists[Part::Methods as usize] = ListState::at(row);
            self.method_chosen = true;
        }
    }

    fn is_task(&self, row: usize, id: &str) -> bool {
        self.task(row).is_some_and(|task| task.id == id)
    }

    /// The action pressed while the catalogue was being read, to be done now.
    pub fn awaited(&mut self) -> Option<StartAction> {
        self.awaiting.take().and_then(|action| self.act(action))
    }

    /// The method that suits the marked world or else the marked model, if it is not the default one, and what it suits.
    fn suggested(&self) -> Option<(usize, &str)> {
        let catalog = self.catalog.as_ref()?;
        let world = self.world().map(|w| (&w.suggests, &w.name));
        let model = self.model().map(|m| (&m.suggests, &m.name));
        let (method, suits) =
            [world, model].into_iter().flatten().find_map(|(suggests, name)| Some((suggests.as_ref()?, name)))?;
        let at = catalog.methods.iter().position(|m| m.name == *method)?;
        (at > 0).then_some((at, suits))
    }

    /// Marks the method that suits the marked world and model, until the person has marked one.
    fn follow_suggestion(&mut self) {
        let Some(catalog) = self.catalog.as_ref().filter(|_| !self.method_chosen) else { return };
        let fits = |at: &usize| self.obstacle(*at).is_none();
        let default = (0..catalog.methods.len()).find(fits).unwrap_or(0);
        let at = self.suggested().map(|(at, _)| at).filter(fits).unwrap_or(default);
        self.lists[Part::Methods as usize] = ListState::at(at);
    }

    /// Why the method of a row cannot be begun with what is marked beside it; `None` if it can.
    fn obstacle(&self, row: usize) -> Option<String> {
        let method = self.catalog.as_ref()?.methods.get(row)?;
        let kind = self.task(self.cursor(Part::Tasks)).map(|task| task.kind.as_str());
        method.obstacle(self.world(), kind, self.model())
    }

    /// A row of a list as it is shown: of what cannot be begun the reason in place of its words.
    fn listed(&self, part: Part, row: usize) -> Option<Listed> {
        let catalog = self.catalog.as_ref()?;
        let listed = |name: &str, about: &str| Listed::new(name.to_owned(), about.to_owned());
        let entry = |entry: &Entry, obstacle: Option<String>| {
            let shown = listed(&entry.name, obstacle.as_ref().unwrap_or(&entry.about));
            Listed { unavailable: obstacle.is_some(), ..shown }
        };
        Some(match part {
            Part::Tasks => {
                let (task, all) = (self.task(row)?, &self.world()?.tasks);
                let telling = all.iter().filter(|other| other.sentence == task.sentence).nth(1).is_some();
                let about = if telling { task.id.clone() } else { task.kind.replace('_', " ") };
                Listed { telling, ..Listed::new(task.sentence.clone(), about) }
            }
            Part::Sessions => {
                let session = catalog.sessions.get(row)?;
                let shipped = catalog.sessions.iter().take(row + 1).filter(|s| s.shipped).count();
                let number =
                    if session.shipped && shipped <= EXAMPLE_KEYS { shipped.to_string() } else { " ".to_owned() };
                Listed::new(format!("{number} {}", session.title), session.detail.clone())
            }
            Part::Worlds => catalog.worlds.get(row).map(|world| listed(&world.name, &world.about))?,
            Part::Methods => entry(catalog.methods.get(row)?, self.obstacle(row)),
            Part::Models => catalog.models.get(row).map(|model| entry(model, model.unavailable.clone()))?,
        })
    }

    /// The world whose process is to be asked for its tasks now.
    pub(crate) fn next_asked(&mut self) -> Option<String> {
        self.asked.take()
    }

    /// Somebody looks at the marked world: once, its process is asked for what only it knows.
    fn look(&mut self) {
        self.looks = true;
        let at = self.cursor(Part::Worlds);
        let world = self.catalog.as_mut().and_then(|catalog| catalog.worlds.get_mut(at));
        if let Some(world) = world.filter(|world| world.asks) {
            world.asks = false;
            self.asked = Some(world.name.clone());
        }
    }

    /// Lists the tasks that a world's process told; the marked one stays marked.
    pub(crate) fn told(&mut self, world: &str, tasks: Vec<TaskInfo>) {
        let marked = self.task(self.cursor(Part::Tasks)).map(|task| task.id.clone());
        let known =
            self.catalog.as_mut().and_then(|catalog| catalog.worlds.iter_mut().find(|known| known.name == world));
        let Some(known) = known.filter(|known| !tasks.is_empty() && known.tasks != tasks) else { return };
        known.tasks = tasks;
        if self.world().is_some_and(|shown| shown.name == world) {
            self.find();
            let at = (0..self.tasks.len()).find(|row| self.task(*row).map(|task| &task.id) == marked.as_ref());
            self.lists[Part::Tasks as usize] = ListState::at(at.unwrap_or_default());
        }
    }

    /// The marked world, and a task of it by its row.
    fn world(&self) -> Option<&WorldEntry> {
        self.catalog.as_ref()?.worlds.get(self.cursor(Part::Worlds))
    }

    fn task(&self, row: usize) -> Option<&TaskInfo> {
        self.world()?.tasks.get(*self.tasks.get(row)?)
    }

    fn model(&self) -> Option<&Entry> {
        self.catalog.as_ref()?.models.get(self.cursor(Part::Models))
    }

    pub fn catalog(&self) -> Option<&Catalog> {
        self.catalog.as_ref()
    }

    pub fn captures_text(&self) -> bool {
        self.searching
    }

    /// What leaving the search does, in words: only tasks are hidden by one.
    pub(crate) fn leaving(&self) -> &'static str {
        let hides = self.part() == Part::Tasks && !self.search.text().is_empty();
        if hides { "show all" } else { "cancel" }
    }

    fn part(&self) -> Part {
        PARTS.get(self.focus).copied().unwrap_or(Part::Tasks)
    }

    fn cursor(&self, part: Part) -> usize {
        self.lists[part as usize].cursor()
    }

    fn len(&self, part: Part) -> usize {
        let Some(catalog) = &self.catalog else { return 0 };
        match part {
            Part::Tasks => self.tasks.len(),
            Part::Sessions => catalog.sessions.len(),
            Part::Worlds => catalog.worlds.len(),
            Part::Methods => catalog.methods.len(),
            Part::Models => catalog.models.len(),
        }
    }

    fn list_tasks(&mut self) {
        let tasks = self.world().into_iter().flat_map(|world| &world.tasks);
        let texts: Vec<String> = tasks.map(|t| format!("{} {} {}", t.sentence, t.kind, t.id)).collect();
        self.tasks = fuzzy::rank(&self.search.text(), texts.iter().map(String::as_str));
    }

    /// Lists the tasks that match the search; what fits the first of them follows.
    fn find(&mut self) {
        self.list_tasks();
        self.lists[Part::Tasks as usize] = ListState::default();
        self.follow_suggestion();
    }

    /// Moves in the list in focus; the lists that depend on the marked row follow.
    fn go(&mut self, go: impl FnOnce(&mut ListState, usize)) {
        let (part, len) = (self.part(), self.len(self.part()));
        let list = &mut self.lists[part as usize];
        let before = list.cursor();
        go(list, len);
        match part {
            _ if list.cursor() == before => {}
            Part::Worlds => {
                self.find();
                self.look();
            }
            Part::Tasks | Part::Models => self.follow_suggestion(),
            Part::Methods => self.method_chosen = true,
            Part::Sessions => {}
        }
    }

    fn step(&mut self, action: ActionId) {
        self.go(|list, len| {
            list.act(action, len);
        });
    }

    pub(crate) fn mark_model(&mut self, name: &str) {
        let at = self.catalog.as_ref().and_then(|c| c.models.iter().position(|m| m.name == name));
        if let Some(at) = at {
            self.lists[Part::Models as usize] = ListState::at(at);
            self.follow_suggestion();
        }
    }

    /// The fetch that the marked model needs first.
    fn to_fetch(&self) -> Option<StartAction> {
        let model = self.model()?;
        Some(StartAction::Fetch { model: model.name.clone(), size: model.fetch.clone()? })
    }

    fn choice(&self) -> Result<Choice, String> {
        let catalog = self.catalog.as_ref().ok_or("The tasks are not read yet")?;
        let world = self.world().ok_or("There is no world")?;
        let task = self.task(self.cursor(Part::Tasks)).ok_or("No task is marked: press / and change the search")?;
        let method = catalog.methods.get(self.cursor(Part::Methods)).ok_or("There is no method")?;
        let model = self.model().ok_or("There is no model")?;
        let of_method = self.obstacle(self.cursor(Part::Methods));
        for (entry, why) in [(model, model.unavailable.clone()), (method, of_method)] {
            if let Some(why) = why {
                return Err(format!("{}: {why}", entry.name));
            }
        }
        Ok(Choice {
            world: world.name.clone(),
            source: task.source.clone(),
            task: task.id.clone(),
            method: method.name.clone(),
            model: model.name.clone(),
        })
    }

    pub fn act(&mut self, action: ActionId) -> Option<StartAction> {
        self.awaiting = None;
        if self.catalog.is_none() && matches!(action, ActionId::Begin | ActionId::Example(_)) {
            self.awaiting = Some(action);
            return Some(StartAction::Say("The tasks are still being read; it begins as soon as they are".to_owned()));
        }
        if matches!(action, ActionId::NextField | ActionId::PreviousField | ActionId::StartSearch) {
            self.look();
        }
        match action {
            ActionId::NextField => self.focus = (self.focus + 1) % PARTS.len(),
            ActionId::PreviousField => self.focus = (self.focus + PARTS.len() - 1) % PARTS.len(),
            ActionId::StartSearch => {
                self.wanted.set("");
                self.searching = true;
                self.before = Some((self.lists.clone(), self.method_chosen));
            }
            ActionId::Example(n) => {
                let mut shipped = self.catalog.iter().flat_map(|c| &c.sessions).filter(|s| s.shipped);
                return Some(match shipped.nth(usize::from(n).saturating_sub(1)) {
                    Some(session) => StartAction::Open(session.path.clone()),
                    None => StartAction::Say(format!("There is no example session {n}")),
                });
            }
            ActionId::Begin if self.part() == Part::Sessions => {
                let sessions = self.catalog.as_ref().map(|c| c.sessions.as_slice()).unwrap_or_default();
                let chosen = sessions.get(self.cursor(Part::Sessions));
                return chosen.map(|s| StartAction::Open(s.path.clone()));
            }
            ActionId::Begin => {
                if let Some(wish) = self.to_fetch() {
                    return Some(wish);
                }
                return Some(match self.choice() {
                    Ok(choice) => StartAction::Begin(choice),
                    Err(why) => StartAction::Say(why),
                });
            }
            other => self.step(other),
        }
        None
    }

    /// The row of the list in focus that is nearest to what is searched for: by its name, else by its words too.
    fn best(&self) -> Option<usize> {
        let (part, wanted) = (self.part(), self.wanted.text());
        let rows: Vec<Listed> = (0..self.len(part)).filter_map(|row| self.listed(part, row)).collect();
        let by_name = fuzzy::rank(&wanted, rows.iter().map(|row| row.name.as_str())).first().copied();
        let texts: Vec<String> = rows.iter().map(|row| format!("{} {}", row.name, row.about)).collect();
        by_name.or_else(|| fuzzy::rank(&wanted, texts.iter().map(String::as_str)).first().copied())
    }

    /// Lists everything again; whether something was searched for.
    pub(crate) fn clear_search(&mut self) -> bool {
        let searched = !self.search.text().is_empty();
        if searched {
            self.search.set("");
            self.find();
        }
        searched
    }

    /// Takes text typed into the search.
    pub fn input(&mut self, input: Input<'_>) {
        match input {
            _ if !self.searching => {}
            Input::Key(KeyEvent { code: KeyCode::Esc, .. }) => {
                self.searching = false;
                if self.part() == Part::Tasks {
                    self.search.set("");
                    self.find();
                } else if let Some((lists, method_chosen)) = self.before.take() {
                    let world = self.cursor(Part::Worlds);
                    self.lists = lists;
                    self.method_chosen = method_chosen;
                    if self.cursor(Part::Worlds) != world {
                        self.list_tasks();
                    }
                }
            }
            Input::Key(KeyEvent { code: KeyCode::Enter, .. }) => self.searching = false,
            Input::Key(KeyEvent { code: KeyCode::Up, .. }) => self.step(ActionId::StartUp),
            Input::Key(KeyEvent { code: KeyCode::Down, .. }) => self.step(ActionId::StartDown),
            Input::Key(KeyEvent { code: KeyCode::PageUp, .. }) => self.step(ActionId::StartPageUp),
            Input::Key(KeyEvent { code: KeyCode::PageDown, .. }) => self.step(ActionId::StartPageDown),
            input if self.part() == Part::Tasks => {
                if self.search.input(input) == Edited::Changed {
                    self.find();
                }
            }
            input => {
                if self.wanted.input(input) == Edited::Changed
                    && let Some(row) = self.best()
                {
                    self.go(|list, len| list.go(row, len));
                }
            }
        }
    }

    /// The wheel scrolls, a click marks, a second click on the marked row begins.
    pub fn mouse(&mut self, event: MouseEvent) -> Option<StartAction> {
        let at = Position::new(event.column, event.row);
        let under = self.areas.iter().position(|a| a.contains(at))?;
        let clicks = matches!(event.kind, MouseEventKind::Down(_));
        if !clicks && !matches!(event.kind, MouseEventKind::ScrollUp | MouseEventKind::ScrollDown) {
            return None;
        }
        self.searching &= !clicks;
        let again = std::mem::replace(&mut self.focus, under) == under;
        let (part, area) = (self.part(), *self.areas.get(under)?);
        let (before, mut clicked) = (self.cursor(part), None);
        self.go(|list, len| clicked = list.mouse(event, area, len));
        (again && clicked == Some(before) && matches!(part, Part::Tasks | Part::Sessions))
            .then(|| self.act(ActionId::Begin))
            .flatten()
    }

    /// Draws the screen between title and message line.
    pub fn render(&mut self, theme: &Theme, keymap: &Keymap, area: Rect, frame: &mut Frame<'_>) {
        let wide = area.width >= 100;
        let details_rows = if area.height >= ROOM_FOR_WORDS { self.details_rows(usize::from(area.width)) } else { 0 };
        // On a small screen the words on what is marked come before those on the program.
        let about_rows = if area.height >= if details_rows > 0 { ROOM_FOR_ABOUT } else { 18 } { 2 } else { 0 };
        let heights = [Constraint::Length(about_rows), Constraint::Fill(1), Constraint::Length(details_rows)];
        let [about, body, details] = Layout::vertical(heights).areas(area);
        self.render_details(theme, details, frame);
        let text = if area.width >= 140 {
            "Step a language-model agent through an episode, one decision at a time: see what it proposes, what holds and what \
             blocks; then decide."
        } else {
            "Step a language-model agent through an episode, one decision at a time."
        };
        let width = usize::from(area.width.saturating_sub(2));
        let inner = Rect { x: about.x + 1.min(about.width), width: width as u16, ..about };
        Painter { buf: frame.buffer_mut(), theme, focused: true }.row(inner, 0, &[run(Role::Dim, text)]);
        let longest = self.len(Part::Worlds).max(self.len(Part::Methods)).max(self.len(Part::Models));
        let parts = if wide {
            let above = self.len(Part::Tasks).max(self.len(Part::Sessions));
            let choices = rows_of_choices(longest, above, body.height);
            let [top, bottom] = Layout::vertical([Constraint::Fill(1), Constraint::Length(choices)]).areas(body);
            let [tasks, sessions] = Layout::horizontal([Constraint::Percentage(55), Constraint::Fill(1)]).areas(top);
            let [world, method, model] = self.choices(bottom);
            [tasks, sessions, world, method, model]
        } else {
            let sessions = u16::try_from(self.len(Part::Sessions).clamp(1, 5)).unwrap_or(5) + 2;
            let choices = rows_of_choices(longest, 0, 0).min(5);
            let focused = [Part::Tasks, Part::Sessions].iter().position(|part| *part == self.part()).unwrap_or(2);
            let heights = stacked([0, sessions, choices], focused, body.height).map(Constraint::Length);
            let [tasks, sessions, bottom] = Layout::vertical(heights).areas(body);
            let [world, method, model] = self.choices(bottom);
            [tasks, sessions, world, method, model]
        };
        for (part, area) in PARTS.into_iter().zip(parts) {
            self.render_part(part, details_rows > 0, theme, keymap, area, frame);
        }
    }

    /// All details of a list's row: its line may have no room for them.
    fn details(&self, part: Part, row: usize) -> Option<String> {
        match part {
            Part::Tasks => {
                let task = self.task(row)?;
                Some(format!("{} ({}, {})", task.sentence, task.kind.replace('_', " "), task.id))
            }
            Part::Sessions => {
                let session = self.catalog.as_ref()?.sessions.get(row)?;
                Some(format!("{} ({})", session.title, session.detail))
            }
            _ => self.listed(part, row).map(|Listed { name, about, .. }| format!("{name}: {about}")),
        }
    }

    /// Rows for those words: as many as the longest of what is chosen from, so that moving about shifts nothing.
    fn details_rows(&self, width: usize) -> u16 {
        let chosen_from = [Part::Worlds, Part::Methods, Part::Models];
        let texts =
            chosen_from.into_iter().flat_map(|part| (0..self.len(part)).filter_map(move |row| self.details(part, row)));
        let rows = texts.map(|text| details_lines(&text, width).len()).max().unwrap_or(0);
        u16::try_from(rows.min(MOST_WORDS)).unwrap_or_default()
    }

    /// The words on the row under the cursor of the focused list.
    fn render_details(&self, theme: &Theme, area: Rect, frame: &mut Frame<'_>) {
        let Some(text) = self.details(self.part(), self.cursor(self.part())) else { return };
        let rows: Vec<Row> =
            details_lines(&text, usize::from(area.width)).iter().map(|line| vec![run(Role::Dim, line)]).collect();
        let area = Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(1), ..area };
        Painter { buf: frame.buffer_mut(), theme, focused: true }.rows(area, &rows);
    }

    /// Places for the three lists of what is chosen from. The methods' names are the longest, and what they do is least told by them:
    /// they have what the others leave.
    fn choices(&self, area: Rect) -> [Rect; 3] {
        let longest = |entries: fn(&Catalog) -> &[Entry]| {
            let names = self.catalog.iter().flat_map(entries).map(|entry| entry.name.width());
            // Beside a name: the frame, the mark and its blank, the scrollbar.
            u16::try_from(names.max().unwrap_or(0) + 5).unwrap_or(u16::MAX)
        };
        let models = longest(|c| &c.models).max(area.width / 5).min(area.width / 3);
        let methods =
            longest(|c| &c.methods).min(area.width / 2).max(area.width.saturating_sub(area.width / 3 + models));
        // A quarter stays for the worlds.
        let methods = methods.min(area.width.saturating_sub(models + area.width / 4));
        Layout::horizontal([Constraint::Fill(1), Constraint::Length(methods), Constraint::Length(models)]).areas(area)
    }

    fn heading(&self, part: Part, theme: &Theme, keymap: &Keymap) -> String {
        match part {
            _ if self.searching && part == self.part() => String::new(),
            Part::Tasks => {
                let hint = keymap.hint(ActionId::StartSearch).map(|k| format!(" {} {k} searches", theme.glyphs.dot));
                let search = self.search.text();
                let shown = if search.is_empty() { String::new() } else { format!(" matching `{search}`") };
                format!(" Task: {}{shown}{} ", self.tasks.len(), hint.unwrap_or_default())
            }
            Part::Sessions => format!(" {}{} ", part.title(), self.counted_sessions()),
            Part::Methods => match self.suggested() {
                Some((at, suits)) if at == self.cursor(Part::Methods) => {
                    format!(" Method: suits {} ", sanitize::line(suits))
                }
                _ => format!(" {} ", part.title()),
            },
            part => format!(" {} ", part.title()),
        }
    }

    /// How many sessions are listed, and of how many.
    fn counted_sessions(&self) -> String {
        let Some(catalog) = &self.catalog else { return String::new() };
        let (shipped, own): (Vec<_>, Vec<_>) = catalog.sessions.iter().partition(|session| session.shipped);
        let examples = count(shipped.len(), "example");
        match (own.len(), catalog.unlisted) {
            (0, _) => String::new(),
            (n, 0) => format!(": {n} of yours, {examples}"),
            (n, more) => format!(": the newest {n} of your {}, {examples}", thousands((n + more) as u64)),
        }
    }

    /// Draws a list; `described` says that the marked row is described in full elsewhere.
    fn render_part(
        &mut self,
        part: Part,
        described: bool,
        theme: &Theme,
        keymap: &Keymap,
        area: Rect,
        frame: &mut Frame<'_>,
    ) {
        let focused = self.part() == part;
        let title_role = if focused { Role::Title } else { Role::Dim };
        let block: Block<'_> = super::chrome::frame_of(theme, focused)
            .title(Span::styled(self.heading(part, theme, keymap), theme.style(title_role)));
        let inner = block.inner(area);
        frame.render_widget(block, area);
        let painter = &mut Painter { buf: frame.buffer_mut(), theme, focused: true };
        if focused && self.searching {
            let x = area.x + 1.min(area.width);
            let label = Rect { x, width: area.width.saturating_sub(2).min(9), height: area.height.min(1), ..area };
            painter.row(label, 0, &[run(Role::Title, " Search: ")]);
            let field = Rect { x: label.right(), width: area.width.saturating_sub(12).min(40), ..label };
            let text = if part == Part::Tasks { &mut self.search } else { &mut self.wanted };
            text.draw_field(painter, field, true);
        }
        self.areas[part as usize] = inner;
        if self.catalog.is_none() {
            let text = if part == Part::Tasks { "reading the tasks" } else { "" };
            return painter.row(inner, 0, &[run(Role::Dim, text)]);
        }
        let width = usize::from(inner.width.saturating_sub(3));
        let len = self.len(part);
        let widths: Vec<(usize, usize)> = match part {
            Part::Tasks | Part::Sessions => Vec::new(),
            _ => (0..len)
                .filter_map(|row| self.listed(part, row))
                .map(|row| (row.name.width(), row.about.width()))
                .collect(),
        };
        let names = widths.iter().map(|(name, _)| *name).max().unwrap_or(0);
        let cut = widths.iter().any(|(name, about)| name + 2 + about > width);
        let alone = described && cut && width < names + 2 + ROOM_FOR_LINE;
        let empty = match part {
            Part::Tasks => "No task matches.",
            Part::Sessions => "No session yet.",
            _ => "None.",
        };
        if len == 0 {
            painter.row(inner, 0, &[run(Role::Dim, empty)]);
        }
        let mut list = self.lists[part as usize].clone();
        let row = |at: usize, _| self.listed(part, at).map(|row| row.drawn(width, alone, theme)).unwrap_or_default();
        list.draw(painter, inner, focused && (!self.searching || part != Part::Tasks), len, row);
        self.lists[part as usize] = list;
    }
}

struct Listed {
    name: String,
    about: String,
    unavailable: bool,
    /// Whether its words tell it from others of its name, so that they are not cut.
    telling: bool,
}

impl Listed {
    fn new(name: String, about: String) -> Self {
        Listed { name, about, unavailable: false, telling: false }
    }

    /// The row in so many columns; its name alone if its words are shown elsewhere.
    fn drawn(self, width: usize, alone: bool, theme: &Theme) -> Row {
        let ellipsis = theme.glyphs.ellipsis;
        let kept = if self.telling { (self.about.width() + 2).min(width / 2) } else { 0 };
        let name = sanitize::fit(&sanitize::line(&self.name), width - kept, ellipsis).into_owned();
        let about = if alone { String::new() } else { self.about };
        let room = width.saturating_sub(name.width() + 2);
        let role = if self.unavailable { Role::Dim } else { Role::Text };
        let mut row = vec![run(role, name)];
        if room > 0 {
            let about = sanitize::fit(&sanitize::line(&about), room, ellipsis).into_owned();
            row.extend([run(Role::Text, "  "), run(Role::Dim, about)]);
        }
        row
    }
}

/// Rows of the lists of what is chosen from, the longest of which is so long: at least five where there are so many; more where the
/// lists above, the longer of which has so many rows, leave them, or up to a third of the height.
fn rows_of_choices(longest: usize, above: usize, height: u16) -> u16 {
    let left = usize::from(height).saturating_sub(above + 4);
    let most = left.max(usize::from(height / 3).saturating_sub(2)).max(5);
    u16::try_from(longest.clamp(1, most)).unwrap_or(5) + 2
}

/// Heights of three lists below each other, the first of which takes what the others leave. Where that is too little to work in, the one
/// in focus has the room, and of the others a row is shown, or their titles.
fn stacked(wanted: [u16; 3], focused: usize, height: u16) -> [u16; 3] {
    const WORKABLE: u16 = 6;
    let first = height.saturating_sub(wanted[1] + wanted[2]);
    if first >= WORKABLE {
        return [first, wanted[1], wanted[2]];
    }
    let other = if height >= WORKABLE + 2 * 3 { 3 } else { 1 };
    let mut heights = [other.min(height); 3];
    if let Some(in_focus) = heights.get_mut(focused) {
        *in_focus = height.saturating_sub(2 * other);
    }
    heights
}

fn details_lines(text: &str, width: usize) -> Vec<String> {
    wrapped(&sanitize::line(text), width.saturating_sub(2))
}

#[cfg(test)]
mod tests;
