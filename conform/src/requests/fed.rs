//! A household that gives the recorded verdicts: the product's own world, and where that says otherwise than the original's did, what the
//! original's said.

use std::borrow::Cow;
use std::sync::Arc;

use stepwright_program::Call;
use stepwright_world::{
    Language, Outcome, ProgramHeader, Refusal, Snapshot, TaskInfo, WordedPlan, Wording, World, WorldError, WorldKind,
};

/// The observation of a step whose verdict was the recording's.
pub(super) const RECORDED: &str = "as recorded";

/// A recorded verdict on a step.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) executed: bool,
    pub(super) message: String,
    /// Why it failed, in the program's words, where a corrective prompt said so.
    pub(super) cause: Option<String>,
}

pub(super) struct Fed {
    pub(super) own: Box<dyn World>,
    pub(super) verdicts: Arc<[Verdict]>,
    pub(super) wording: Wording,
    /// The number of steps tried, and why the last was refused where the recording says so.
    pub(super) at: (usize, Option<Refusal>),
}

impl World for Fed {
    fn kind(&self) -> &'static WorldKind {
        self.own.kind()
    }

    fn reset(&mut self, task: &str, seed: u64) -> Result<Outcome, WorldError> {
        self.at = (0, None);
        self.own.reset(task, seed)
    }

    fn act(&mut self, text: &str) -> Result<Outcome, WorldError> {
        let (number, _) = self.at;
        self.at = (number + 1, None);
        let before = self.own.snapshot();
        let outcome = self.own.act(text)?;
        let verdicts = Arc::clone(&self.verdicts);
        let Some(recorded) = verdicts.get(number) else { return Ok(outcome) };
        let cause = || self.own.language()?.refusal(text, self.wording).map(|refusal| refusal.cause);
        let same = match (recorded.executed, &outcome.error) {
            (true, None) => true,
            (false, Some(_)) => recorded.cause.is_none() || cause() == recorded.cause,
            (true, Some(_)) | (false, None) => false,
        };
        if same {
            return Ok(outcome);
        }
        self.own.restore(&before)?;
        let error = (!recorded.executed).then(|| recorded.message.clone());
        let refusal = || Refusal {
            number: 10,
            kind: "recorded".to_owned(),
            reason: recorded.message.clone(),
            step: text.to_owned(),
            cause: recorded.cause.clone().unwrap_or_default(),
        };
        self.at.1 = error.is_some().then(refusal);
        Ok(Outcome { observation: RECORDED.to_owned(), error, ..Outcome::default() })
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot(Arc::new((self.own.snapshot(), self.at.clone())))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        let state = snapshot.0.downcast_ref::<(Snapshot, (usize, Option<Refusal>))>();
        let (own, at) = state.ok_or(WorldError::ForeignSnapshot)?;
        self.at = at.clone();
        self.own.restore(own)
    }

    fn tasks(&self) -> Vec<TaskInfo> {
        self.own.tasks()
    }

    fn call_of(&self, text: &str) -> Option<Call> {
        self.own.call_of(text)
    }

    fn text_of(&self, call: &Call) -> Option<String> {
        self.own.text_of(call)
    }

    fn header(&self) -> ProgramHeader {
        self.own.header()
    }

    fn specification(&self) -> Cow<'static, str> {
        self.own.specification()
    }

    fn language(&self) -> Option<&dyn Language> {
        self.own.language().is_some().then_some(self)
    }

    fn fork(&self) -> Box<dyn World> {
        let Fed { own, verdicts, wording, at } = self;
        Box::new(Fed { own: own.fork(), verdicts: Arc::clone(verdicts), wording: *wording, at: at.clone() })
    }
}

impl Language for Fed {
    fn steps(&self) -> Arc<[String]> {
        self.own.language().map_or_else(|| Arc::from([]), |language| language.steps())
    }

    fn words_of(&self, text: &str) -> Option<String> {
        self.own.language()?.words_of(text)
    }

    fn text_of_words(&self, words: &str) -> Option<String> {
        self.own.language()?.text_of_words(words)
    }

    fn examples(&self) -> Arc<[WordedPlan]> {
        self.own.language().map_or_else(|| Arc::from([]), |language| language.examples())
    }

    fn refusal(&self, text: &str, wording: Wording) -> Option<Refusal> {
        self.at.1.clone().or_else(|| self.own.language()?.refusal(text, wording))
    }

    fn task(&self) -> String {
        self.own.language().map(|language| language.task()).unwrap_or_default()
    }
}
