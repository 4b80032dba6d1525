//! Answers of jobs: read by the method, reported to the gate. A prompt's real length corrects the estimate of tokens.

use super::ask_record;
use super::driver::Driver;
use super::messages::{Answered, Failure, Message};
use stepwright_episode::gate::Report;
use stepwright_episode::{Ask, AskId, AskKind, Usage};
use stepwright_method::Reading;
use stepwright_model::Completion;
use stepwright_protocol::Level;

impl Driver {
    pub(super) fn message(&mut self, message: Message) {
        match message {
            Message::Worked { job, service, result } => {
                self.jobs.end(job);
                self.service_worked(service, result);
            }
            Message::World(back) => self.came_back(back),
            Message::ProgramResult(ran) => self.program_ran(ran),
            Message::Answered(answered) => {
                self.jobs.end_ask(answered.ask, false);
                let answered = self.record_exchange(answered);
                let report = if self.is_background(answered.ask) {
                    self.as_written(answered)
                } else {
                    self.read_answer(answered)
                };
                self.report(report);
                self.carry_out();
            }
        }
    }

    fn record_exchange(&mut self, answered: Answered) -> Answered {
        let mut answered = ask_record::bounded(answered);
        if let Some(exchange) = answered.exchange.take() {
            self.report(Report::Exchanged { ask: answered.ask, exchange });
        }
        answered
    }

    /// Whether an ask that has ended is beside the episode.
    fn is_background(&self, ask: AskId) -> bool {
        let nodes = self.gate.session().nodes();
        let mut asks = nodes.iter().rev().flat_map(|n| &n.turn.asks);
        asks.find(|a| a.id == ask).is_some_and(|a| a.kind.is_background())
    }

    /// An answer of which nothing is proposed: its texts as they are, or as they were scored. A service may wait for it.
    fn as_written(&mut self, answered: Answered) -> Report {
        let Answered { ask, result, ms, is_scored, .. } = answered;
        let answer = match result {
            Err(failure) => return failure.of_ask(ask),
            Ok(answer) => answer,
        };
        let text = |c: &Completion| match is_scored {
            true => Some(format!("{:.3} {}", c.mean_logprob()?, c.text)),
            false => Some(c.text.clone()),
        };
        let texts = answer.completions.iter().filter_map(text).collect();
        let usage = answer.usage;
        self.services.heard(ask, answer);
        Report::Answered { ask, texts, usage, ms, drafts: Vec::new() }
    }

    /// Takes in how many tokens a prompt really had.
    fn learn_length(&mut self, asked: &Ask, usage: Option<Usage>) {
        let length = || {
            // Of several completions some servers count the prompt each time.
            let prompt = asked.prompt.as_ref().filter(|_| asked.n == 1)?;
            Some((prompt.messages.iter().map(|m| m.text.chars().count()).sum(), usage?.prompt))
        };
        self.models.learn_length(asked.kind.role(), length());
    }

    fn read_answer(&mut self, answered: Answered) -> Report {
        let Answered { ask, result, ms, is_scored, .. } = answered;
        let turn = self.gate.session().current().map(|n| &n.turn);
        let asked = turn.and_then(|t| t.ask(ask)).cloned();
        // Other prompts have no part that could be left out.
        let shortens = asked.as_ref().filter(|a| matches!(a.kind, AskKind::Action { .. })).map(|a| a.kind.role());
        let answer = match result {
            Ok(answer) => answer,
            Err(failure) => {
                let shorter = match (&failure, shortens) {
                    (Failure::Model(error), Some(role)) => self.models.shorter(role, error),
                    _ => None,
                };
                return match shorter {
                    Some(error) => Report::AskTooLong { ask, error, usage: failure.usage() },
                    None => failure.of_ask(ask),
                };
            }
        };
        let usage = answer.usage;
        let Some(asked) = asked else {
            return Failure::Work { why: "nobody waits for this answer any more".to_owned(), usage }.of_ask(ask);
        };
        self.learn_length(&asked, usage);
        let reading = self.stack.read(&self.context(None).of(asked.kind.role()), &asked, &answer);
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
            Reading::Problem(error) => {
                // What was scored or worked out no model wrote.
                let is_written = asked.prompt.is_some() && !is_scored;
                let partial = if is_written { texts.join("\n") } else { String::new() };
                Report::AskFailed { ask, error, usage, partial }
            }
        }
    }
}
