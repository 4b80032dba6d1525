//! Scripts of sessions: what is asked of the driver, and what it records and says, as snapshots.
//!
//! A script is a part of a file beside this one (`*.session`): a heading (`# what it shows`), a line with where it begins (`counter METHOD`,
//! `table METHOD`, `logs`, `external METHOD`, `logged METHOD`, or a world of the program's own: `kitchen TASK METHOD`), each followed by options (`key=value`), lines with what
//! the model does (`place`), and then requests (`ask`): `approve -> executed` approves what is recommended and waits until that is recorded. The
//! snapshot repeats each line with all that was recorded and said until then (`words`).

mod ask;
mod place;
mod show;
mod words;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use stepwright::driver::{Beginning, Command, Notice};
use stepwright::episode::{AskId, Session, log};

use crate::support::driver::Watched;
use place::Place;

/// A script under way.
struct Play {
    place: Place,
    watched: Option<Watched>,
    /// Notices that were put down already.
    notices: usize,
    /// Asks of no language model.
    built_in: BTreeSet<AskId>,
    out: String,
}

impl Play {
    fn say(&mut self, text: &str) {
        let folder = self.place.folder.path().display().to_string();
        for line in text.replace(&folder, "[DIR]").lines() {
            self.out.push_str(format!("    {line}").trim_end());
            self.out.push('\n');
        }
    }

    fn watched(&mut self) -> &mut Watched {
        let place = &self.place;
        self.watched.get_or_insert_with(|| Watched::start(place.setup(None)))
    }

    fn session(&self) -> &Session {
        &self.watched.as_ref().expect("it is begun").session
    }

    /// Puts down what came since.
    fn put_down(&mut self) {
        let watched = self.watched.as_ref().expect("it is begun");
        let (built_in, news) = (&mut self.built_in, &watched.notices[self.notices..]);
        let news: Vec<String> = news.iter().filter_map(|notice| words::of_notice(notice, built_in)).collect();
        self.notices = watched.notices.len();
        let is_shown = |line: &&String| !self.place.is_brief() || words::is_brief(line);
        words::merged(news.iter().filter(is_shown)).iter().for_each(|line| self.say(line));
    }

    async fn line(&mut self, line: &str) {
        self.out.push_str(&format!("> {line}\n"));
        let begun = Instant::now();
        let (request, until) = line.split_once("-> ").unwrap_or((line, ""));
        match request.trim() {
            "" => {
                self.watched();
            }
            "reopen" => self.reopen().await,
            "quit" => {
                self.quit().await;
                self.put_down();
                self.watched = None;
            }
            shown if shown.starts_with("show ") => self.show(&shown["show ".len()..]),
            request => self.ask(request),
        }
        for wanted in until.split("; ").filter(|wanted| !wanted.is_empty()) {
            let mut begun = self.session().policy.is_automatic();
            let mut open: Vec<&str> = wanted.split(" & ").collect();
            let all = |n: &Notice, s: &Session| {
                open.retain(|one| !ask::is(one, n, s, &mut begun));
                open.is_empty()
            };
            let notice = self.watched().until(wanted, all).await;
            self.put_down();
            if let Some(text) = words::of_awaited(&notice) {
                self.say(&text);
            }
        }
        assert!(
            request.trim() != "cancel" || begun.elapsed() < Duration::from_secs(5),
            "what is cancelled ends at once"
        );
    }

    /// Quits, and opens what was recorded again.
    async fn reopen(&mut self) {
        self.quit().await;
        let watched = self.watched.take().expect("it was begun");
        let mut session = Session::new(watched.session.header.clone());
        watched.records.iter().for_each(|record| session.apply(record).unwrap());
        let beginning = Beginning::Resume { session: Box::new(session), records: watched.records };
        self.watched = Some(Watched::start(self.place.setup(Some(beginning))));
        self.notices = 0;
    }

    async fn quit(&mut self) {
        if let Some(watched) = &mut self.watched {
            watched.send(Command::Quit);
            watched.until("the end", |n, _| *n == Notice::Stopped).await;
            let copy = self.place.obstacle().join("copy.jsonl");
            if copy.exists() {
                assert_eq!(
                    log::load(&copy).unwrap().records,
                    watched.records,
                    "it holds the session from its beginning"
                );
            }
        }
    }
}

/// Plays a script; the script with what came of it.
fn played(script: &str) -> String {
    let mut lines = script.lines().filter(|line| !line.trim().is_empty()).peekable();
    let title = lines.next().unwrap_or_default();
    let mut place = Place::new(lines.next().expect("where it begins"));
    while let Some((key, value)) =
        lines.peek().and_then(|line| line.split_once(':')).filter(|(key, _)| Place::knows(key))
    {
        place.set(key, value.trim());
        lines.next();
    }
    let mut play = Play { place, watched: None, notices: 0, built_in: BTreeSet::new(), out: format!("# {title}\n") };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        for line in lines {
            match line.strip_prefix("; ") {
                Some(_) => play.out.push_str(&format!("{line}\n")),
                None => play.line(line).await,
            }
        }
        play.quit().await;
    });
    play.out
}

/// Plays the scripts of a file.
fn scripts(name: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/sessions/{name}.session"));
    let text = std::fs::read_to_string(&file).unwrap();
    let came: Vec<String> = text.trim_start_matches("# ").split("\n# ").map(played).collect();
    insta::assert_snapshot!(format!("session_{name}"), came.join("\n"));
}

macro_rules! scripts {
    ($($name:ident)*) => { $(#[test] fn $name() { scripts(stringify!($name)); })* };
}

scripts! { blocking candidates code counter derived effects form methods o3d plans remote reprompt skills statler }
