//! Answers of jobs: read by the method, reported to the gate. A prompt's real length corrects the estimate of tokens.

use super::Driver;
use crate::jobs::{Answered, Failure, Message};
use crate::{Level, exchange};
use stepwright_episode::gate::Report;
use stepwright_episode::{AskId, AskKind, Usage};
use stepwright_method::{Answer, Reading};
use stepwright_model::ModelError;

impl Driver {
    pub(super) fn message(&mut self, message: Message) {
        match message {
            Message::Found(found) => self.found(found),
            Message::Workshop(done) => self.workshop(|workshop, around| workshop.worked(*done, around)),
            Message::World(back) => self.came_back(back),
            Message::Ran(ran) => self.program_ran(ran),
            Message::Answered(answered) => {
                self.jobs.end_ask(answered.ask, false);
                let answered = self.exchanged(answered);
                let report = match self.aside(&answered) {
                    Some(AskKind::CandidateScores { .. }) => {
                        let mut report = None;
                        self.workshop(|workshop, around| report = Some(workshop.scored(answered, around)));
                        let Some(report) = report else { return };
                        report
                    }
                    Some(_) => verbatim(answered),
                    None => self.read_answer(answered),
                };
                self.report(report);
                self.carry_out();
            }
        }
    }

    /// Records what was sent and what came back.
    fn exchanged(&mut self, answered: Answered) -> Answered {
        let mut answered = exchange::bounded(answered);
        if let Some(exchange) = answered.exchange.take() {
            self.report(Report::Exchanged { ask: answered.ask, exchange });
        }
        answered
    }

    /// The kind of the ask that has ended, if it is aside of the episode.
    fn aside(&self, answered: &Answered) -> Option<AskKind> {
        let nodes = self.gate.session().nodes();
        let mut asks = nodes.iter().rev().flat_map(|n| &n.turn.asks);
        asks.find(|a| a.id == answered.ask).map(|a| a.kind.clone()).filter(AskKind::is_aside)
    }

    /// Whether a prompt that the model could not take can be made shorter; the words for it.
    fn shorter(&mut self, failure: &Failure) -> Option<String> {
        let Failure::Model(error @ ModelError::TooLong { context: Some(context), .. }) = failure else { return None };
        let context = usize::try_from(*context).unwrap_or(usize::MAX);
        self.too_long += 1;
        let known = self.prompting.context;
        // By the estimate it fitted: the estimate is wrong, so less is aimed at each time.
        let aim = if known.is_none_or(|k| k > context) { context } else { known.unwrap_or(context) * 4 / 5 };
        self.prompting.context = Some(aim);
        (self.too_long <= 4).then(|| error.to_string())
    }

    /// Takes in how many tokens a prompt really had.
    fn learn_length(&mut self, ask: AskId, usage: Option<Usage>) {
        self.too_long = 0;
        let asked = self.gate.session().current().and_then(|n| n.turn.ask(ask));
        // Of several completions some servers count the prompt each time.
        if let (Some(prompt), Some(usage)) = (asked.filter(|a| a.n == 1).and_then(|a| a.prompt.as_ref()), usage) {
            let chars = prompt.messages.iter().map(|m| m.text.chars().count()).sum();
            self.prompting.meter.learn(chars, usage.prompt);
        }
    }

    fn read_answer(&mut self, answered: Answered) -> Report {
        let Answered { ask, result, ms, .. } = answered;
        let turn = self.gate.session().current().map(|n| &n.turn);
        let asked = turn.and_then(|t| t.ask(ask)).cloned();
        // Other prompts have no part that could be left out.
        let shortens = asked.as_ref().is_some_and(|a| matches!(a.kind, AskKind::Action { .. }));
        let answer = match result {
            Ok(answer) => answer,
            Err(error) => {
                let shorter = shortens.then(|| self.shorter(&error)).flatten();
                return match shorter {
                    Some(error) => Report::AskTooLong { ask, error },
                    None => Report::AskFailed { ask, error: error.to_string() },
                };
            }
        };
        let Some(asked) = asked else {
            return Report::AskFailed { ask, error: "nobody waits for this answer any more".to_owned() };
        };
        let usage = answer.usage;
        self.learn_length(ask, usage);
        let reading = self.team.read(&self.context(None), &asked, &answer);
        let texts: Vec<String> = answer.completions.into_iter().map(|c| c.text).collect();
        match reading {
            Reading::Drafts { drafts, note } => {
                if let Some(text) = note {
                    self.say(Level::Info, text);
                }
                Report::Answered { ask, texts, usage, ms, drafts }
            }
            Reading::Kept => Report::Answered { ask, texts, usage, ms, drafts: Vec::new() },
            Reading::Artifact(written) => Report::Written { ask, texts, usage, ms, written },
            Reading::Problem(error) => Report::AskFailed { ask, error },
        }
    }
}

/// An answer of which nothing is proposed: its texts as they are.
fn verbatim(answered: Answered) -> Report {
    let Answered { ask, result, ms, .. } = answered;
    match result {
        Err(error) => Report::AskFailed { ask, error: error.to_string() },
        Ok(Answer { completions, usage, .. }) => {
            let texts = completions.into_iter().map(|c| c.text).collect();
            Report::Answered { ask, texts, usage, ms, drafts: Vec::new() }
        }
    }
}
