//! Loader of episodes: the published format (a JSON list), the generated one (JSON lines), games of cups. All that is read is sound.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::call;
use super::episode::{Asked, Domain, Episode};
use super::goal::Goal;
use super::judge::{Expected, Move};
use super::rules::Table;
use super::scene::{Scene, cups_text};
use super::thing::{Kind, TABLE, tidy};
use stepwright_text::words::of_types;
use stepwright_world::files::{at_most, has_form};

const MOST_EPISODES: usize = 20_000;
const MOST_THINGS: usize = 200;
const MOST_REQUESTS: usize = 500;
/// The longest name, in bytes.
const LONGEST_NAME: usize = 100;
/// The longest request, in bytes.
const LONGEST_QUERY: usize = 4_096;
const CUPS: std::ops::RangeInclusive<usize> = 2..=20;
/// The kinds of requests; what a person states is heard of a statement and an event alone.
const KINDS: [&str; 6] = ["put", "put_all", "question", "statement", "event", "goal"];
/// Keys of an episode, two of which tell it from other JSON, and those by one of which its first step is known.
const OWN: [&str; 3] = ["domain", "objects", "steps"];
const OF_STEPS: [&str; 4] = ["query", "gold_moves", "gold_code", "gold_say"];

/// Something wrong in a file: at which line, and what.
pub(crate) type Complaint = (Option<usize>, String);

#[derive(Deserialize)]
struct Entry {
    id: String,
    domain: String,
    objects: Vec<String>,
    #[serde(default)]
    objects_used_but_not_declared: Vec<String>,
    initial: Option<Value>,
    init_state_text: Option<String>,
    init_simple_text: Option<String>,
    steps: Vec<StepEntry>,
}

#[derive(Deserialize)]
struct StepEntry {
    query: String,
    kind: String,
    #[serde(default)]
    temporal: bool,
    gold_code: Option<String>,
    gold_moves: Vec<Move>,
    gold_moves_corrected: Option<Vec<Move>>,
    gold_say: Option<Vec<String>>,
    gold_update: Option<String>,
    goal: Option<Goal>,
    #[serde(default)]
    all_solutions: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct CupsFile {
    #[serde(default)]
    demonstrations: Vec<GameEntry>,
    #[serde(alias = "games")]
    episodes: Vec<GameEntry>,
}

#[derive(Deserialize)]
struct GameEntry {
    initial: Vec<bool>,
    swaps: Vec<(usize, usize)>,
}

impl TryFrom<Entry> for Episode {
    type Error = String;

    fn try_from(entry: Entry) -> Result<Episode, String> {
        let located = |e: String| format!("episode {:?}: {e}", entry.id);
        sound("id", &entry.id).map_err(located)?;
        let domain = entry.domain.parse().ok().filter(|domain| *domain != Domain::Cups).ok_or_else(|| {
            located(format!(
                "there is no domain {:?}; pick_and_place, disinfection, weight and cover are possible",
                entry.domain
            ))
        })?;
        let names: Vec<String> =
            entry.objects.iter().chain(&entry.objects_used_but_not_declared).map(|name| tidy(name)).collect();
        // Some published lists name the table among the objects.
        let names: Vec<String> = names.into_iter().filter(|name| name != TABLE).collect();
        at_most("objects", names.len(), MOST_THINGS).map_err(located)?;
        names.iter().try_for_each(|name| sound("objects", name)).map_err(located)?;
        let table = match &entry.initial {
            Some(form) => {
                let table = Table::from_form(form).map_err(|e| located(format!("initial: {e}")))?;
                at_most("initial.objects", table.things().len(), MOST_THINGS).map_err(located)?;
                table.things().iter().try_for_each(|thing| sound("initial.objects", &thing.name)).map_err(located)?;
                table
            }
            None => Table::new(&names).map_err(located)?,
        };
        if entry.steps.is_empty() {
            return Err(located("it has no steps; at least one request is needed".to_owned()));
        }
        at_most("steps", entry.steps.len(), MOST_REQUESTS).map_err(located)?;
        let mut requests = Vec::new();
        for (i, step) in entry.steps.into_iter().enumerate() {
            let asked = Asked::try_from(step).and_then(|asked| possible(&asked, &table).map(|()| asked));
            requests.push(asked.map_err(|e| format!("episode {:?}, step {}: {e}", entry.id, i + 1))?);
        }
        let texts = entry.init_state_text.zip(entry.init_simple_text).map(|(state, objects)| [state, objects]);
        Ok(Episode { id: task_id(&entry.id, domain), domain, start: Scene::Table(table), texts, requests })
    }
}

impl TryFrom<StepEntry> for Asked {
    type Error = String;

    fn try_from(step: StepEntry) -> Result<Asked, String> {
        if step.query.trim().is_empty() || step.query.len() > LONGEST_QUERY {
            return Err(format!("query must be a text of 1 to {LONGEST_QUERY} bytes"));
        }
        if !KINDS.contains(&step.kind.as_str()) {
            return Err(format!("there is no kind {:?}; {} are possible", step.kind, KINDS.join(", ")));
        }
        let code = step.gold_code.unwrap_or_default();
        // A published file has unreadable ones, and says beside them what is expected: each is told of where it is to be played.
        if step.gold_say.is_none() {
            call::check(&code).map_err(|e| format!("gold_code: {e}"))?;
        }
        let moves = step.gold_moves_corrected.unwrap_or(step.gold_moves);
        let into = step.goal.as_ref().and_then(|goal| goal.left.clone());
        let others = match (into, step.all_solutions) {
            (_, solutions) if solutions.is_empty() => Vec::new(),
            (Some(into), solutions) => {
                let moves = |blocks: Vec<String>| blocks.into_iter().map(|block| (block, into.clone())).collect();
                solutions.into_iter().map(moves).collect()
            }
            (None, _) => return Err("all_solutions needs a goal with `left`, where the blocks are to go".to_owned()),
        };
        Ok(Asked {
            query: step.query,
            kind: step.kind,
            temporal: step.temporal,
            code,
            meant: step.gold_update,
            // Where all solutions are listed, they are the goal.
            goal: step.goal.filter(|_| others.is_empty()),
            expected: Expected { moves, others, say: step.gold_say.unwrap_or_default() },
        })
    }
}

/// Checks that a request can be answered on this table: what is expected is of things that are there.
fn possible(asked: &Asked, table: &Table) -> Result<(), String> {
    let kind = |name: &str| table.find(&tidy(name)).and_then(|thing| table.kind(thing));
    let moves = asked.expected.moves.iter().map(|moved| ("gold_moves", moved));
    let others = asked.expected.others.iter().flatten().map(|moved| ("all_solutions", moved));
    for (field, (first, second)) in moves.chain(others) {
        if !matches!(kind(first), Some(Kind::Block | Kind::Cover)) {
            return Err(format!("{field}: {first:?} is no block or cover of this table; name one of its objects"));
        }
        if tidy(second) != TABLE && kind(second).is_none() {
            return Err(format!("{field}: {second:?} is no object of this table; name one of them, or {TABLE:?}"));
        }
    }
    let mut sides = asked.goal.iter().flat_map(|goal| [&goal.left, &goal.right]).flatten();
    if let Some(side) = sides.find(|side| kind(side).is_none()) {
        return Err(format!("goal: {side:?} is no object of this table; name one of them"));
    }
    Ok(())
}

/// `pick_and_place/01` for the published `pick_and_place-01`; other ids as they are.
fn task_id(id: &str, domain: Domain) -> String {
    match id.strip_prefix(domain.name()).and_then(|rest| rest.strip_prefix('-')) {
        Some(number) => format!("{}/{number}", domain.name()),
        None => id.to_owned(),
    }
}

/// Reads a file's text: a list of episodes, a file of cups, or an episode a line.
pub fn episodes(text: &str) -> Result<Vec<Episode>, Complaint> {
    let start = text.trim_start();
    let read = if start.starts_with('[') {
        let entries: Vec<Entry> = serde_json::from_str(text).map_err(complaint)?;
        // Where a list's entries begin is found only if one is wrong.
        let built: Result<Vec<Episode>, (usize, String)> =
            entries.into_iter().enumerate().map(|(i, entry)| Episode::try_from(entry).map_err(|e| (i, e))).collect();
        built.map_err(|(i, e)| (line_of_entry(text, i), e))?
    } else if is_cups(text) {
        cups(text)?
    } else {
        let mut episodes = Vec::new();
        for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let entry: Entry = serde_json::from_str(line).map_err(|e| (Some(i + 1), complaint(e).1))?;
            episodes.push(Episode::try_from(entry).map_err(|e| (Some(i + 1), e))?);
        }
        episodes
    };
    at_most("episodes", read.len(), MOST_EPISODES).map_err(|e| (None, e))?;
    Ok(read)
}

/// Whether a text has the form of a file of episodes, though a field may be missing or wrong, and not that of other JSON that may lie
/// beside one. Of `lines` the first is looked at; else the first value, or that of a list.
/// Errors: it is no JSON, so that nobody can tell what it was to be.
pub(crate) fn looks_like_episodes(text: &str, lines: bool) -> Result<bool, Complaint> {
    let start = text.trim_start();
    if start.is_empty() {
        return Ok(false);
    }
    if is_cups(start) {
        return Ok(true);
    }
    let before = text.get(..text.len() - start.len()).unwrap_or_default().matches('\n').count();
    if lines && !start.starts_with('[') {
        let first = start.lines().next().unwrap_or_default();
        let value = serde_json::from_str::<Value>(first).map_err(|e| no_json(&e, before))?;
        return Ok(is_episode(&value));
    }
    let of_list = start.strip_prefix('[').unwrap_or(start);
    match serde_json::Deserializer::from_str(of_list).into_iter::<Value>().next() {
        Some(Ok(first)) => Ok(is_episode(&first)),
        // An empty list is JSON, too.
        _ => serde_json::from_str::<IgnoredAny>(start).map(|_| false).map_err(|e| no_json(&e, before)),
    }
}

fn is_episode(value: &Value) -> bool {
    let step = value.pointer("/steps/0");
    has_form(value, &OWN)
        && step.is_none_or(|step| !step.is_object() || OF_STEPS.iter().any(|key| step.get(*key).is_some()))
}

/// What is said of a text that is no JSON, `before` lines of which were not read.
fn no_json(error: &serde_json::Error, before: usize) -> Complaint {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    (Some(before + error.line()), format!("no JSON: {what}; correct it, or take the file out of the folder"))
}

/// Whether a text is one object with games of cups in it.
fn is_cups(text: &str) -> bool {
    // The word is looked for first: reading a large file of something else as JSON would take its time.
    text.contains("\"swaps\"")
        && serde_json::from_str::<Value>(text).is_ok_and(|value| value.get("episodes").or(value.get("games")).is_some())
}

fn cups(text: &str) -> Result<Vec<Episode>, Complaint> {
    let file: CupsFile = serde_json::from_str(text).map_err(complaint)?;
    let demonstrations = file.demonstrations.into_iter().enumerate().map(|(i, game)| ("demonstrations", i, game));
    let games = file.episodes.into_iter().enumerate().map(|(i, game)| ("episodes", i, game));
    games
        .chain(demonstrations)
        .map(|(list, i, entry)| {
            let id = match list {
                "episodes" => format!("cups/{:03}", i + 1),
                _ => format!("cups/demonstration-{:02}", i + 1),
            };
            game(&id, &entry.initial, &entry.swaps).map_err(|e| (None, format!("{list}[{i}]: {e}")))
        })
        .collect()
}

/// A game of cups as an episode: each swap is a request, the cups after it the answer.
pub fn game(id: &str, initial: &[bool], swaps: &[(usize, usize)]) -> Result<Episode, String> {
    if !CUPS.contains(&initial.len()) {
        return Err(format!("initial must be a list of {} to {} truths", CUPS.start(), CUPS.end()));
    }
    if swaps.is_empty() {
        return Err("swaps is empty; a game has at least one".to_owned());
    }
    at_most("swaps", swaps.len(), MOST_REQUESTS)?;
    let mut cups = initial.to_vec();
    let mut requests = Vec::new();
    for (n, &(first, second)) in swaps.iter().enumerate() {
        if first.max(second) >= cups.len() || first == second {
            return Err(format!("swaps[{n}]: two different cups from 0 to {} are expected", cups.len() - 1));
        }
        cups.swap(first, second);
        let query = format!("Swapping cup {first} with cup {second}");
        let answer = cups_text(&cups);
        requests.push(Asked {
            code: format!("say(\"{answer}\")\nupdate_wm(\"{query}\")"),
            query,
            kind: "swap".to_owned(),
            temporal: n > 0,
            meant: None,
            goal: None,
            expected: Expected { say: vec![answer], ..Expected::default() },
        });
    }
    let (id, start) = (id.to_owned(), Scene::Cups(initial.to_vec()));
    Ok(Episode { id, domain: Domain::Cups, start, texts: None, requests })
}

/// The line on which an episode of a file's text begins, by its place among them; `None` of a game of cups.
pub fn line_of(text: &str, index: usize) -> Option<usize> {
    if is_cups(text) {
        return None;
    }
    if text.trim_start().starts_with('[') {
        return line_of_entry(text, index);
    }
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.nth(index).map(|(at, _)| at + 1)
}

/// The line on which entry number `index` of a list of objects begins.
fn line_of_entry(text: &str, index: usize) -> Option<usize> {
    let mut rest = text.split_once('[')?.1;
    for _ in 0..index {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<serde::de::IgnoredAny>();
        values.next()?.ok()?;
        rest = rest.get(values.byte_offset()..)?.trim_start().strip_prefix(',')?;
    }
    let before = text.len() - rest.trim_start().len();
    Some(text.get(..before)?.matches('\n').count() + 1)
}

fn complaint(error: serde_json::Error) -> Complaint {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let what = of_types(text.strip_suffix(&place).unwrap_or(&text));
    (Some(error.line()).filter(|line| *line > 0), format!("no episode: {what}"))
}

/// Checks a name that requests and calls hold between quotes.
fn sound(what: &str, name: &str) -> Result<(), String> {
    let bad = |c: char| c.is_control() || matches!(c, '"' | '\'' | '\\' | '“' | '”');
    if name.is_empty() || name.len() > LONGEST_NAME || name.contains(bad) {
        return Err(format!(
            "{what}: {name:?} is no name; a text of 1 to {LONGEST_NAME} bytes without quotes is expected"
        ));
    }
    Ok(())
}
