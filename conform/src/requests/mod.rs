//! Whole requests of the original programs, compared call by call: the product is given the recorded answers, plays the whole episode, and
//! must send what the original sent (kind of interface, text, parameters), as often, and end as it did.
//!
//! A family of methods is a file beside this one: for each folder of recordings how a recorded episode becomes a session ([`folder::Folder`]), the
//! recorded templates as overrides of the product's ([`recording::Recording::template`]), and the departures that are meant ([`folder::Exception`]), each
//! with its reason. What an exception excuses is counted and said, and so is one that excuses nothing.
//!
//! Not judged: the model's name, streaming, the client's own timeout, and a seed where the original sent none.

mod blocking;
mod code_policy;
mod compare;
mod fed;
mod folder;
mod o3d;
mod play;
mod preconditions;
mod react;
mod recording;
mod reprompt;
mod statler;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use stepwright_study::recordings::jsonl_files;

use super::{Row, difference, left_over};
use compare::differences;
use folder::{Case, Exception, Folder, Unasked};
pub use play::use_worker;
use recording::Recorded;

/// All kinds of such calls.
const UNASKED: [Unasked; 1] = [react::FIFTEENTH];

/// The families of methods: their folders, and their exceptions.
const FAMILIES: [(&[Folder], &[Exception]); 5] = [
    (react::FOLDERS, react::EXCEPTIONS),
    (reprompt::FOLDERS, reprompt::EXCEPTIONS),
    (statler::FOLDERS, statler::EXCEPTIONS),
    (blocking::FOLDERS, blocking::EXCEPTIONS),
    (code_policy::FOLDERS, code_policy::EXCEPTIONS),
];

/// The paths of what is looked at here; of a folder of calls that is no family's there is a row already, and what one without any is for the
/// README says.
pub(super) const LOOKED_AT: &[&str] =
    &["*/episodes*.jsonl", "*/settings.json", "o3d/printed*.jsonl", "o3d/derived*.jsonl"];

pub(super) fn compare(folder: &Path) -> Vec<Row> {
    let of = |(folders, exceptions): &(&[Folder], &[Exception])| rows(folder, folders, exceptions);
    let found = FAMILIES.iter().flat_map(of).chain([preconditions::compare(folder)]).chain(o3d::rows(folder));
    let mut rows: Vec<Row> = found.collect();
    // Another topic's folder has folders that are none of these.
    if rows.iter().any(|row| row.compared > 0) {
        rows.extend(unknown(folder));
    }
    rows
}

/// A row for each folder of recorded calls that is no family's.
fn unknown(folder: &Path) -> Vec<Row> {
    let families = FAMILIES.iter().flat_map(|(folders, _)| folders.iter().map(|of| of.name));
    let known: Vec<&str> = families.chain([preconditions::FOLDER, o3d::NAME]).collect();
    let mut rows = left_over::folders(folder, &known);
    rows.retain(|row| !jsonl_files(&folder.join(&row.what), "").is_empty());
    rows
}

/// A row a folder; then one for each exception that excused nothing.
fn rows(folder: &Path, folders: &[Folder], exceptions: &[Exception]) -> Vec<Row> {
    let mut used = vec![0; exceptions.len()];
    let mut rows: Vec<Row> = folders.iter().map(|of| row(folder, of, exceptions, &mut used)).collect();
    let all_there = rows.iter().all(|row| row.compared > 0);
    for (exception, _) in exceptions.iter().zip(&used).filter(|(_, used)| **used == 0 && all_there) {
        // Another sample of recordings may have no case of it.
        rows.push(Row::missing(format!("exception {}", exception.id), "calls", "it excuses nothing here"));
    }
    rows
}

fn row(root: &Path, of: &Folder, exceptions: &[Exception], used: &mut [usize]) -> Row {
    let path = root.join(of.name);
    let files = jsonl_files(&path, "episodes");
    if files.is_empty() {
        return Row::missing(of.name, "calls", "no episodes*.jsonl in this folder");
    }
    let mut row = Row::new(of.name, "calls");
    let mut episodes: Vec<(String, Recorded)> = Vec::new();
    for file in &files {
        row.each_record(file, |_, at, episode: Recorded| episodes.push((at, episode)));
    }
    let left_out = UNASKED.map(|unasked| {
        let mut number = 0;
        for (_, episode) in &mut episodes {
            let all = episode.calls.len();
            let mut kept = (0..all).map(|at| !(unasked.is)(of.name, episode, at)).collect::<Vec<_>>().into_iter();
            episode.calls.retain(|_| kept.next().unwrap_or(true));
            number += all - episode.calls.len();
        }
        number
    });
    let played = play::all(root, &path, of, &episodes);
    let (mut equal, mut ends) = (0, 0);
    let mut excused: BTreeMap<usize, u64> = BTreeMap::new();
    for ((at, episode), played) in episodes.iter().zip(played) {
        let played = match played {
            Ok(played) => played,
            Err(why) => {
                row.compared += episode.calls.len() as u64;
                row.differs(difference(at, "an episode", why));
                continue;
            }
        };
        for (call, wrong) in differences(&path, of, episode, &played) {
            let asked = call.and_then(|call| played.asked.get(call));
            let at = match call {
                Some(call) if call < episode.calls.len() => format!("{}/{at}, call {}", of.name, call + 1),
                Some(call) => format!("{}/{at}, call {} that the original does not make", of.name, call + 1),
                None => format!("{}/{at}, the end", of.name),
            };
            let mut left = Vec::new();
            for (field, expected, got) in wrong.iter().flatten() {
                let case = Case { folder: of.name, episode, call, field, expected, path: &path, asked };
                match exceptions.iter().position(|exception| (exception.excuses)(&case)) {
                    Some(exception) => {
                        *excused.entry(exception).or_default() += 1;
                        if let Some(used) = used.get_mut(exception) {
                            *used += 1;
                        }
                    }
                    None => left.push(difference(format!("{at}, {field}"), expected, got)),
                }
            }
            match call {
                Some(call) if call < episode.calls.len() => {
                    equal += u64::from(wrong.is_empty());
                    row.count(left);
                }
                Some(_) => row.differs_in(left),
                None => {
                    ends += u64::from(wrong.is_empty());
                    row.differs_in(left);
                }
            }
        }
    }
    let excused: Vec<String> = excused
        .iter()
        .filter_map(|(at, times)| Some((exceptions.get(*at)?, times)))
        .map(|(exception, times)| format!("; {} excuses {times}: {}", exception.id, exception.reason))
        .collect();
    let thrown = UNASKED.iter().zip(left_out).filter(|(_, number)| *number > 0);
    let thrown: String =
        thrown.map(|(out, number)| format!("; {} leaves out {number}: {}", out.id, out.reason)).collect();
    let (calls, all) = (row.compared, episodes.len());
    row.note = Some(format!("{equal} of {calls} calls and {ends} of {all} ends equal{}{thrown}", excused.concat()));
    row
}
