//! Forms of states beside the episode: whether one tells the states of the demonstrations, and what the model in
//! use proposes, which is offered.

use std::sync::Arc;

use stepwright_belief::form::{
    AGAIN, CHAT_TEMPLATE, FormContext, Judged, MAX_TOKENS, Moments, TEMPLATE, document, written,
};
use stepwright_driver::{RequestId, Service, SessionView, Source, WorkDesk, WorkResult};
use stepwright_episode::gate::{Answer, AskSpec, Request};
use stepwright_episode::{ArtifactId, AskId, AskKind, Generation, Shape, Written};
use stepwright_method::Answer as ModelAnswer;
use stepwright_precondition::{Demo, SharedDemonstrations};
use stepwright_protocol::{Command, FormCommand, Level, Notice};
use stepwright_world::FileFaults;

/// The label shown while the model is asked.
const UNDER_WAY: &str = "a form of states:";

#[derive(Default)]
pub struct FormService {
    /// The request that sends the ask, then the ask.
    asking: Option<RequestId>,
    asked: Option<AskId>,
    /// The request that offers what was written, and what is said then.
    offering: Option<(RequestId, String)>,
}

/// The result of work.
enum Done {
    /// What a model is shown.
    Context(Result<FormContext, String>),
    /// What it wrote, and the verdict.
    Judged(String, Result<Judged, FileFaults>),
    Told,
}

impl Service for FormService {
    fn command(&mut self, command: Command, view: &mut SessionView<'_>) -> Option<Command> {
        let Command::Form(command) = command else { return Some(command) };
        match (command, view.discoverer) {
            (FormCommand::Check { token, text }, _) => with_moments(view, move |moments, desk| {
                let verdict = moments.and_then(|moments| match moments.judge(&text, "") {
                    Ok(judged) => Ok(judged.to_string()),
                    Err(wrong) => Err(wrong.to_string()),
                });
                desk.tell(Notice::FormChecked { token, verdict });
                Done::Told
            }),
            (FormCommand::Propose, Source::Symbolic) => {
                view.say(Level::Warning, "no language model is in use; choose one (M), or write the form yourself");
            }
            (FormCommand::Propose, _) if self.asking.is_some() || self.asked.is_some() => {
                view.say(Level::Warning, "the model is being asked already; Esc stops it");
            }
            (FormCommand::Propose, _) => {
                with_moments(view, |moments, _| Done::Context(moments.map(|moments| moments.context())));
            }
        }
        None
    }

    fn answered(&mut self, request: RequestId, answer: Answer, view: &mut SessionView<'_>) {
        if self.asking.take_if(|asking| *asking == request).is_some()
            && let Answer::Done { ask: Some(ask) } = answer
        {
            view.tell(Notice::Progress { what: UNDER_WAY.to_owned(), done: 0, total: 1 });
            self.asked = Some(ask);
        }
        if let Some((_, words)) = self.offering.take_if(|(offering, _)| *offering == request) {
            view.say(Level::Info, words);
        }
    }

    fn ask_ended(&mut self, ask: AskId, answer: Option<ModelAnswer>, view: &mut SessionView<'_>) {
        if self.asked.take_if(|asked| *asked == ask).is_none() {
            return;
        }
        view.tell(Notice::Progress { what: UNDER_WAY.to_owned(), done: 1, total: 1 });
        // It failed or was stopped, which the message line says.
        let Some(answer) = answer else { return };
        let text = written(answer.first());
        with_moments(view, move |moments, _| {
            let fault = |why| FileFaults { path: String::new(), faults: vec![(1, why)] };
            let judged = moments.map_err(fault).and_then(|moments| moments.judge(&text, ""));
            Done::Judged(text, judged)
        });
    }

    fn worked(&mut self, result: WorkResult, view: &mut SessionView<'_>) {
        match result.map(|done| done.downcast::<Done>().map(|done| *done)) {
            Err(broke) | Ok(Ok(Done::Context(Err(broke)))) => view.say(Level::Error, broke),
            Ok(Ok(Done::Context(Ok(context)))) => self.ask(&context, view),
            Ok(Ok(Done::Judged(text, judged))) => self.offer(text, judged, view),
            Ok(Ok(Done::Told) | Err(_)) => {}
        }
    }
}

impl FormService {
    /// Offers what was written; one that cannot be taken into use is offered to be edited.
    fn offer(&mut self, raw: String, judged: Result<Judged, FileFaults>, view: &mut SessionView<'_>) {
        let title = format!("a form of states by {}", view.discoverer.name());
        let problem = judged.as_ref().err().map(ToString::to_string);
        let value = judged.is_ok().then(|| Arc::new(document(&raw)));
        let words = match judged {
            Ok(_) => "a form of states is offered in State: take, edit or refuse it".to_owned(),
            Err(_) => {
                "a form of states is offered in State that does not pass: edit it, refuse it or ask again".to_owned()
            }
        };
        let written =
            Written { artifact: ArtifactId::FORM, due: None, title, raw, repairs: Vec::new(), value, problem };
        self.offering = Some((view.request(Request::OfferArtifact(Box::new(written))), words));
    }

    fn ask(&mut self, context: &FormContext, view: &mut SessionView<'_>) {
        let template = if view.prompting.raw { TEMPLATE } else { CHAT_TEMPLATE };
        let prompt = match view.prompting.render(template, context) {
            Ok(prompt) => prompt,
            Err(why) => return view.say(Level::Error, why),
        };
        // Greedily written again it would come out the same.
        let offered = view.session.current().is_some_and(|node| node.open_offer(&ArtifactId::FORM).is_some());
        let request = Request::AskInBackground(AskSpec {
            kind: AskKind::FORM,
            model: view.discoverer.name(),
            prompt: Some(prompt),
            n: 1,
            temperature: if offered { AGAIN } else { 0.0 },
            shape: Shape::Generate(Generation { max_tokens: MAX_TOKENS, ..Generation::default() }),
        });
        self.asking = Some(view.request(request));
    }
}

/// Does work on the states of the demonstrations, beside the driver's task.
fn with_moments(
    view: &mut SessionView<'_>,
    work: impl FnOnce(Result<Moments, String>, &WorkDesk) -> Done + Send + 'static,
) {
    let (specification, knowledge) = (view.program.specification().clone(), view.knowledge.clone());
    let path = view.session.path(view.session.cursor());
    let calls = path.iter().flat_map(|node| &node.outcome.calls).filter_map(|call| call.parse().ok());
    // Where nothing is demonstrated the session itself shows what there is.
    let own =
        knowledge.demonstrations.is_empty().then(|| Demo { id: "this session".to_owned(), calls: calls.collect() });
    view.work(move |desk: &WorkDesk| {
        let executed = match own {
            Some(own) => SharedDemonstrations::new(&specification, vec![own]).map(Arc::new),
            None => knowledge.demonstrated(&specification),
        };
        work(executed.map(|demos| Moments::of(&demos)).map_err(|e| e.to_string()), desk)
    });
}
