//! What long work sent back, read and reported to the gate; and what a prompt's real length teaches.

use super::{Driver, Message};
use crate::driver::asking::Answer;
use crate::driver::{Level, coding, proposing};
use crate::episode::AskKind;
use crate::episode::gate::Report;
use crate::episode::{AskId, Usage};
use crate::model::ModelError;

impl Driver {
    pub(super) fn message(&mut self, message: Message) {
        let (ask, report) = match message {
            Message::Workshop(done) => return self.workshop(|workshop, around| workshop.worked(done, around)),
            Message::World(back) => return self.came_back(back),
            Message::Answer(answer) if self.workshop.owns(answer.ask) => (answer.ask, verbatim(answer)),
            Message::Answer(answer) => (answer.ask, self.read_answer(answer)),
            Message::CandidateScores(scores) => {
                let ask = scores.ask;
                let mut report = None;
                self.workshop(|workshop, around| report = Some(workshop.scored(scores, around)));
                let Some(report) = report else { return };
                (ask, report)
            }
            Message::Scored(scores) => {
                let (ask, likelihood) = (scores.ask, self.prompting.options.likelihood);
                let shorter = scores.result.as_ref().err().and_then(|e| self.shorter(e));
                (ask, shorter.map_or_else(|| scores.report(likelihood), |error| Report::AskTooLong { ask, error }))
            }
            Message::Ran(ran) => return self.program_ran(ran),
            Message::Made(made) => made.report(),
            Message::Selected(ranking) => {
                if let Some(text) = ranking.remark() {
                    self.say(Level::Info, text);
                }
                (ranking.ask, ranking.report())
            }
            Message::Ranked(ranking) => {
                if let Some(text) = ranking.remark() {
                    self.say(Level::Info, text);
                }
                (ranking.ask, ranking.report(self.points.world.as_ref()))
            }
        };
        self.asks.remove(&ask);
        self.report(report);
        self.carry_out();
    }

    /// Whether a prompt that the model could not take can be made shorter; the words for it.
    fn shorter(&mut self, error: &ModelError) -> Option<String> {
        let ModelError::TooLong { context: Some(context), .. } = error else { return None };
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
        let asked = self.gate.session().current().and_then(|n| n.turn.asks.iter().find(|a| a.id == ask));
        // Of several completions some servers count the prompt each time.
        if let (Some(prompt), Some(usage)) = (asked.filter(|a| a.n == 1).and_then(|a| a.prompt.as_ref()), usage) {
            let chars = prompt.messages.iter().map(|m| m.text.chars().count()).sum();
            self.prompting.meter.learn(chars, usage.prompt);
        }
    }

    fn read_answer(&mut self, answer: Answer) -> Report {
        let Answer { ask, result, ms } = answer;
        let turn = self.gate.session().current().map(|n| &n.turn);
        let asked = turn.and_then(|t| t.asks.iter().find(|a| a.id == ask));
        // These prompts have no part that could be left out.
        let fixed = asked.is_some_and(|a| coding::is_coding(&a.kind));
        match result {
            Err(error) if fixed => Report::AskFailed { ask, error: error.to_string() },
            Err(error) => match self.shorter(&error) {
                Some(error) => Report::AskTooLong { ask, error },
                None => Report::AskFailed { ask, error: error.to_string() },
            },
            Ok(response) => {
                self.learn_length(ask, response.usage);
                let turn = self.gate.session().current().map(|n| &n.turn);
                let asked = turn.and_then(|t| t.asks.iter().find(|a| a.id == ask));
                if asked.is_some_and(|a| a.kind == AskKind::PLAN || matches!(a.kind, AskKind::Judgement { .. })) {
                    // A plan is no action: its lines are offered one at a time. Neither is what is said of an assertion.
                    let texts = response.completions.into_iter().map(|c| c.text).collect();
                    return Report::Answered { ask, texts, usage: response.usage, ms, drafts: Vec::new() };
                }
                if asked.is_some_and(|a| a.kind == AskKind::BELIEF) {
                    let texts = response.completions.into_iter().map(|c| c.text).collect();
                    return self.state_written(ask, texts, response.usage, ms);
                }
                let program = asked.filter(|a| coding::is_for_program(&a.kind)).and(self.method.coding());
                let greedy = asked.is_some_and(|a| a.temperature == 0.0);
                let (world, specification) = (self.points.world.as_ref(), self.mind.specification());
                let drafts = response
                    .completions
                    .iter()
                    .map(|c| match program {
                        Some(coding) => self.read_code(coding, c, greedy),
                        None if self.method.selects_leaves() => self.read_selection(c),
                        None => proposing::read_completion(c, greedy, world, specification),
                    })
                    .collect();
                let texts = response.completions.into_iter().map(|c| c.text).collect();
                Report::Answered { ask, texts, usage: response.usage, ms, drafts }
            }
        }
    }
}

/// An answer of which nothing is proposed: its texts as they are.
fn verbatim(answer: Answer) -> Report {
    let Answer { ask, result, ms } = answer;
    match result {
        Err(error) => Report::AskFailed { ask, error: error.to_string() },
        Ok(response) => {
            let texts = response.completions.into_iter().map(|c| c.text).collect();
            Report::Answered { ask, texts, usage: response.usage, ms, drafts: Vec::new() }
        }
    }
}
