//! Built-in proposer of candidates: no language model. Says what the grammar can say of an action and leaves out what holds
//! at its calls by coincidence only (see `evidence`). May use the demonstrations and the specification's functions, never the
//! specification's assertions.

use super::demonstrations::Demonstrations;
use super::evidence::{Calls, Hypothesis, convincing};
use super::grammar::{Sentence, either};
use super::instance_set::InstanceSet;
use super::instances::{Evaluation, Instances, NoVerdict};
use super::vocabulary::vocabulary;
use stepwright_program::Assertion;

/// The built-in proposer's offer for an action.
#[derive(Debug, Clone, Default)]
pub struct Enumerated {
    /// The candidates, simplest first, with their evaluation.
    pub candidates: Vec<Proposed>,
    /// Assertions that hold at every call but are no more than coincidence as far as the demonstrations show.
    pub withheld: Vec<Proposed>,
}

#[derive(Debug, Clone)]
pub struct Proposed {
    pub assertion: Assertion,
    pub evaluation: Result<Evaluation, NoVerdict>,
}

/// Most candidates offered for one action.
const MOST: usize = 400;
/// Of disjunctions that the chosen ones imply, so many are shown.
const IMPLIED_DISJUNCTIONS: usize = 16;
/// Most literals that are tried in pairs.
const PAIRED: usize = 160;

/// Enumerates the candidates of an action. `report_progress` receives how many literals are done and of how many; it ends the work by
/// answering false.
pub fn enumerate(
    demos: &Demonstrations,
    instances: &Instances,
    mut report_progress: impl FnMut(usize, usize) -> bool,
) -> Option<Enumerated> {
    let sentences = vocabulary(demos, instances).literals();
    let mut tried: Vec<(Sentence, Proposed)> = Vec::with_capacity(sentences.len());
    let total = sentences.len();
    for (at, sentence) in sentences.into_iter().enumerate() {
        if !report_progress(at, total) {
            return None;
        }
        if tried.iter().any(|(s, _)| s.text == sentence.text) {
            continue;
        }
        if let Ok(assertion) = instances.read(&sentence.text) {
            let denied = || tried.last()?.1.evaluation.as_ref().ok()?.denied();
            let known = if sentence.denial { denied() } else { None };
            let evaluation = known.map_or_else(|| instances.evaluate(demos, &assertion), Ok);
            tried.push((sentence, Proposed { assertion, evaluation }));
        }
    }
    Some(choose(demos, instances, tried))
}

/// Where the action is called with the arguments it is called with.
fn called(demos: &Demonstrations, instances: &Instances) -> InstanceSet {
    let mut called = InstanceSet::none(instances.len());
    for (at, step) in demos.steps.iter().enumerate() {
        let Some(call) = demos.call(step).filter(|_| instances.calls.contains(step)) else { continue };
        if let Some(binding) = instances.bindings.iter().position(|b| *b == call.args) {
            called.insert(at * instances.bindings.len() + binding);
        }
    }
    called
}

fn choose(demos: &Demonstrations, instances: &Instances, tried: Vec<(Sentence, Proposed)>) -> Enumerated {
    let universe = instances.len();
    let called = called(demos, instances);
    let holds = |set: &InstanceSet| called.is_subset(set);
    let set_of = |proposed: &Proposed| proposed.evaluation.as_ref().ok().map(|e| e.set.clone());

    // Literals that hold at every call, and disjunctions of two that do not.
    let mut sentences: Vec<(Sentence, InstanceSet)> = Vec::new();
    let mut partial: Vec<(&Sentence, &InstanceSet)> = Vec::new();
    for (sentence, proposed) in &tried {
        let Ok(evaluation) = &proposed.evaluation else { continue };
        if holds(&evaluation.set) {
            sentences.push((sentence.clone(), evaluation.set.clone()));
        } else if sentence.basic && evaluation.set.count_common(&called) > 0 && partial.len() < PAIRED {
            partial.push((sentence, &evaluation.set));
        }
    }
    let literals = sentences.len();
    for (at, (one, a)) in partial.iter().enumerate() {
        for (other, b) in partial.iter().skip(at + 1) {
            let mut set = (*a).clone();
            set.unite(b);
            if holds(&set) && set.count() < universe {
                sentences.push((either(one, other), set));
            }
        }
    }

    let calls = Calls::of(demos, instances);
    let hypotheses: Vec<Hypothesis<'_>> = sentences
        .iter()
        .map(|(sentence, set)| Hypothesis { set, weight: calls.weight(set), prior: sentence.prior })
        .collect();
    let chosen = convincing(&calls.early, &hypotheses);
    let believed: Vec<&InstanceSet> = chosen.iter().filter_map(|at| sentences.get(*at)).map(|(_, set)| set).collect();
    // What one chosen assertion implies narrows nothing and is never optimal beside it.
    let implied = |set: &InstanceSet| set.count() == universe || believed.iter().any(|chosen| chosen.is_subset(set));

    // What is offered: all that fails (its reason is worth seeing), and of what is valid only what the chosen imply.
    let mut enumerated = Enumerated::default();
    for (_, proposed) in tried {
        match set_of(&proposed) {
            Some(set) if holds(&set) && !implied(&set) => enumerated.withheld.push(proposed),
            _ => enumerated.candidates.push(proposed),
        }
    }
    let mut disjunctions: Vec<(usize, &(Sentence, InstanceSet))> =
        sentences.iter().enumerate().skip(literals).filter(|(_, (_, set))| implied(set)).collect();
    disjunctions.sort_by_key(|(at, (_, set))| (!chosen.contains(at), set.count()));
    let own = disjunctions.iter().filter(|(at, _)| chosen.contains(at)).count();
    disjunctions.truncate(own + IMPLIED_DISJUNCTIONS);
    enumerated.candidates.truncate(MOST - disjunctions.len().min(MOST));
    for (_, (sentence, _)) in disjunctions {
        if let Ok(assertion) = instances.read(&sentence.text) {
            let evaluation = instances.evaluate(demos, &assertion);
            enumerated.candidates.push(Proposed { assertion, evaluation });
        }
    }
    enumerated
}
