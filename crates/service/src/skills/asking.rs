//! Stages 1 and 2 by the model in use: one question at a time, as an ask beside the episode that can be stopped. Its answer becomes an
//! offer; what the person makes of it is what the next question begins with.

use std::sync::Arc;

use stepwright_skill::code::GENERIC;
use stepwright_skill::distil::{Distiller, Proposed, Settings, Wanted, Way};
use stepwright_skill::document;

use super::headless::{MAX_TOKENS, template};
use super::state::{PendingRequest, Question, SkillService, Tried, cuts, known_document};
use super::trying::tried;
use stepwright_driver::{SessionView, WorkDesk};
use stepwright_episode::gate::{Answer, AskSpec, Request};
use stepwright_episode::{ArtifactId, ArtifactKind, AskKind, Generation, Shape};
use stepwright_method::Answer as ModelAnswer;
use stepwright_protocol::{Level, Notice};

/// The label shown while the model is asked.
const UNDER_WAY: &str = "distilling:";

impl SkillService {
    pub(super) fn ask_about(&mut self, wanted: &Wanted, way: Way, view: &mut SessionView<'_>) {
        if self.is_asking() {
            return view.say(Level::Warning, "the model is being asked already; Esc stops it");
        }
        let Some(logs) = view.world.recorded() else {
            return view.say(Level::Warning, "there are no recorded logs here; open a file of logs");
        };
        if is_undecided(wanted, view) {
            return view.say(Level::Warning, "something is offered already; take it or refuse it, then ask on");
        }
        let known = match document::read(&known_document(view)) {
            Ok(known) => known,
            Err(why) => return view.say(Level::Error, why),
        };
        let (cuts, is_of_run) = (cuts(view, &logs.all), *wanted == Wanted::Next);
        let settings = Settings::from(way);
        // A run that was begun in another way is left.
        let kept = self.run.take_if(|_| is_of_run).filter(|run| *run.settings() == settings);
        let alone = || Distiller::alone(Arc::clone(&logs.all), known.clone(), &cuts, settings, wanted);
        let began = kept.map_or_else(|| alone().map(|run| run.over(GENERIC)), Ok);
        match began {
            Ok(mut distiller) => {
                if is_of_run {
                    distiller.revise(known, &cuts);
                }
                self.put_question(distiller, is_of_run, view);
            }
            Err(why) => view.say(Level::Warning, why),
        }
    }

    fn is_asking(&self) -> bool {
        self.asked.is_some() || self.pending.values().any(|pending| matches!(pending, PendingRequest::Ask(_)))
    }

    fn put_question(&mut self, distiller: Distiller, is_of_run: bool, view: &mut SessionView<'_>) {
        let Some(asked) = distiller.next() else {
            let words = "all questions of both stages were asked; the same key begins again with what is known now";
            return view.say(Level::Info, words);
        };
        let contrast = distiller.settings().contrast;
        let prompt = match view.prompting.render(&template(&asked, contrast), &asked.context) {
            Ok(prompt) => prompt,
            Err(why) => return view.say(Level::Error, why),
        };
        let generation = Generation { max_tokens: MAX_TOKENS, ..Generation::default() };
        let request = view.request(Request::AskInBackground(AskSpec {
            kind: AskKind::Distil { what: asked.label.clone() },
            model: view.discoverer.name(),
            prompt: Some(prompt),
            n: 1,
            temperature: 0.0,
            shape: Shape::Generate(generation),
        }));
        let question = Question { distiller, is_of_run, asked };
        self.pending.insert(request, PendingRequest::Ask(Box::new(question)));
    }

    /// Notes that the question was sent; one that was refused is asked again at the next command.
    pub(super) fn question_sent(&mut self, question: Question, answer: Answer, view: &SessionView<'_>) {
        match answer {
            Answer::Done { ask: Some(ask) } => {
                let what = format!("{UNDER_WAY} {} of {}", question.asked.label, question.asked.of.join(", "));
                view.tell(Notice::Progress { what, done: 0, total: 1 });
                self.asked = Some((ask, question));
            }
            Answer::Done { ask: None } | Answer::Queued(_) | Answer::Refused(_) => {
                self.run = Some(question.distiller).filter(|_| question.is_of_run);
            }
        }
    }

    pub(super) fn question_ended(
        &mut self,
        question: Question,
        answer: Option<ModelAnswer>,
        view: &mut SessionView<'_>,
    ) {
        let Question { mut distiller, is_of_run, asked } = question;
        view.tell(Notice::Progress { what: UNDER_WAY.to_owned(), done: 1, total: 1 });
        let Some(answer) = answer.and_then(|answer| answer.completions.into_iter().next()) else {
            // It failed or was stopped, which the message line says; the same question comes again.
            self.run = Some(distiller).filter(|_| is_of_run);
            return;
        };
        // Where the person changed something meanwhile, the answer is a proposal against that.
        if let (Some(logs), Ok(known)) = (view.world.recorded(), document::read(&known_document(view))) {
            let cuts = cuts(view, &logs.all);
            distiller.amend(known, &cuts);
        }
        let title = format!("{} of {} by {}", asked.label, asked.of.join(", "), view.discoverer.name());
        let proposed = distiller.propose(&answer.text);
        if let Some(trial) = distiller.trial() {
            let (sandbox, cancelled) = (view.sandbox.clone(), self.cancelled);
            view.say(Level::Info, format!("trying {}", asked.label));
            return view.work(move |_: &WorkDesk| {
                let runtime = tokio::runtime::Handle::try_current().map_err(|e| e.to_string());
                let results = runtime.and_then(|runtime| runtime.block_on(tried(&sandbox, &trial)));
                Tried { cancelled, title, distiller, is_of_run, results }
            });
        }
        match proposed {
            Ok(proposed) => self.put_forward(&title, proposed, view),
            Err(why) if distiller.is_repeated() => {
                view.say(Level::Warning, format!("{title} was not understood ({why}); it is asked for once more"));
                return self.put_question(distiller, is_of_run, view);
            }
            Err(why) => {
                view.say(Level::Warning, format!("{title} was not understood again, and is passed over: {why}"));
            }
        }
        self.run = Some(distiller).filter(|run| is_of_run && run.left() > 0);
    }
}

impl SkillService {
    /// Offers a function with what came of its trial.
    pub(super) fn function_tried(&mut self, tried: Tried, view: &mut SessionView<'_>) {
        let Tried { cancelled, title, mut distiller, is_of_run, results } = tried;
        if cancelled < self.cancelled {
            return view.say(Level::Info, format!("{title}: stopped, nothing is offered"));
        }
        let results = results.unwrap_or_else(|why| {
            view.say(Level::Warning, format!("{title} could not be tried: {why}"));
            Vec::new()
        });
        distiller.tried(&results);
        self.put_forward(&title, Proposed::Knowledge(distiller.known().clone()), view);
        self.run = Some(distiller).filter(|run| is_of_run && run.left() > 0);
    }
}

/// Whether an offer that the next question would build on waits for a decision.
fn is_undecided(wanted: &Wanted, view: &SessionView<'_>) -> bool {
    let Some(node) = view.session.current() else { return false };
    let waits = |artifact: &ArtifactId| node.open_offer(artifact).is_some();
    match wanted {
        Wanted::Cut { of } => waits(&ArtifactId::segments(of)),
        Wanted::Tips { .. } => waits(&ArtifactId::KNOWLEDGE),
        Wanted::Next => {
            let kinds = [ArtifactKind::Knowledge, ArtifactKind::Segments];
            node.offers().any(|offer| kinds.contains(&offer.written.artifact.kind) && waits(&offer.written.artifact))
        }
    }
}
