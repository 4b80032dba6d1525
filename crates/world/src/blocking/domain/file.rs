//! Domains as files: TOML, read with the line of everything, so that what is wrong can be pointed at.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;

use super::check::Fault;
use super::{
    Action, Candidate, Condition, Domain, ErrorRule, Formula, Goal, Obstacle, Offer, Pattern, Predicate, Raise, Root,
    Truth, Wording,
};
use crate::faults::FileFaults;
use crate::planner::LocationPrior;

const LARGEST: u64 = 1 << 20;

type Text = Spanned<String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    about: String,
    space: Option<Spanned<char>>,
    #[serde(default)]
    moves: Vec<Text>,
    #[serde(default)]
    limits: LimitsFile,
    #[serde(default)]
    predicates: BTreeMap<Text, String>,
    #[serde(default)]
    actions: BTreeMap<Text, ActionFile>,
    #[serde(default)]
    conditions: BTreeMap<Text, ConditionFile>,
    #[serde(default)]
    goals: BTreeMap<Text, GoalFile>,
    #[serde(default)]
    errors: Vec<ErrorFile>,
    otherwise: Option<Text>,
    #[serde(default)]
    refresh: bool,
    #[serde(default)]
    wordings: Vec<WordingFile>,
    likely: Option<Text>,
    planning: Option<PlanningFile>,
}

/// The part of the file for a classical planner: the name, the predicates, and which actions in which order.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanningFile {
    name: String,
    predicates: String,
    actions: Vec<Text>,
}

/// An action as a planner has it. Without a name and parameters of its own it has those of its form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlannedFile {
    name: Option<String>,
    parameters: Option<String>,
    precondition: String,
    effect: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WordingFile {
    option: String,
    is: String,
    texts: BTreeMap<Text, Text>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct LimitsFile {
    selections: Option<Spanned<u32>>,
    answers: Option<Spanned<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ActionFile {
    #[serde(default)]
    about: String,
    #[serde(default)]
    choice: bool,
    text: Option<Text>,
    #[serde(default)]
    blocked_by: Vec<Text>,
    #[serde(default)]
    effects: BTreeMap<Text, Truth>,
    planning: Option<PlannedFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConditionFile {
    #[serde(default)]
    about: String,
    when: Option<Text>,
    #[serde(default)]
    remembered: bool,
    resolution: Text,
    #[serde(default)]
    actions: Vec<Spanned<OfferFile>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfferFile {
    #[serde(rename = "do")]
    action: Option<Text>,
    #[serde(default)]
    maybe: bool,
    #[serde(default)]
    moves: bool,
    each: Option<Text>,
    #[serde(rename = "where")]
    given: Option<Text>,
    #[serde(default)]
    choose: Vec<ChoiceFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoiceFile {
    #[serde(rename = "do")]
    action: Text,
    when: Option<Text>,
    #[serde(default)]
    maybe: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GoalFile {
    #[serde(default)]
    about: String,
    roots: Vec<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorFile {
    message: Text,
    raises: Text,
}

impl Domain {
    pub fn open(path: &Path) -> Result<Self, FileFaults> {
        let shown = path.display().to_string();
        let whole = |message: String| FileFaults { path: shown.clone(), faults: vec![(0, message)] };
        let advice = "name a domain file, or `derived` to have one made from assertions";
        let text = stepwright_files::read_text(path, LARGEST);
        let text = text.map_err(|e| whole(format!("cannot be read: {e}; {advice}")))?;
        let beside = |name: &str| {
            let file = path.with_file_name(name);
            stepwright_files::read_text(&file, LARGEST).map_err(|e| format!("{} cannot be read: {e}", file.display()))
        };
        Domain::load_beside(&text, &shown, &beside)
    }

    /// Reads a domain from its text; `path` is named in the errors.
    pub fn load(text: &str, path: &str) -> Result<Self, FileFaults> {
        Domain::load_beside(
            text,
            path,
            &|_| Err("no file lies beside a text; read the domain from its file".to_owned()),
        )
    }

    /// A domain's text as PDDL. An error too if it says nothing of planning.
    pub fn pddl(text: &str) -> Result<String, String> {
        let domain = Domain::load_beside(text, "domain.toml", &|_| Ok(String::new())).map_err(|e| e.to_string())?;
        domain.planning.ok_or_else(|| "the domain says nothing of planning".to_owned())
    }

    /// Reads a domain from its text; `beside` reads files it names.
    pub(crate) fn load_beside(
        text: &str,
        path: &str,
        beside: &dyn Fn(&str) -> Result<String, String>,
    ) -> Result<Self, FileFaults> {
        let error = |faults| FileFaults { path: path.to_owned(), faults };
        let file: File = toml::from_str(text).map_err(|e| {
            let line = e.span().map_or(0, |span| line_of(text, span.start));
            error(vec![(line, format!("{}; the form is described in docs/reference/domains.md", e.message().trim()))])
        })?;
        let mut reader = Reader { text, lines: BTreeMap::new(), faults: Vec::new() };
        let domain = reader.domain(file, path, beside);
        let Reader { lines, mut faults, .. } = reader;
        // What could not be read at all would only lead to spurious faults.
        if faults.is_empty() {
            let line = |place: &str| {
                let mut place = place;
                loop {
                    match (lines.get(place), place.rsplit_once('/')) {
                        (Some(line), _) => return *line,
                        (None, Some((up, _))) => place = up,
                        (None, None) => return 0,
                    }
                }
            };
            faults.extend(domain.faults().into_iter().map(|Fault { place, message }| (line(&place), message)));
        }
        faults.sort();
        if faults.is_empty() { Ok(domain) } else { Err(error(faults)) }
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).map_or(0, |before| before.bytes().filter(|b| *b == b'\n').count() + 1)
}

/// Turns the file's words into a domain, noting the line of every place.
struct Reader<'a> {
    text: &'a str,
    lines: BTreeMap<String, usize>,
    faults: Vec<(usize, String)>,
}

impl Reader<'_> {
    fn note<T>(&mut self, place: &str, at: &Spanned<T>) {
        let line = line_of(self.text, at.span().start);
        self.lines.insert(place.to_owned(), line);
    }

    fn read<T: Default>(&mut self, place: &str, text: &Text, read: impl Fn(&str) -> Result<T, String>) -> T {
        self.note(place, text);
        read(text.get_ref()).unwrap_or_else(|why| {
            self.faults.push((line_of(self.text, text.span().start), format!("`{}`: {why}", text.get_ref())));
            T::default()
        })
    }

    fn pattern(&mut self, place: &str, text: &Text) -> Pattern {
        self.read(place, text, |t| Pattern::read(t).map(Some)).unwrap_or_else(|| Pattern::new("", [""; 0]))
    }

    fn formula(&mut self, place: &str, text: Option<&Text>) -> Formula {
        text.map_or_else(Formula::default, |text| self.read(place, text, Formula::read))
    }

    fn domain(&mut self, file: File, path: &str, beside: &dyn Fn(&str) -> Result<String, String>) -> Domain {
        let mut domain = Domain { source: path.to_owned(), about: file.about, ..Domain::default() };
        domain.space = file.space.map(|s| *s.get_ref());
        for (number, value, place) in [
            (&mut domain.limits.selections, file.limits.selections, "limits/selections"),
            (&mut domain.limits.answers, file.limits.answers, "limits/answers"),
        ] {
            if let Some(value) = value {
                self.note(place, &value);
                *number = *value.get_ref();
            }
        }
        for (form, about) in in_order(file.predicates) {
            let form = self.pattern(&format!("predicates/{}", form.get_ref()), &form);
            domain.predicates.push(Predicate { form, about });
        }
        let mut moves = Vec::new();
        for (i, text) in file.moves.iter().enumerate() {
            moves.push(self.pattern(&format!("moves/{i}"), text));
        }
        domain.planning = file.planning.map(|planning| self.planning(&planning, &file.actions));
        for (form, action) in in_order(file.actions) {
            let action = self.action(&form, action);
            domain.actions.push(action);
        }
        for (form, condition) in in_order(file.conditions) {
            let condition = self.condition(&form, condition, &moves);
            domain.conditions.push(condition);
        }
        for (form, goal) in in_order(file.goals) {
            let goal = self.goal(&form, goal);
            domain.goals.push(goal);
        }
        for (i, rule) in file.errors.into_iter().enumerate() {
            let place = format!("errors/{i}");
            self.note(&place, &rule.message);
            let raises = self.pattern(&format!("{place}/raises"), &rule.raises);
            domain.errors.push(ErrorRule { message: rule.message.into_inner(), of: None, raises });
        }
        domain.otherwise = file.otherwise.map(|text| self.pattern("otherwise", &text));
        domain.refresh = file.refresh;
        for (i, wording) in file.wordings.into_iter().enumerate() {
            let mut texts = Vec::new();
            for (form, text) in in_order(wording.texts) {
                let form = self.pattern(&format!("wordings/{i}/{}", form.get_ref()), &form);
                texts.push((form, text.into_inner()));
            }
            domain.wordings.push(Wording { option: wording.option, is: wording.is, texts });
        }
        if let Some(name) = &file.likely {
            let read = |name: &str| beside(name).map(|table| Some(Arc::new(LocationPrior::parse(&table))));
            domain.likely = self.read("likely", name, read);
        }
        domain
    }

    fn planning(&mut self, file: &PlanningFile, of: &BTreeMap<Text, ActionFile>) -> String {
        let PlanningFile { name, predicates, actions } = file;
        let mut pddl = format!("(define (domain {name})\n  (:requirements :adl)\n  (:predicates\n{predicates})\n");
        for form in actions {
            let found = of.iter().find(|(known, _)| known.get_ref() == form.get_ref());
            let Some(PlannedFile { name, parameters, precondition, effect }) =
                found.and_then(|(_, action)| action.planning.as_ref())
            else {
                let why = format!("`{}` is no action with `planning` of its own", form.get_ref());
                self.faults.push((line_of(self.text, form.span().start), why));
                continue;
            };
            let mut words = form.get_ref().split(' ');
            let verb = words.next().unwrap_or_default();
            let own = words.map(|variable| format!("?{variable}")).collect::<Vec<_>>().join(" ");
            let (name, parameters) = (name.as_deref().unwrap_or(verb), parameters.as_deref().unwrap_or(&own));
            pddl.push_str(&format!(
                "\n  (:action {name}\n    :parameters ({parameters})\n    :precondition {precondition}\n    :effect {effect})\n"
            ));
        }
        pddl + ")\n"
    }

    fn action(&mut self, form: &Text, file: ActionFile) -> Action {
        let place = format!("actions/{}", form.get_ref());
        let form = self.pattern(&place, form);
        let mut blocked_by = Vec::new();
        for (i, text) in file.blocked_by.iter().enumerate() {
            let read = |t: &str| {
                let (condition, given) = t.split_once(" given ").unwrap_or((t, ""));
                Ok(Some(Obstacle { condition: Pattern::read(condition)?, given: Formula::read(given)? }))
            };
            blocked_by.extend(self.read(&format!("{place}/blocked_by/{i}"), text, read));
        }
        let mut effects = Vec::new();
        for (literal, truth) in in_order(file.effects) {
            let pattern = self.pattern(&format!("{place}/effects/{}", literal.get_ref()), &literal);
            effects.push((pattern, truth));
        }
        if let Some(text) = &file.text {
            self.note(&format!("{place}/text"), text);
        }
        let (about, choice) = (file.about, file.choice);
        Action { form, about, choice, text: file.text.map(Text::into_inner), blocked_by, effects }
    }

    fn condition(&mut self, form: &Text, file: ConditionFile, moves: &[Pattern]) -> Condition {
        let place = format!("conditions/{}", form.get_ref());
        let form = self.pattern(&place, form);
        let raise = match (&file.when, file.remembered) {
            (Some(when), false) => Raise::When(self.formula(&format!("{place}/when"), Some(when))),
            (None, true) => Raise::Remembered,
            (None, false) => Raise::Passing,
            (Some(when), true) => {
                let line = line_of(self.text, when.span().start);
                let why = "a remembered condition is raised by an error alone; leave out `when` or `remembered`";
                self.faults.push((line, why.to_owned()));
                Raise::Remembered
            }
        };
        let resolution = self.pattern(&format!("{place}/resolution"), &file.resolution);
        let mut actions = Vec::new();
        for (i, offer) in file.actions.into_iter().enumerate() {
            self.offer(&format!("{place}/actions/{i}"), offer, moves, &mut actions);
        }
        Condition { form, about: file.about, raise, resolution, actions }
    }

    fn offer(&mut self, place: &str, file: Spanned<OfferFile>, moves: &[Pattern], into: &mut Vec<Offer>) {
        self.note(place, &file);
        let line = line_of(self.text, file.span().start);
        let file = file.into_inner();
        let plain = |action: Pattern, maybe: bool| Offer {
            each: None,
            given: Formula::default(),
            choose: vec![Candidate { action, when: Formula::default(), maybe }],
        };
        match (&file.action, file.moves, &file.each) {
            (Some(action), false, None) if file.given.is_none() && file.choose.is_empty() => {
                let action = self.pattern(&format!("{place}/do"), action);
                into.push(plain(action, file.maybe));
            }
            (None, true, None) if file.given.is_none() && file.choose.is_empty() => {
                into.extend(moves.iter().map(|m| plain(m.clone(), true)));
            }
            (action, false, Some(each)) if action.is_some() == file.choose.is_empty() => {
                let given = self.formula(&format!("{place}/where"), file.given.as_ref());
                let mut choose = Vec::new();
                if let Some(action) = action {
                    let action = self.pattern(&format!("{place}/do"), action);
                    choose.push(Candidate { action, when: Formula::default(), maybe: file.maybe });
                }
                for (i, choice) in file.choose.iter().enumerate() {
                    let action = self.pattern(&format!("{place}/choose/{i}"), &choice.action);
                    let when = self.formula(&format!("{place}/choose/{i}/when"), choice.when.as_ref());
                    choose.push(Candidate { action, when, maybe: choice.maybe });
                }
                self.note(&format!("{place}/each"), each);
                into.push(Offer { each: Some(each.get_ref().clone()), given, choose });
            }
            _ => {
                let why = "a resolution action is one of `{ do = \"grab x\" }`, `{ moves = true }`, and \
                           `{ each = \"r\", where = \"OPEN r\", do = \"close r\" }` (or `choose = [..]` in place of `do`)";
                self.faults.push((line, why.to_owned()));
            }
        }
    }

    fn goal(&mut self, form: &Text, file: GoalFile) -> Goal {
        let place = format!("goals/{}", form.get_ref());
        let form = self.pattern(&place, form);
        let mut roots = Vec::new();
        for (i, text) in file.roots.iter().enumerate() {
            let read = |t: &str| {
                Ok(Some(match t.split_once(" unless ") {
                    Some((action, part)) => Root { action: Pattern::read(action)?, unless: Some(Pattern::read(part)?) },
                    None => Root { action: Pattern::read(t)?, unless: None },
                }))
            };
            roots.extend(self.read(&format!("{place}/roots/{i}"), text, read));
        }
        Goal { form, about: file.about, roots }
    }
}

fn in_order<V>(table: BTreeMap<Text, V>) -> Vec<(Text, V)> {
    let mut entries: Vec<(Text, V)> = table.into_iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}
