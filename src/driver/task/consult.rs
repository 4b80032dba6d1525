//! Asking the method what comes next, and the prompt of what it wants asked.

use super::Driver;
use crate::driver::Level;
use crate::driver::prompting::{Form, SpecificationText};
use crate::driver::scoring::{self, Candidate};
use crate::driver::setup::Source;
use crate::episode::AskKind;
use crate::episode::gate::{Advice, AskSpec};
use crate::episode::{AskId, PromptRecord};
use crate::method::{Next, Round};
use crate::sanitize;

/// Most characters shown of a completion that is no action.
const SHOWN: usize = 80;

impl Driver {
    /// The specification as the method has it shown: with the assertions in force, or with none.
    fn shown_specification(&self) -> Result<SpecificationText, String> {
        let in_force = self.gate.session().assertions();
        let assertions = in_force.iter().map(|(action, (of, _))| (action.clone(), of.clone())).collect();
        let shown = self.prompting.options.shows_assertions(self.method.shows_assertions());
        SpecificationText::new(self.mind.specification(), shown.then_some(&assertions))
    }

    /// Asks the method, and renders the prompt of what it wants asked.
    pub(super) fn consult(&mut self, round: AskId, samples: Option<u32>) -> Advice {
        if let Some(advice) = self.write_due() {
            return advice;
        }
        if let Some(coding) = self.method.coding() {
            return self.consult_coding(coding, round, samples);
        }
        if self.method.selects_leaves() {
            return self.consult_tree(round, samples);
        }
        let session = self.gate.session();
        let Some(node) = session.current() else { return Advice::Stuck("the episode has not begun".into()) };
        if let (Some(planning), Some(_)) = (self.method.planning(), samples) {
            return self.follow(planning, round, true);
        }
        let next = match samples {
            Some(n) => Next::Samples(n),
            None => self.method.next(Round { turn: &node.turn, since: round }),
        };
        let form = if self.prompting.raw { Form::Raw } else { Form::Chat };
        let (kind, n, temperature, form) = match next {
            Next::Recommend { proposal: None, why } => {
                let why = [why].into_iter().chain(self.unusable(round)).collect::<Vec<_>>().join(": ");
                return Advice::Recommend { proposal: None, why };
            }
            Next::Recommend { proposal, why } => return Advice::Recommend { proposal, why },
            Next::Follow => {
                return match self.method.planning() {
                    Some(planning) => self.follow(planning, round, false),
                    None => Advice::Stuck("this method follows no plan".into()),
                };
            }
            Next::Code => return Advice::Stuck("this method answers no requests".into()),
            Next::Greedy => (AskKind::GREEDY, 1, 0.0, form),
            Next::Samples(n) => {
                let temperature = match &self.source {
                    Source::Language { model, .. } => model.temperature(),
                    Source::Symbolic => None,
                };
                (AskKind::SAMPLES, n, temperature.unwrap_or_else(|| self.method.temperature()), form)
            }
            Next::Score => (AskKind::SCORED, 0, 0.0, Form::Scored),
        };
        let model = self.source.name();
        match &self.source {
            Source::Symbolic => {
                let n = samples.unwrap_or_else(|| self.method.ranked());
                let kind = if samples.is_some() { AskKind::FURTHER } else { AskKind::RANKED };
                Advice::Ask(AskSpec { kind, model, prompt: None, n, temperature: 0.0 })
            }
            Source::Language { .. } => {
                let n = match form {
                    Form::Scored => match self.candidates() {
                        Ok(candidates) => u32::try_from(candidates.len()).unwrap_or(u32::MAX),
                        Err(why) => return Advice::Stuck(why),
                    },
                    _ => n,
                };
                match self.prompt(form) {
                    Err(why) => Advice::Stuck(why),
                    Ok(prompt) => Advice::Ask(AskSpec { kind, model, prompt: Some(prompt), n, temperature }),
                }
            }
        }
    }

    /// What a language model wrote in place of an action, and what may mend it; `None` where it wrote one.
    fn unusable(&self, since: AskId) -> Option<String> {
        let Source::Language { model, .. } = &self.source else { return None };
        let turn = &self.gate.session().current()?.turn;
        let mut written = Round { turn, since }.proposals();
        let first = written.next()?;
        if first.action.is_some() || written.any(|p| p.action.is_some()) {
            return None;
        }
        let text = first.raw.trim();
        let shown: String = text.chars().take(SHOWN).collect();
        let more = if shown.len() < text.len() { "…" } else { "" };
        let problem = first.problem.as_deref().unwrap_or("it is no action");
        let wrote = match shown.as_str() {
            "" => "the model wrote nothing".to_owned(),
            shown => {
                format!("the model wrote \"{}{more}\", which is no action line ({problem})", sanitize::line(shown))
            }
        };
        let setting = model.raw_setting().filter(|_| !self.prompting.raw);
        Some([wrote].into_iter().chain(setting.map(str::to_owned)).collect::<Vec<_>>().join("; "))
    }

    /// The prompt for the next action; that something had to be left out is said once.
    fn prompt(&mut self, form: Form) -> Result<PromptRecord, String> {
        let specification = self.shown_specification()?;
        let ends = scoring::turn_end(self.points.world.as_ref(), self.mind.specification().declarations());
        let prompt = self.prompting.next_action(
            self.method.as_ref(),
            form,
            self.gate.session(),
            &specification,
            &self.kind,
            ends.as_ref().map(|(receiver, _)| receiver.as_str()),
        )?;
        if let Some(text) = prompt.left_out.as_ref().filter(|_| !self.shortened) {
            self.say(Level::Info, format!("{text}; the model pane says so for each ask"));
        }
        self.shortened = prompt.left_out.is_some();
        Ok(prompt)
    }

    /// The actions to be scored at the cursor.
    fn candidates(&self) -> Result<Vec<Candidate>, String> {
        let world = self.points.world.as_ref();
        let found = scoring::candidates(world, self.mind.specification().declarations())?;
        if let Some(note) = found.note {
            self.say(Level::Info, note);
        }
        Ok(found.list)
    }
}
