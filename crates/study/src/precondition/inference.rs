//! Infers the preconditions of an action: by the built-in enumerator, or from what a language model writes.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::super::runner::remark;
use super::result::{Approach, Choice};
use super::subject::Subject;
use stepwright_model::prompt::Prompts;
use stepwright_model::{Completion, LanguageModel, ModelRequest, ask};
use stepwright_precondition::{
    CHAT_TEMPLATE, COMPLETION_TEMPLATE, COMPLETION_TOKENS, CandidateContext, CandidateStore, Ranking, Validity,
    Written, completion_stops, read_completion,
};

#[derive(Debug, Clone)]
pub enum Origin {
    Symbolic,
    Language(Asking),
}

#[derive(Clone)]
pub struct Asking {
    pub model: Arc<dyn LanguageModel>,
    pub prompts: Prompts,
    /// Random samples of each demonstration's prompt.
    pub samples: u32,
    pub temperature: f64,
}

impl std::fmt::Debug for Asking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} samples of {}", self.samples, self.model.info().name)
    }
}

#[derive(Debug, Clone)]
pub(super) struct Inferred {
    pub(super) approach: Approach,
    pub(super) choice: Choice,
    pub(super) assertions: Vec<String>,
    pub(super) candidates: usize,
    pub(super) valid: usize,
    pub(super) asks: u32,
    pub(super) prompt_tokens: u64,
    pub(super) completion_tokens: u64,
    pub(super) error: Option<String>,
}

impl Inferred {
    pub(super) fn nothing(approach: Approach) -> Self {
        Inferred {
            approach,
            choice: Choice::All,
            assertions: Vec::new(),
            candidates: 0,
            valid: 0,
            asks: 0,
            prompt_tokens: 0,
            completion_tokens: 0,
            error: None,
        }
    }

    /// A model's, that failed: what was spent before was spent.
    fn failed(approach: Approach, why: String) -> Self {
        Inferred { error: Some(why), ..Inferred::nothing(approach) }
    }

    fn suggested(self, store: &CandidateStore, action: &str, ranking: Ranking) -> Result<Self, String> {
        let pool = store.pool(action).map_err(|e| e.to_string())?;
        let valid = pool.candidates.iter().filter(|c| c.fate == Validity::Valid).count();
        Ok(Inferred { assertions: store.suggested(action, ranking), candidates: pool.candidates.len(), valid, ..self })
    }
}

/// By the built-in enumerator: its candidates by Equation (1) alone, and by the evidence rule.
pub(super) fn enumerated(subject: &Subject, action: &str) -> Result<Vec<Inferred>, String> {
    let mut store = subject.store.clone();
    store.enumerate(action, |_, _| true).map_err(|e| e.to_string())?;
    let by = |approach, ranking| Inferred::nothing(approach).suggested(&store, action, ranking);
    Ok(vec![by(Approach::Equation, Ranking::EquationOne)?, by(Approach::Enumerated, Ranking::Evidence)?])
}

impl Origin {
    /// The approach whose result stands for a unit. A model's two results come together; the second stands for both.
    pub(super) fn approach(&self) -> Approach {
        match self {
            Origin::Symbolic => Approach::Enumerated,
            Origin::Language(_) => Approach::Validated,
        }
    }

    /// The rankings that are compared: none, the paper's, and of the enumerator's candidates the evidence rule, which holds back none that a
    /// model wrote.
    fn rankings(&self) -> &'static [(Approach, Option<Ranking>)] {
        match self {
            Origin::Symbolic => &[
                (Approach::Unranked, None),
                (Approach::Equation, Some(Ranking::EquationOne)),
                (Approach::Enumerated, Some(Ranking::Evidence)),
            ],
            Origin::Language(_) => &[(Approach::Unranked, None), (Approach::Validated, Some(Ranking::EquationOne))],
        }
    }
}

/// The candidates of all actions of a subject, with what is chosen of them by a price, ranking by ranking: each alone, and together.
#[derive(Debug)]
pub(super) struct Filled {
    store: CandidateStore,
    spent: BTreeMap<String, Spent>,
    priced: Vec<[BTreeMap<String, Vec<String>>; 2]>,
}

/// Errors: why no candidates were had, and what was spent until then.
async fn fill(
    subject: &Subject,
    origin: &Origin,
    seed: u64,
    cancel: &CancellationToken,
) -> Result<Filled, (String, Spent)> {
    let (mut store, mut spent) = (subject.store.clone(), BTreeMap::new());
    let actions = subject.actions();
    if let Origin::Language(asking) = origin {
        let mut all = Spent::default();
        for action in &actions {
            let mut of = Spent::default();
            let taken = take_in(&mut store, action, asking, seed, cancel, &mut of).await;
            all.add(of);
            taken.map_err(|why| (why, all))?;
            spent.insert(action.clone(), of);
        }
    }
    let (enumerates, rankings) = (matches!(origin, Origin::Symbolic), origin.rankings());
    let work = move || {
        for action in actions.iter().filter(|_| enumerates) {
            store.enumerate(action, |_, _| true).map_err(|e| e.to_string())?;
        }
        let of = |ranking| [false, true].map(|together| store.priced(ranking, together));
        let priced = rankings.iter().map(|(_, ranking)| of(*ranking)).collect();
        Ok(Filled { store, spent, priced })
    };
    let filled = tokio::task::spawn_blocking(work).await.unwrap_or_else(|e| Err(e.to_string()));
    filled.map_err(|why| (why, Spent::default()))
}

/// The same candidates under each ranking: one action at a time, and the assertions of all actions chosen together.
pub(super) async fn ablated(
    (subject, filled): (&Subject, &OnceCell<Filled>),
    action: &str,
    origin: &Origin,
    seed: u64,
    cancel: &CancellationToken,
) -> Result<Vec<Inferred>, String> {
    let Filled { store, spent, priced } = match filled.get_or_try_init(|| fill(subject, origin, seed, cancel)).await {
        Ok(filled) => filled,
        Err((why, spent)) => return Ok(vec![spent.of(Inferred::failed(origin.approach(), why))]),
    };
    let spent = spent.get(action).copied().unwrap_or_default();
    let pool = store.pool(action).map_err(|e| e.to_string())?;
    let valid = pool.candidates.iter().chain(&pool.held_back).filter(|c| c.fate == Validity::Valid).count();
    let candidates = pool.candidates.len() + pool.held_back.len();
    let inferred = |approach, choice, assertions| {
        spent.of(Inferred { choice, assertions, candidates, valid, ..Inferred::nothing(approach) })
    };
    let mut all = Vec::new();
    for ((approach, ranking), [alone, together]) in origin.rankings().iter().zip(priced) {
        let left = ranking.map_or_else(|| store.unranked(action), |ranking| store.suggested(action, ranking));
        let priced = |of: &BTreeMap<String, Vec<String>>| of.get(action).cloned().unwrap_or_default();
        all.push(inferred(*approach, Choice::All, left));
        all.push(inferred(*approach, Choice::Alone, priced(alone)));
        all.push(inferred(*approach, Choice::Together, priced(together)));
    }
    Ok(all)
}

/// By a language model: what it writes greedily after the first demonstration that calls the action, taken as it is; and its
/// greedy and random completions after each such demonstration, validated and ranked.
pub(super) async fn asked(
    subject: &Subject,
    action: &str,
    asking: &Asking,
    seed: u64,
    cancel: &CancellationToken,
) -> Result<Vec<Inferred>, String> {
    let mut store = subject.store.clone();
    let mut spent = Spent::default();
    let written = take_in(&mut store, action, asking, seed, cancel, &mut spent).await;
    let validated = Inferred::nothing(Approach::Validated);
    match written {
        Ok(prompted) => Ok(vec![prompted, spent.of(validated.suggested(&store, action, Ranking::EquationOne)?)]),
        // Both tables are without it.
        Err(why) => Ok([Approach::Prompted, Approach::Validated]
            .map(|approach| spent.of(Inferred::failed(approach, why.clone())))
            .into()),
    }
}

/// Has a model write candidates of an action; what its first greedy completion alone gives. What it takes is added to `spent`.
async fn take_in(
    store: &mut CandidateStore,
    action: &str,
    asking: &Asking,
    seed: u64,
    cancel: &CancellationToken,
    spent: &mut Spent,
) -> Result<Inferred, String> {
    let calling = store.demonstrations().all.iter().enumerate();
    let calling: Vec<usize> =
        calling.filter(|(_, d)| d.calls.iter().any(|c| c.function == action)).map(|(at, _)| at).collect();
    let mut written: Vec<Written> = Vec::new();
    let mut prompted = Inferred::nothing(Approach::Prompted);
    for (number, demonstration) in calling.into_iter().enumerate() {
        let context = store.context(action, demonstration);
        let context =
            context.ok_or_else(|| format!("the specification cannot be shown without {action}'s assertions"))?;
        let greedy = asking.ask(&context, 1, 0.0, seed.wrapping_add(number as u64), spent, cancel).await?;
        let greedy: Vec<Written> = greedy.iter().flat_map(|c| read_completion(&c.text)).collect();
        if number == 0 {
            prompted.candidates = greedy.len();
            prompted.assertions = evaluable(store, action, &greedy)?;
            prompted = spent.of(prompted);
        }
        written.extend(greedy);
        if asking.samples > 0 {
            let sampled = asking
                .ask(&context, asking.samples, asking.temperature, seed.wrapping_add(number as u64), spent, cancel)
                .await?;
            written.extend(sampled.iter().flat_map(|c| read_completion(&c.text)));
        }
    }
    store.take_in(action, &written).map_err(|e| e.to_string())?;
    Ok(prompted)
}

/// Those of the lines that are assertions and can be evaluated at all; whether they hold in the demonstrations is not asked.
fn evaluable(store: &CandidateStore, action: &str, written: &[Written]) -> Result<Vec<String>, String> {
    let mut kept = Vec::new();
    for written in written {
        let Written::Candidate(text) = written else { continue };
        let judged = store.try_text(action, text).map_err(|e| e.to_string())?;
        if !matches!(judged.fate, Validity::Malformed { .. } | Validity::Unknown { .. }) {
            kept.push(text.clone());
        }
    }
    Ok(kept)
}

#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    asks: u32,
    prompt: u64,
    completion: u64,
}

impl Spent {
    fn add(&mut self, more: Spent) {
        self.asks += more.asks;
        self.prompt += more.prompt;
        self.completion += more.completion;
    }

    /// What was spent, with what came of it.
    fn of(self, inferred: Inferred) -> Inferred {
        let Spent { asks, prompt, completion } = self;
        Inferred { asks, prompt_tokens: prompt, completion_tokens: completion, ..inferred }
    }
}

impl Asking {
    /// Texts written for a context: greedily, then at random.
    pub async fn written(&self, context: &CandidateContext, seed: u64) -> Result<Vec<Written>, String> {
        let (mut spent, cancel) = (Spent::default(), CancellationToken::new());
        let mut all = self.ask(context, 1, 0.0, seed, &mut spent, &cancel).await?;
        if self.samples > 0 {
            all.extend(self.ask(context, self.samples, self.temperature, seed, &mut spent, &cancel).await?);
        }
        Ok(all.iter().flat_map(|completion| read_completion(&completion.text)).collect())
    }

    async fn ask(
        &self,
        context: &CandidateContext,
        n: u32,
        temperature: f64,
        seed: u64,
        spent: &mut Spent,
        cancel: &CancellationToken,
    ) -> Result<Vec<Completion>, String> {
        let raw = self.model.prefers_raw();
        let template = if raw { COMPLETION_TEMPLATE } else { CHAT_TEMPLATE };
        let rendered = self.prompts.render(template, context).map_err(|e| e.to_string())?;
        let request = ModelRequest {
            messages: rendered.messages,
            max_tokens: COMPLETION_TOKENS,
            temperature,
            n,
            stop: completion_stops(raw),
            seed: Some(seed),
            ..ModelRequest::default()
        };
        let asked = ask(&*self.model, &request, cancel).await;
        asked.remarks.iter().for_each(|text| remark(text));
        spent.asks += u32::from(asked.completions.is_ok());
        spent.prompt += asked.spent.prompt;
        spent.completion += asked.spent.completion;
        asked.completions.map_err(|e| e.to_string())
    }
}
