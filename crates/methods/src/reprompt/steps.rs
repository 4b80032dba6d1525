//! The next step at the cursor: the example once, then for each step sentences, their translation, and a recommendation; after an error
//! what the method does about it.

use std::sync::Arc;

use serde_json::Value;
use stepwright_plan::sample::{Reader, Sample};
use stepwright_plan::score::{Costly, Stop, below, finished};
use stepwright_plan::settings::{Loop, Resampling, Seen, Settings};

use super::options::{self, OnError};
use super::plan_history::PlanHistory;
use super::record::{self, Corrective, Found};
use super::work::Work;
use super::{FreeForm, failure, prompt};
use stepwright_episode::{Ask, AskId, AskKind, AskState, Mark, Node, ProposalId, Written};
use stepwright_method::context::decided;
use stepwright_method::{Context, Round, Step};
use stepwright_program::Call;
use stepwright_world::{Correction, Refusal};

/// Corrections of one step without a language model before it is given up.
const IN_VAIN: usize = 6;

/// Who fits the example and corrects where no language model is in use.
const OWN: &str = "nearest example";

struct Moment<'a, 'c> {
    method: FreeForm,
    cx: &'c Context<'a>,
    node: &'a Node,
    round: Round<'a>,
    settings: Settings,
    course: PlanHistory,
}

pub fn next(method: FreeForm, cx: &Context<'_>) -> Step {
    let (Some(node), Some(round)) = (cx.node(), cx.round()) else {
        return Step::Stuck("the episode has not begun".to_owned());
    };
    let words = |text: &str| cx.world.language().and_then(|language| language.words_of(text));
    let mut course = cx.so_far(method.begun(cx)).worded(words);
    if cx.samples.is_none() && record::is_asked_anew(&node.turn, round.since, course.skips) {
        course.take_up_again();
    }
    let moment = Moment { method, cx, node, round, settings: method.settings(cx), course };
    moment.next()
}

impl Moment<'_, '_> {
    fn next(&self) -> Step {
        let Some((example, found)) = record::example(&self.cx.path()) else { return self.retrieve() };
        let newest = self.newest();
        if let Some(ask) = newest.filter(|ask| is_translation(&ask.kind) && self.cx.samples.is_none()) {
            return self.recommend(ask);
        }
        if let Some(stop) = self.limit() {
            return stopped(&stop.to_string());
        }
        if let Some(left) = self.resampled() {
            return left;
        }
        let failed = match self.failed() {
            Ok(failed) => failed,
            Err(step) => return *step,
        };
        if self.cx.model.language {
            self.by_model(newest, &example, failed.as_ref())
        } else {
            self.by_rule(&found, failed.as_ref())
        }
    }

    /// The newest answered ask of this round.
    fn newest(&self) -> Option<&Ask> {
        let answered = |ask: &&Ask| matches!(ask.state, AskState::Answered { .. });
        let newest = self.node.turn.asks.iter().rfind(|ask| !ask.kind.is_background())?;
        Some(newest).filter(answered).filter(|ask| ask.id >= self.round.since && ask.kind != record::retrieval())
    }

    fn own(&self, kind: AskKind, n: usize, work: &Work) -> Step {
        let by = if self.cx.model.language { self.cx.prompting.translator.name() } else { OWN };
        let work = serde_json::to_value(work).unwrap_or(Value::Null);
        Step::ask(self.cx.own(kind, by, u32::try_from(n).unwrap_or(u32::MAX), work))
    }

    fn retrieve(&self) -> Step {
        let fit = !self.cx.model.language && self.cx.world.language().is_some();
        self.own(record::retrieval(), 1, &Work::Retrieve { task: prompt::task(self.cx), fit })
    }

    /// Why no further step may be tried.
    fn limit(&self) -> Option<Stop> {
        let all = self.method.on_error == OnError::GoOn;
        let over = |count: usize, most: u32| count >= most as usize;
        if over(self.course.steps(all).len(), self.settings.steps) {
            return Some(Stop::Steps(self.settings.steps));
        }
        over(self.course.attempts.len(), self.settings.tries).then_some(Stop::Tries(self.settings.tries))
    }

    /// The failure that is to be corrected, once its corrective prompt was decided about.
    /// Errors: the step that is due before: the corrective prompt is offered.
    fn failed(&self) -> Result<Option<Corrective>, Box<Step>> {
        if !self.method.corrects() || !self.course.failed() {
            return Ok(None);
        }
        let turn = &self.node.turn;
        let used = |id: AskId| id < self.round.since;
        let skips = self.course.skips;
        let is_use = |ask: &&Ask| {
            ask.kind == record::corrected() || ask.kind == record::omission() || record::leaves_out(ask, skips)
        };
        let uses = turn.asks.iter().filter(|ask| used(ask.id)).filter(is_use).count();
        let taken = Corrective::taken(turn, self.node.document(&record::prompt_id()).map(AsRef::as_ref));
        match taken.filter(|_| record::taken(turn) > uses || self.cx.samples.is_some()) {
            Some(taken) => Ok(Some(taken)),
            None => Err(Box::new(self.corrective())),
        }
    }

    /// Offers the corrective prompt of the failure at hand.
    fn corrective(&self) -> Step {
        let vetoed = record::prompts(&self.node.turn).filter_map(Corrective::of).rfind(|prompt| prompt.veto);
        if let Some(vetoed) = vetoed {
            return offer(&Corrective { after: self.cx.session.next_ask(), ..vetoed });
        }
        let Some(refusal) = failure::refused(self.cx, self.node, self.settings.words) else {
            return Step::Stuck("nothing says why the step failed; type the correction".to_owned());
        };
        // The step as the plan has it, whatever the world calls what it found.
        let step = self.course.attempts.last().map_or(refusal.step.clone(), |last| last.step.clone());
        match prompt::corrective(self.cx, &Refusal { step, ..refusal }, None) {
            Ok(corrective) => offer(&corrective),
            Err(why) => Step::Error(why),
        }
    }

    /// The candidates left after a refusal, where the method tries them one after the other; `None` where sentences are due.
    fn resampled(&self) -> Option<Step> {
        if self.method.on_error != OnError::Resample || self.node.outcome.error.is_none() || self.newest().is_some() {
            return None;
        }
        let path = self.cx.path();
        let from = path.iter().nth_back(1)?;
        let ask = from.turn.asks.iter().rfind(|ask| is_translation(&ask.kind))?;
        let taken = decided(from, self.node).and_then(|decision| from.turn.proposal(decision.proposal()));
        let taken = taken.and_then(|proposal| record::place(&from.turn, proposal)).unwrap_or_default();
        let mut left = record::candidates(ask);
        if taken < left.len() {
            left.remove(taken);
        }
        if !left.is_empty() {
            return Some(self.own(record::corrected(), left.len(), &Work::Again { left }));
        }
        if self.samples_each() {
            return None;
        }
        let refused = path.iter().rev().take_while(|node| node.outcome.error.is_some()).count();
        Some(stopped(&format!("none of the {refused} candidates can be done")))
    }

    /// Whether each sample stands for its own step, and the same is asked again once all are refused.
    fn samples_each(&self) -> bool {
        let program = self.settings.resampling == Resampling::Program;
        self.method.on_error == OnError::Resample && program && self.cx.model.language
    }

    /// A language model writes sentences, which are translated.
    fn by_model(&self, newest: Option<&Ask>, example: &str, failed: Option<&Corrective>) -> Step {
        let kind = if failed.is_some() { record::correction() } else { AskKind::SAMPLES };
        if let Some(ask) = newest.filter(|ask| ask.kind == kind && self.cx.samples.is_none()) {
            let raw = record::is_raw(ask);
            let reader = match (self.method.reader(&self.settings, raw, &self.course), failed) {
                (Reader::Evaluation { .. }, Some(_)) => Reader::Evaluation { whole: true },
                (reader, _) => reader,
            };
            let begun = failed.filter(|_| raw).map_or("", |failed| written(failed));
            let samples = record::samples(ask, reader, begun);
            if let Some(stop) = finished(&samples, self.settings.finished) {
                return stopped(&stop.to_string());
            }
            let kind = if failed.is_some() { record::corrected() } else { record::translation() };
            return self.translate(kind, samples, raw);
        }
        let all = self.method.on_error == OnError::GoOn;
        let numbers = self.settings.of == Loop::Evaluation && !self.course.steps(all).is_empty();
        match prompt::plan(self.cx, example, &self.course, (all, numbers), failed) {
            Ok(prompt) => {
                let n = self.cx.samples.unwrap_or(self.settings.samples);
                Step::ask(self.cx.ask(
                    kind,
                    prompt,
                    n,
                    self.cx.temperature(options::STEP, Some(self.settings.temperature)),
                ))
            }
            Err(why) => Step::Error(why),
        }
    }

    fn translate(&self, kind: AskKind, samples: Vec<Sample>, raw: bool) -> Step {
        let each = self.samples_each();
        let most = if each { samples.len() } else { self.cx.options().count(&options::NEIGHBOURS) as usize };
        let settings = match (self.cx.model.language, raw) {
            (true, true) => self.settings,
            (true, false) => Settings { plain: false, ..self.settings },
            // The lines of a fitted example may repeat each other.
            (false, _) => Settings { of: Loop::Notebook, repeated: 0.0, tried: 0.0, plain: false, ..self.settings },
        };
        // What a language model writes is translated wherever the world has words for its steps. What is an action otherwise, or was
        // written in the world's own words without a language model, is taken as it is.
        let is_action = |sample: &Sample| match self.cx.world.language() {
            Some(language) => !self.cx.model.language && language.text_of_words(&sample.sentence).is_some(),
            None => self.cx.world.call_of(&sample.sentence).is_some(),
        };
        let last = self.course.attempts.last().map(|attempt| attempt.step.clone());
        let mut tried = self.course.steps(settings.seen == Seen::Tried);
        tried.extend(last.clone().filter(|_| settings.seen == Seen::DoneOrLast));
        let work = Work::Translate {
            exact: samples.iter().map(is_action).collect(),
            samples,
            costly: Costly { last, tried },
            most,
            each,
            written: self.cx.options().is(&options::TRANSLATION, "off"),
            words: self.cx.world.language().is_some(),
            settings,
        };
        self.own(kind, most, &work)
    }

    /// Without a language model: the fitted example's next line; after an error the world's own correction, or what a person wrote behind
    /// the corrective prompt.
    fn by_rule(&self, found: &Found, failed: Option<&Corrective>) -> Step {
        let sample = |sentence: &str| vec![Reader::Notebook.sample(sentence, None)];
        let Some(language) = self.cx.world.language() else { return self.by_agent(failed) };
        let Some(failed) = failed else {
            return match found.fitted.get(self.course.line) {
                Some(line) => self.translate(record::translation(), sample(line), false),
                None => stopped(&self.over(found)),
            };
        };
        let written = written(failed);
        if !written.is_empty() {
            return self.translate(record::corrected(), sample(written), false);
        }
        let text = match (&self.node.action, failed.veto) {
            (Some(action), false) => Some(action.text.clone()),
            _ => language.text_of_words(&failed.step),
        };
        let correction = text.and_then(|text| language.correction(&text, self.informed()));
        // By the step alone there is one thing to try.
        let most = if self.informed() { IN_VAIN } else { 1 };
        match correction.filter(|_| self.course.in_vain() < most) {
            Some(Correction::First(step)) => self.translate(record::corrected(), sample(&step), false),
            Some(Correction::Drop) | None => self.own(record::omission(), 1, &Work::Omit { step: failed.step.clone() }),
        }
    }

    /// Whether the cause of an error may be used, or the step that failed alone.
    fn informed(&self) -> bool {
        self.cx.options().is(&options::INFORMATION, "cause")
    }

    fn over(&self, found: &Found) -> String {
        match found.fitted.len() {
            0 => "there is no example to go by; name a language model, or type an action".to_owned(),
            n => format!("the plan fitted from `{}` is done, {}", found.from, stepwright_text::words::count(n, "step")),
        }
    }

    /// The built-in agent says what comes next, where the world has no words for its steps.
    fn by_agent(&self, failed: Option<&Corrective>) -> Step {
        let refused = |node: &Node| node.action.as_ref()?.call.as_deref()?.parse::<Call>().ok();
        let refused: Vec<Call> = if failed.is_some() || self.node.outcome.error.is_some() {
            refused(self.node).into_iter().collect()
        } else {
            Vec::new()
        };
        let most = self.cx.options().count(&options::NEIGHBOURS) as usize;
        let kind = if failed.is_some() { record::corrected() } else { record::translation() };
        self.own(kind, most, &Work::Agent { most, refused })
    }

    /// The best candidate; or why generation stops; or a corrective prompt where an assertion keeps it from being tried.
    fn recommend(&self, ask: &Ask) -> Step {
        let turn = &self.node.turn;
        let offered: Vec<_> = self.round.proposals().filter(|p| p.ask == Some(ask.id)).collect();
        let Some(best) = offered.iter().find(|p| p.action.is_some()) else {
            return stopped("no admissible step is near to what was written");
        };
        // What is tried next of the same samples was weighed with them.
        let again = self.method.on_error == OnError::Resample && ask.kind == record::corrected();
        let cutoff = self.settings.cutoff.filter(|_| self.cx.model.language && !again);
        if let Some(stop) = best.score.and_then(|score| below(score, cutoff)) {
            return stopped(&stop.to_string());
        }
        let verdict = turn.verdicts.get(&best.id).filter(|verdict| verdict.preconditions() == Mark::Fails);
        if let Some(verdict) = verdict.filter(|_| self.method.corrects() && self.cx.options().is(&options::VETO, "on"))
        {
            let step = record::candidate(turn, best).map(|o| stepwright_plan::written::spelled(&o.candidate.step));
            let step = step.unwrap_or_else(|| best.raw.clone());
            let kept = best.action.as_ref().map_or(step.as_str(), |action| action.text.as_str());
            let corrective =
                failure::vetoed(verdict, &step).map(|refusal| prompt::corrective(self.cx, &refusal, Some(kept)));
            match corrective {
                Some(Ok(corrective)) => return offer(&corrective),
                Some(Err(why)) => return Step::Error(why),
                None => {}
            }
        }
        let why = match (ask.kind == record::corrected(), self.cx.model.language) {
            (true, _) if self.method.on_error == OnError::Resample => "the next best candidate",
            (true, true) => "the correction with the highest score",
            (true, false) if self.informed() => "the correction by the world's own rules",
            (true, false) => "the correction by the step alone",
            (false, true) => "the highest score",
            (false, false) => "the next step of the plan",
        };
        let borrows = ask.kind == record::translation() && !self.cx.model.language;
        let stand_in = if borrows { stand_in(self.cx) } else { None };
        recommended(Some(best.id), stand_in.as_deref().unwrap_or(why))
    }
}

/// The end of corrective prompts; a person may write the correction behind it.
const ENDING: &str = "A correct step would be to";

/// What a person wrote behind the corrective prompt.
fn written(failed: &Corrective) -> &str {
    failed.prompt.rsplit_once(ENDING).map(|(_, written)| written.trim()).unwrap_or_default()
}

fn is_translation(kind: &AskKind) -> bool {
    *kind == record::translation() || *kind == record::corrected()
}

fn recommended(proposal: Option<ProposalId>, why: &str) -> Step {
    Step::Recommend { proposal, why: why.to_owned() }
}

fn stopped(why: &str) -> Step {
    recommended(None, &format!("generation has stopped: {why}"))
}

/// The corrective prompt, to be decided about before it is sent.
fn offer(corrective: &Corrective) -> Step {
    let kind = corrective.kind.replace('_', " ");
    let title = format!("{}: {kind} (type {}), {}", corrective.step, corrective.number, corrective.reason);
    Step::Amend(Box::new(Written {
        artifact: record::prompt_id(),
        due: None,
        title,
        raw: corrective.prompt.clone(),
        repairs: Vec::new(),
        value: serde_json::to_value(corrective).ok().map(Arc::new),
        problem: None,
    }))
}

/// That what is followed is the plan of another task, in words, where it is.
pub fn stand_in(cx: &Context<'_>) -> Option<String> {
    record::example(&cx.path())?.1.stands_in(&prompt::task(cx))
}
