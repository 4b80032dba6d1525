//! Selecting from the blocking tree: the built-in selector's ranking, a language model's prompt and answer, loops.
//!
//! The prompt has the paper's eight parts (`prompts/blocking/`). An answer that names no candidate is asked for again with a note;
//! so is one that would go round in a circle once more.

use serde::Serialize;

use super::prompting::CHARS_A_TOKEN;
use super::scoring::Candidate;
use super::setup::{SYMBOLIC, Source};
use super::task::Driver;
use super::{Level, checking};
use crate::blocking::{Growth, selector::RankedLeaf};
use crate::episode::AskKind;
use crate::episode::gate::{Advice, AskSpec, Draft, Report};
use crate::episode::{
    Action, AskId, AskState, Check, CheckKind, Node, Origin, PromptMessage, PromptRecord, Session, Status, StepOutcome,
    Verdict,
};
use crate::method::blocking::{MARK, selected};
use crate::method::{Conversation, Next, Round, Selecting};
use crate::model::{Completion, ModelRequest};

/// Actions the prompt shows of those taken.
const LAST: usize = 5;
/// Tokens of an answer: the paper's.
const ANSWER: u32 = 1000;

/// The built-in selector's ranking, to be reported.
pub(super) struct Ranking {
    pub(super) ask: AskId,
    drafts: Vec<Draft>,
    further: bool,
}

impl Ranking {
    /// What to tell the person who asked for more.
    pub(super) fn remark(&self) -> Option<String> {
        self.further.then(|| "every candidate is offered already; type an action to leave the tree".to_owned())
    }

    /// As a report to the gate.
    pub(super) fn report(self) -> Report {
        let texts = self.drafts.iter().map(|d| d.raw.clone()).collect();
        Report::Answered { ask: self.ask, texts, usage: None, ms: 0, drafts: self.drafts }
    }
}

/// The variables of the templates.
#[derive(Serialize)]
struct Context<'a> {
    task: &'a str,
    about: &'a str,
    last: Vec<Taken>,
    done: Vec<String>,
    candidates: &'a [String],
    goals: Vec<String>,
    failures: Vec<String>,
    mark: &'a str,
    scored: bool,
}

/// An action taken, and what came of it.
#[derive(Serialize)]
struct Taken {
    action: String,
    result: String,
}

/// A chat answer may reason first.
pub(super) fn shape(request: &mut ModelRequest) {
    request.max_tokens = request.max_tokens.max(ANSWER);
    request.stop.clear();
    // A raw completion ends with its selection; a chat model's answer is read whole.
    if request.messages.iter().any(|m| m.role == "text") {
        request.stop = vec!["\n\n".to_owned()];
    }
}

fn result_of(outcome: &StepOutcome) -> String {
    match (&outcome.blocked, &outcome.error) {
        (Some(condition), _) => format!("blocked: {condition}"),
        (None, Some(error)) => format!("failed: {error}"),
        (None, None) => "done".to_owned(),
    }
}

/// The action that the last steps go round with, if they do: one taken twice running, or two in turn.
fn circle(path: &[&Node]) -> Option<String> {
    let mut last = path.iter().rev().map(|node| {
        let text = node.action.as_ref().map(|a| a.text.as_str());
        text.filter(|_| node.outcome.blocked.is_none())
    });
    let [a, b, c, d] =
        [last.next()??, last.next()??, last.next().flatten().unwrap_or(""), last.next().flatten().unwrap_or("")];
    match a == b {
        true => Some(a.to_owned()),
        false => (a == c && b == d).then(|| b.to_owned()),
    }
}

impl Driver {
    fn leaves(&self) -> Vec<String> {
        let leaves = self.points.growth.as_ref().map(|growth| growth.forest().leaves());
        leaves.into_iter().flatten().map(|leaf| leaf.text.clone()).collect()
    }

    fn action(&self, text: &str) -> Action {
        let call = self.points.world.call_of(text).map(|c| c.to_string());
        Action { text: text.to_owned(), call }
    }

    /// The candidate that would go round in a circle once more, where there is another.
    fn circling(&self, leaves: &[String]) -> Option<String> {
        let session = self.gate.session();
        circle(&session.path(session.cursor())).filter(|text| leaves.len() > 1 && leaves.contains(text))
    }

    /// Asks the method what comes next among the leaves.
    pub(super) fn consult_tree(&mut self, round: AskId, samples: Option<u32>) -> Advice {
        self.derive_tree();
        let session = self.gate.session();
        let Some(node) = session.current() else { return Advice::Stuck("the episode has not begun".into()) };
        let Some(growth) = &self.points.growth else { return Advice::Stuck(self.why_no_tree()) };
        let leaves = self.leaves();
        let empty = || leaves.is_empty().then(|| "no candidate is left in the blocking tree".to_owned());
        if let Some(why) = growth.helpless().or_else(|| leaves.is_empty().then(|| growth.spent())?).or_else(empty) {
            return Advice::Stuck(format!("{why}; type an action, or go back"));
        }
        let next = match samples {
            Some(n) => Next::Samples(n),
            None => self.method.next(Round { turn: &node.turn, since: round }),
        };
        if let Next::Recommend { proposal, why } = next {
            return Advice::Recommend { proposal, why };
        }
        let n = u32::try_from(leaves.len()).unwrap_or(u32::MAX);
        let Source::Language { model, .. } = &self.source else {
            let kind = if samples.is_some() { AskKind::FURTHER } else { AskKind::RANKED };
            let model = self.source.name();
            return Advice::Ask(AskSpec { kind, model, prompt: None, n, temperature: 0.0 });
        };
        if let ([_], None) = (leaves.as_slice(), samples) {
            // There is nothing to ask.
            let model = SYMBOLIC.to_owned();
            return Advice::Ask(AskSpec { kind: AskKind::RANKED, model, prompt: None, n, temperature: 0.0 });
        }
        let temperature = model.temperature().unwrap_or_else(|| self.method.temperature());
        let scored = samples.is_none() && self.prompting.options.selecting == Selecting::Scored;
        let (kind, n, temperature) = match (next, scored) {
            (_, true) => (AskKind::SCORED, n, 0.0),
            (Next::Samples(n), false) => (AskKind::SAMPLES, n, temperature),
            _ => (AskKind::SAMPLES, 1, temperature),
        };
        if let Some(text) = self.circling(&leaves) {
            self.say(
                Level::Warning,
                format!("the last selections go round in a circle: `{text}` is not taken once more"),
            );
        }
        match self.selection_prompt(round, &leaves, scored) {
            Err(why) => Advice::Stuck(why),
            Ok(prompt) => {
                let model = self.source.name();
                Advice::Ask(AskSpec { kind, model, prompt: Some(prompt), n, temperature })
            }
        }
    }

    /// The leaves as the built-in selector ranks them.
    pub(super) fn rank_leaves(&self, ask: AskId, spec: &AskSpec) -> Ranking {
        let further = spec.kind == AskKind::FURTHER;
        let growth = self.points.growth.as_ref();
        let facts = growth.and_then(|growth| growth.facts(self.points.world.as_ref()));
        let (Some(growth), Some(facts)) = (growth, facts) else {
            return Ranking { ask, drafts: Vec::new(), further };
        };
        let ranked = if further { Vec::new() } else { growth.rank(&facts, self.gate.session().header.seed) };
        let draft = |leaf: RankedLeaf| Draft {
            raw: leaf.text.clone(),
            action: Some(self.action(&leaf.text)),
            problem: None,
            origin: Origin::Symbolic,
            // What the selector reckons with has no unit that a person could read; the order and the reason are told.
            score: None,
            logprob: None,
            rationale: Some(rationale(growth, &leaf)),
        };
        Ranking { ask, drafts: ranked.into_iter().map(draft).collect(), further }
    }

    /// The leaves as they are scored behind the prompt.
    pub(super) fn leaves_to_score(&self) -> Vec<Candidate> {
        let leaves = self.leaves();
        let circling = self.circling(&leaves);
        let kept = leaves.iter().filter(|text| Some(*text) != circling.as_ref());
        kept.map(|text| Candidate::new(format!("{text} {MARK}"), self.action(text))).collect()
    }

    /// Reads an answer as a selection.
    pub(super) fn read_selection(&self, completion: &Completion) -> Draft {
        let raw = completion.text.clone();
        let leaves = self.leaves();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let found = match selected(&raw).map(words) {
            None => Err(format!("Unparsable: the answer has no {MARK} action {MARK}")),
            Some(text) => match leaves.iter().find(|leaf| words(leaf) == text) {
                None => Err(format!("NotACandidate: `{text}` is not in the list of candidate actions")),
                Some(leaf) if self.circling(&leaves).as_ref() == Some(leaf) => {
                    Err(format!("Circle: `{leaf}` was selected again and again; another one is needed"))
                }
                Some(leaf) => Ok(leaf.clone()),
            },
        };
        let (action, problem) = match found {
            Ok(leaf) => (Some(self.action(&leaf)), None),
            Err(problem) => (None, Some(problem)),
        };
        let rationale = raw.split_once(MARK).map(|(before, _)| before.trim().to_owned()).filter(|t| !t.is_empty());
        Draft {
            raw,
            action,
            problem,
            origin: Origin::Sample,
            score: None,
            logprob: completion.mean_logprob(),
            rationale,
        }
    }

    /// The prompt of the eight parts; as one conversation where the option says so.
    fn selection_prompt(&self, round: AskId, leaves: &[String], scored: bool) -> Result<PromptRecord, String> {
        let session = self.gate.session();
        let path = session.path(session.cursor());
        let growth = self.points.growth.as_ref().ok_or("the world has no blocking domain")?;
        let domain = growth.domain();
        let taken: Vec<Taken> = path
            .iter()
            .filter_map(|n| Some(Taken { action: n.action.as_ref()?.text.clone(), result: result_of(&n.outcome) }))
            .collect();
        let atoms = |atoms: &[crate::world::Atom]| atoms.iter().map(|a| domain.spoken(&a.to_string())).collect();
        let context = Context {
            task: &session.header.sentence,
            about: &domain.about,
            last: taken.into_iter().rev().take(LAST).rev().collect(),
            done: atoms(growth.forest().done()),
            candidates: leaves,
            goals: atoms(growth.forest().goals()),
            failures: self.failures(round, leaves),
            mark: MARK,
            scored,
        };
        let raw = self.prompting.raw || scored;
        let name = if raw { "blocking/select" } else { "blocking/select_chat" };
        let mut prompt = self.prompting.render(name, &context)?;
        if self.prompting.options.conversation == Conversation::Running && !raw {
            self.continue_conversation(session, &path, &mut prompt);
        }
        Ok(prompt)
    }

    /// What went wrong last: the world's error or the condition of the last step, answers of this round, a circle.
    fn failures(&self, round: AskId, leaves: &[String]) -> Vec<String> {
        let Some(node) = self.gate.session().current() else { return Vec::new() };
        let mut failures = Vec::new();
        if let Some(action) = &node.action
            && (node.outcome.error.is_some() || node.outcome.blocked.is_some())
        {
            failures.push(format!("`{}` {}", action.text, result_of(&node.outcome)));
        }
        let answers = node.turn.proposals.iter().filter(|p| p.ask.is_some_and(|ask| ask >= round));
        failures.extend(answers.filter_map(|p| p.problem.clone()));
        failures.extend(node.turn.decisions.iter().filter_map(|d| match &d.choice {
            crate::episode::Choice::Reject { proposal, reason } => {
                let text = node.turn.proposal(*proposal)?.action.as_ref()?.text.clone();
                let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
                Some(format!("a person who supervises you refused `{text}`{reason}"))
            }
            _ => None,
        }));
        if let Some(text) = self.circling(leaves) {
            failures.push(format!("`{text}` was selected again and again without getting anywhere; select another"));
        }
        failures
    }

    /// Puts the prompts and answers so far before a prompt: as many of the last as fit.
    fn continue_conversation(&self, session: &Session, path: &[&Node], prompt: &mut PromptRecord) {
        let mut before: Vec<[PromptMessage; 2]> = Vec::new();
        for node in path {
            for ask in node.turn.asks.iter().filter(|a| a.kind == AskKind::SAMPLES) {
                let (Some(asked), AskState::Answered { texts, .. }) = (&ask.prompt, &ask.state) else { continue };
                let question = asked.messages.iter().rev().find(|m| m.role == "user");
                if let (Some(question), Some(answer)) = (question, texts.first()) {
                    before.push([question.clone(), PromptMessage { role: "assistant".into(), text: answer.clone() }]);
                }
            }
        }
        let length = |messages: &[PromptMessage]| messages.iter().map(|m| m.text.chars().count()).sum::<usize>();
        let answer = usize::try_from(ANSWER).unwrap_or_default();
        let room = self.prompting.context.map(|tokens| {
            let chars = tokens.saturating_sub(answer) as f64 * CHARS_A_TOKEN;
            (chars as usize).saturating_sub(length(&prompt.messages))
        });
        let (all, mut left) = (before.len(), room.unwrap_or(usize::MAX));
        let fits = before.iter().rev().take_while(|turn| {
            let fits = length(turn.as_slice()) <= left;
            left = left.saturating_sub(length(turn.as_slice()));
            fits
        });
        let kept = fits.count();
        let history = before.into_iter().skip(all - kept).flatten();
        let at = prompt.messages.iter().position(|m| m.role == "user").unwrap_or_default();
        prompt.messages.splice(at..at, history);
        if kept < all {
            let number = session.path(session.cursor()).len();
            prompt.left_out =
                Some(format!("the first {} of {all} selections of {number} steps do not fit", all - kept));
        }
    }

    /// What can be said of an action before it is taken. Of one that was offered by the blocking tree, what blocks it.
    pub(super) fn verdict(&self, action: &Action, offered: bool) -> Verdict {
        if self.method.coding().is_some() && action.call.is_none() {
            return self.program_verdict(&action.text);
        }
        let (world, points) = (self.points.world.as_ref(), &self.points);
        let own = || checking::check(world, &self.mind, &points.state, action);
        let growth = points
            .growth
            .as_ref()
            .filter(|g| offered && self.method.selects_leaves() && g.forest().leaf(&action.text).is_some());
        let Some(growth) = growth else { return own() };
        let Some(facts) = growth.facts(world) else { return own() };
        let check = |condition: String, status, detail| Check { kind: CheckKind::Blocking, condition, status, detail };
        match growth.blocking(&action.text, &facts) {
            Some((condition, resolution)) => {
                let domain = growth.domain();
                let made =
                    resolution.map_or_else(String::new, |r| format!(" what makes `{}` true", domain.recorded(&r)));
                let detail = format!("it is not executed; selecting it grows{made}");
                Verdict {
                    checks: vec![check(domain.recorded(&condition), Status::Fails, Some(detail))],
                    ..Verdict::default()
                }
            }
            None => {
                let mut verdict = own();
                verdict.checks.insert(0, check("nothing blocks it".to_owned(), Status::Holds, None));
                verdict
            }
        }
    }

    /// Says what a selection came to, where it was not executed or was the last one.
    pub(super) fn tell_selection(&self, text: &str, outcome: &StepOutcome) {
        if let Some(condition) = &outcome.blocked {
            self.say(Level::Info, format!("`{text}` is blocked ({condition}): the tree grew what may resolve it"));
        }
        if let Some(why) = &outcome.ended {
            self.say(Level::Warning, format!("{why}: the episode has failed"));
        }
    }
}

/// Why a leaf stands where it does, and how it leads to a goal.
fn rationale(growth: &Growth, leaf: &RankedLeaf) -> String {
    let way = growth.forest().reason(growth.domain(), &leaf.text).unwrap_or_default();
    if way.is_empty() { leaf.why.clone() } else { format!("{}; {way}", leaf.why) }
}
