//! Files of logs for distilling and checking: logs of other programs, and sessions of this one.

use std::path::{Path, PathBuf};

use stepwright_trajectory::Trajectory;

use super::error::OpenError;
use super::log_session;
use super::recorded::Recorded;
use stepwright_driver::system_clock;
use stepwright_episode::log::{self, Loaded};
use stepwright_export as export;
use stepwright_world::{self as world, Sources};
use stepwright_worlds::reward_of;

/// The sessions of a file.
#[derive(Debug)]
pub struct LoadedFile {
    /// Each with the id of its episode, which is empty where the file is a session.
    pub sessions: Vec<(String, Loaded)>,
    /// What could not be read of the file, in words.
    pub problems: Vec<String>,
}

/// What a file holds as sessions: the one that it is, or the episodes of a log of another program, all of them or the one of this id (or
/// a part of it).
pub fn load_sessions(path: &Path, episode: Option<&str>, sources: &Sources) -> Result<LoadedFile, OpenError> {
    if log::is_session(path) {
        if let Some(id) = episode.filter(|id| !id.is_empty()) {
            let said =
                format!("{}: this is a session, one episode, and has no `{id}`; leave the id out", path.display());
            return Err(OpenError::Failed(said));
        }
        let loaded = log::load(path)?;
        return Ok(LoadedFile { problems: loaded.remarks.clone(), sessions: vec![(String::new(), loaded)] });
    }
    let ids = match episode {
        Some(id) => vec![id.to_owned()],
        None => match world::read_logs(path) {
            // What holds none is told where its first is opened.
            Ok(read) if read.all.is_empty() => vec![String::new()],
            Ok(read) => read.all.into_iter().map(|log| log.id).collect(),
            // What is neither is told as what a session should be.
            Err(error) => {
                let no = log::load(path).map_err(|e| e.to_string()).err().unwrap_or_default();
                return Err(OpenError::Failed(format!("{no}; and no log of episodes: {error}")));
            }
        },
    };
    let clock = system_clock();
    let mut problems = Vec::new();
    let load = |id: String| {
        let log_session::LogSession { session, records, opened } = log_session::open(path, &id, sources, &clock)?;
        problems = opened.world.recorded().map(|logs| logs.problems.to_vec()).unwrap_or_default();
        Ok((session.header.task.clone(), Loaded::of(session, records)))
    };
    let sessions = ids.into_iter().map(load).collect::<Result<_, OpenError>>()?;
    Ok(LoadedFile { sessions, problems })
}

/// The episodes of some files; what could not be read of them is `told` in words.
/// Errors: of a file nothing can be read, or there is no episode in any: what, where, what to do.
pub fn read_logs(paths: &[PathBuf], told: impl Fn(&str)) -> Result<Vec<Trajectory>, String> {
    Ok(read_recorded(paths, told)?.into_iter().map(|recorded| recorded.log).collect())
}

/// The same, each with what it is judged by.
pub fn read_recorded(paths: &[PathBuf], told: impl Fn(&str)) -> Result<Vec<Recorded>, String> {
    let (mut logs, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        if path.is_dir() {
            return Err(format!("{}: this is a folder; name the files in it", path.display()));
        }
        if log::is_session(path) {
            let session = log::load(path).map_err(|e| e.to_string())?.session;
            let log = export::trajectory(&session, reward_of(&session.header.world));
            match log.steps.is_empty() {
                true => problems.push(format!("{}: no step was taken in this session", path.display())),
                false => logs.push(Recorded { log, session: Some(session) }),
            }
            continue;
        }
        let read = world::read_logs(path).map_err(|e| e.to_string())?;
        problems.extend(world::problems(&read, path));
        logs.extend(read.all.into_iter().map(|log| Recorded { log, session: None }));
    }
    if let Some(problem) = problems.first().filter(|_| logs.is_empty()) {
        return Err(problem.clone());
    }
    problems.iter().for_each(|problem| told(problem));
    Ok(logs)
}

#[cfg(test)]
mod tests {
    use stepwright_episode::{Assertions, Status};

    use super::*;

    #[test]
    fn what_cannot_be_read_of_a_log_is_told_beside_its_episodes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        let call = r#"{"id":"c","function":{"name":"f","arguments":"{}"}}"#;
        let good = format!(r#"{{"id":"a","messages":[{{"role":"assistant","content":"","tool_calls":[{call}]}}]}}"#);
        std::fs::write(&path, format!("{good}\n{{\"messages\":[\n")).unwrap();
        for episode in [None, Some("a"), Some("")] {
            let LoadedFile { sessions, problems } =
                load_sessions(&path, episode, &stepwright_worlds::sources()).unwrap();
            assert_eq!(sessions.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["a"]);
            assert!(problems.len() == 1 && problems[0].contains("line 2: no JSON"), "{problems:?}");
        }
    }

    fn shipped(name: &str) -> Recorded {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sessions").join(name);
        read_recorded(&[path], |_| {}).unwrap().remove(0)
    }

    /// What the checks found when a step of the shipped session was taken is found again, by its own specification and calls.
    #[test]
    fn a_session_is_judged_by_its_own_specification_its_calls_and_what_was_in_force() {
        let recorded = shipped("reprompt.jsonl");
        let failing = |adopted: &[Assertions]| {
            let found = recorded.violations(adopted).unwrap().into_iter();
            let fails = found.filter(|violation| violation.check.status == Status::Fails);
            fails.map(|violation| (violation.step, violation.check.condition)).collect::<Vec<_>>()
        };
        assert_eq!(failing(&[]), [(1, "self.is_near(obj)".to_owned())]);
        assert!(recorded.specification().contains("def grab("));
        let adopted = |action: &str, assertions: &[&str]| Assertions {
            action: action.to_owned(),
            assertions: assertions.iter().map(|text| (*text).to_owned()).collect(),
            origin: "a file".to_owned(),
        };
        // Of the action that is named what is named counts, of others what was in force.
        assert!(failing(&[adopted("grab", &[])]).is_empty());
        let both = failing(&[adopted("putback", &["place == 'table_2'"])]);
        assert_eq!(both.iter().map(|(step, _)| *step).collect::<Vec<_>>(), [1, 6]);
        // A program of several lines is judged line by line.
        let told = shipped("table.jsonl").violations(&[adopted("put_first_on_second", &["obj == target"])]).unwrap();
        assert!(told.iter().all(|violation| violation.action.starts_with("put_first_on_second(")), "{told:?}");
        assert!(!told.is_empty());
    }
}
