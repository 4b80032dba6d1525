//! Stages 1 and 2 by the model in use: one question at a time, as an ask beside the episode that can be stopped. Its answer becomes an
//! offer; what the person makes of it is what the next question begins with.

use std::sync::Arc;

use stepwright_skill::distil::{Distiller, Settings, Wanted, Way};
use stepwright_skill::document;

use crate::distilling::{MAX_TOKENS, template};
use crate::questions::Asked;
use crate::task::Driver;
use crate::{Level, Notice};
use stepwright_episode::gate::{Answer, AskSpec, Request};
use stepwright_episode::{ArtifactId, ArtifactKind, AskKind, Generation, Shape};

/// What is shown while the model is asked.
const UNDER_WAY: &str = "distilling:";

impl Driver {
    /// Asks the model in use for what is wanted.
    pub(super) fn ask_about(&mut self, wanted: &Wanted, way: Way) {
        if self.distilling.asked.is_some() {
            return self.say(Level::Warning, "the model is being asked already; Esc stops it");
        }
        let Some(logs) = self.timeline.world.recorded() else {
            return self.say(Level::Warning, "there are no recorded logs here; open a file of logs");
        };
        if self.is_undecided(wanted) {
            return self.say(Level::Warning, "something is offered already; take it or refuse it, then ask on");
        }
        let known = match document::read(&self.known_document()) {
            Ok(known) => known,
            Err(why) => return self.say(Level::Error, why),
        };
        let (cuts, is_of_run) = (self.cuts(&logs.all), *wanted == Wanted::Next);
        let settings = Settings::from(way);
        // A run that was begun in another way is left.
        let kept = self.distilling.run.take_if(|_| is_of_run).filter(|run| *run.settings() == settings);
        let began =
            kept.map_or_else(|| Distiller::alone(Arc::clone(&logs.all), known.clone(), &cuts, settings, wanted), Ok);
        match began {
            Ok(mut distiller) => {
                if is_of_run {
                    distiller.revise(known, &cuts);
                }
                self.put_question(distiller, is_of_run);
            }
            Err(why) => self.say(Level::Warning, why),
        }
    }

    /// Whether an offer that the next question would build on waits for a decision.
    fn is_undecided(&self, wanted: &Wanted) -> bool {
        let Some(node) = self.gate.session().current() else { return false };
        let waits = |artifact: &ArtifactId| node.open_offer(artifact).is_some();
        match wanted {
            Wanted::Cut { of } => waits(&ArtifactId::segments(of)),
            Wanted::Tips { .. } => waits(&ArtifactId::KNOWLEDGE),
            Wanted::Next => {
                let kinds = [ArtifactKind::Knowledge, ArtifactKind::Segments];
                node.offers()
                    .any(|offer| kinds.contains(&offer.written.artifact.kind) && waits(&offer.written.artifact))
            }
        }
    }

    fn put_question(&mut self, distiller: Distiller, is_of_run: bool) {
        let Some(question) = distiller.next() else {
            let words = "all questions of both stages were asked; the same key begins again with what is known now";
            return self.say(Level::Info, words);
        };
        let contrast = distiller.settings().contrast;
        let prompt = match self.prompting.render(&template(&question, contrast), &question.context) {
            Ok(prompt) => prompt,
            Err(why) => return self.say(Level::Error, why),
        };
        let generation = Generation { max_tokens: MAX_TOKENS, ..Generation::default() };
        let request = Request::AskAside(AskSpec {
            kind: AskKind::Distil { what: question.label.clone() },
            model: self.source.name(),
            prompt: Some(prompt),
            n: 1,
            temperature: 0.0,
            shape: Shape::Generate(generation),
        });
        let words = format!("{UNDER_WAY} {} of {}", question.label, question.of.join(", "));
        match self.request(request) {
            Answer::Done { ask: Some(ask) } => {
                self.tell(Notice::Progress { what: words, done: 0, total: 1 });
                self.distilling.asked = Some(Asked { ask, distiller, is_of_run, question });
            }
            // Why it is refused, the person has been informed; the question is asked again at the next request.
            Answer::Done { ask: None } | Answer::Queued(_) | Answer::Refused(_) => {
                self.distilling.run = Some(distiller).filter(|_| is_of_run);
            }
        }
    }

    /// Takes in the end of the question under way, if it has ended.
    pub(crate) fn question_ended(&mut self) {
        let Some(end) = self.distilling.ended.take() else { return };
        let Some(Asked { mut distiller, is_of_run, question, .. }) = self.distilling.asked.take() else { return };
        self.tell(Notice::Progress { what: UNDER_WAY.to_owned(), done: 1, total: 1 });
        let Some(answer) = end else {
            // It failed or was stopped, which the message line says; the same question comes again.
            self.distilling.run = Some(distiller).filter(|_| is_of_run);
            return;
        };
        // Where the person changed something meanwhile, the answer is a proposal against that.
        if let (Some(logs), Ok(known)) = (self.timeline.world.recorded(), document::read(&self.known_document())) {
            let cuts = self.cuts(&logs.all);
            distiller.amend(known, &cuts);
        }
        let title = format!("{} of {} by {}", question.label, question.of.join(", "), self.source.name());
        match distiller.propose(&answer) {
            Ok(proposed) => self.put_forward(&title, proposed),
            Err(why) if distiller.is_repeated() => {
                self.say(Level::Warning, format!("{title} was not understood ({why}); it is asked for once more"));
                return self.put_question(distiller, is_of_run);
            }
            Err(why) => {
                self.say(Level::Warning, format!("{title} was not understood again, and is passed over: {why}"))
            }
        }
        self.distilling.run = Some(distiller).filter(|run| is_of_run && run.left() > 0);
    }
}
