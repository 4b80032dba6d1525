//! Knowledge of skills beside the episode: files of it, and what is found in the recorded logs, by counting (`counting`) or by the model
//! in use (`asking`); a function that it wrote is tried (`trying`). Whatever is found is offered; a person decides about it. Distilling without a session is [`headless`].

mod asking;
mod counting;
pub mod headless;
mod state;
mod trying;

pub use state::SkillService;

use std::path::Path;
use std::sync::Arc;

use stepwright_skill::distil::{Proposed, Wanted, Way};
use stepwright_skill::{document, file};

use state::{Found, PendingRequest, Tried, cuts, known_document};
use stepwright_driver::{RequestId, Service, SessionView, Source, WorkResult};
use stepwright_episode::AskId;
use stepwright_episode::gate::Answer;
use stepwright_method::Answer as ModelAnswer;
use stepwright_protocol::{Command, Level, SkillCommand};
use stepwright_text::words::count;

impl Service for SkillService {
    fn command(&mut self, command: Command, view: &mut SessionView<'_>) -> Option<Command> {
        let Command::Skills(command) = command else { return Some(command) };
        match command {
            SkillCommand::Save(path) => match save(&path, view) {
                Ok(words) => view.say(Level::Info, words),
                Err(why) => view.say(Level::Error, format!("{}: {why}", path.display())),
            },
            SkillCommand::Load(path) => {
                let shelf = Arc::clone(&view.knowledge.skills);
                self.find(view, path.display().to_string(), move |_| {
                    let read = shelf.read(&path.to_string_lossy());
                    let known = read.map_err(|why| format!("{why}; nothing was changed"))?;
                    Ok(vec![Proposed::Knowledge(known)])
                });
            }
            SkillCommand::Discover(way) => self.count_up(view, Wanted::Next, way),
            SkillCommand::Propose(wanted, way) => match view.discoverer {
                Source::Language { .. } => self.ask_about(&wanted, way, view),
                Source::Symbolic => {
                    view.say(Level::Info, "no language model is in use (M chooses one): the logs are counted through");
                    self.count_up(view, wanted, way);
                }
            },
        }
        None
    }

    fn answered(&mut self, request: RequestId, answer: Answer, view: &mut SessionView<'_>) {
        match (self.pending.remove(&request), answer) {
            (Some(PendingRequest::Ask(question)), answer) => self.question_sent(*question, answer, view),
            (Some(PendingRequest::Offer(words)), Answer::Done { .. }) => view.say(Level::Info, words),
            (Some(PendingRequest::Offer(_)) | None, _) => {}
        }
    }

    fn ask_ended(&mut self, ask: AskId, answer: Option<ModelAnswer>, view: &mut SessionView<'_>) {
        if let Some((_, question)) = self.asked.take_if(|(asked, _)| *asked == ask) {
            self.question_ended(question, answer, view);
        }
    }

    fn worked(&mut self, result: WorkResult, view: &mut SessionView<'_>) {
        let found = match result {
            Ok(found) => found.downcast::<Found>(),
            Err(broke) => return view.say(Level::Error, broke),
        };
        let Found { cancelled, title, result } = match found {
            Ok(found) => *found,
            Err(other) => {
                if let Ok(tried) = other.downcast::<Tried>() {
                    self.function_tried(*tried, view);
                }
                return;
            }
        };
        match result {
            _ if cancelled < self.cancelled => view.say(Level::Info, format!("{title}: stopped, nothing is offered")),
            Ok(proposals) => proposals.into_iter().for_each(|one| self.put_forward(&title, one, view)),
            Err(why) => view.say(Level::Error, why),
        }
    }

    fn cancel(&mut self, _view: &mut SessionView<'_>) {
        self.cancelled += 1;
    }
}

impl SkillService {
    fn count_up(&self, view: &mut SessionView<'_>, wanted: Wanted, way: Way) {
        let Some(logs) = view.world.recorded() else {
            return view.say(Level::Warning, "there are no recorded logs here; open a file of logs");
        };
        let known = match document::read(&known_document(view)) {
            Ok(known) => known,
            Err(why) => return view.say(Level::Error, why),
        };
        let (all, cuts) = (Arc::clone(&logs.all), cuts(view, &logs.all));
        let n = count(all.len(), "log");
        let shown = logs.current().map(|log| log.id.clone()).filter(|id| !cuts.contains_key(id));
        let title = match &wanted {
            Wanted::Next => format!("counted in {n}"),
            Wanted::Cut { of } => format!("{of} cut by counting"),
            Wanted::Tips { success, failure } => format!("a tip from {success} and {failure} by counting"),
        };
        if !matches!(wanted, Wanted::Tips { .. }) {
            view.say(Level::Info, format!("looking through {n}"));
        }
        let named = title.clone();
        self.find(view, title, move |keep_running| {
            counting::counted(&all, known, &cuts, shown, (&wanted, way), keep_running)
                .map_err(|why| format!("{named}: {why}"))
        });
    }
}

fn save(path: &Path, view: &SessionView<'_>) -> Result<String, String> {
    let known = document::read(&known_document(view))?;
    let mut new = std::fs::OpenOptions::new();
    let file = new.write(true).create_new(true).open(path);
    let mut opened = file.map_err(|e| match e.kind() {
        std::io::ErrorKind::AlreadyExists => "it is there already; name another".to_owned(),
        _ => e.to_string(),
    })?;
    std::io::Write::write_all(&mut opened, file::write(&known).as_bytes()).map_err(|e| e.to_string())?;
    Ok(format!("{} written to {}", count(known.skills.len(), "skill"), path.display()))
}
