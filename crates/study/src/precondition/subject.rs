//! Subject of an inference of preconditions: a service, or the household, with its demonstrations and the episodes to score on.

use std::collections::BTreeMap;

use stepwright_precondition::{
    AdoptedAction, AdoptedSet, CandidateStore, Demo, DemonstrationError, Demonstrations, Instances, SecondTier, idle_in,
};
use stepwright_program::{Role, Specification};
use stepwright_sandbox::Trials;
use stepwright_world::demonstration::Demonstration;
use stepwright_worlds::dialogue::Source;

/// True assertions by action function, with where they come from in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    /// `the data`, a file's name, `the specification`.
    pub origin: String,
    pub assertions: BTreeMap<String, Vec<String>>,
}

impl Truth {
    /// The truth about a service in the data of a source.
    pub fn of_service(source: &Source, service: &str) -> Option<Self> {
        let assertions = source.ground_truth(service)?.into_iter().collect();
        Some(Truth { origin: "the data".to_owned(), assertions })
    }

    /// What a file states of the actions of a specification; beside it the names in the file that are of none of them.
    /// Errors: all are, or a parameter has another name there than here: what is asserted of it would hold nowhere.
    pub fn of_set(
        set: &AdoptedSet,
        origin: &str,
        specification: &Specification,
    ) -> Result<(Self, Vec<String>), String> {
        let named = set.actions.iter().map(|AdoptedAction { action, params, .. }| (action.as_str(), params.as_slice()));
        let idle = idle_in(named, origin, std::slice::from_ref(specification))?;
        if idle.len() == set.actions.len() {
            let known = specification.functions().iter().filter(|f| f.role == Role::Action).map(|f| f.name.as_str());
            let known = known.collect::<Vec<_>>().join(", ");
            return Err(format!("{origin}: no action here is named there; there are {known}"));
        }
        let assertions = set.actions.iter().map(|a| (a.action.clone(), a.assertions.clone())).collect();
        Ok((Truth { origin: origin.to_owned(), assertions }, idle))
    }

    /// The assertions that a specification itself states.
    pub fn of_specification(specification: &Specification) -> Self {
        let actions = specification.functions().iter().filter(|f| f.role == Role::Action);
        let texts = actions.map(|f| (f.name.clone(), f.assertions.iter().map(|a| a.expression.clone()).collect()));
        Truth { origin: "the specification".to_owned(), assertions: texts.collect() }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SubjectError {
    #[error("{name}: there is no {what}")]
    Nothing { name: String, what: &'static str },
    #[error(transparent)]
    Specification(#[from] stepwright_program::ProgramError),
    #[error(transparent)]
    Demonstrations(#[from] DemonstrationError),
}

#[derive(Debug)]
pub struct Subject {
    /// `dialogue` or `household`.
    pub world: &'static str,
    pub name: String,
    pub(super) store: CandidateStore,
    /// The seed that the demonstrations were drawn by, where the data names none.
    pub seed: u64,
    pub(super) tests: Demonstrations,
    pub truth: Option<Truth>,
}

impl Subject {
    pub fn new(
        world: &'static str,
        name: &str,
        specification: &Specification,
        demonstrations: Vec<Demo>,
        tests: Vec<Demo>,
        truth: Option<Truth>,
    ) -> Result<Self, SubjectError> {
        let nothing = |what| SubjectError::Nothing { name: name.to_owned(), what };
        if demonstrations.is_empty() {
            return Err(nothing("demonstration to infer from"));
        }
        if tests.is_empty() {
            return Err(nothing(
                "other episode to score on; keep some back with a smaller --demos, or name data that has more with --data",
            ));
        }
        let second = SecondTier::in_workers(Trials::of_this_program());
        let store = CandidateStore::new(specification, demonstrations)?.with_second_tier(second);
        let tests = Demonstrations::new(specification, tests)?;
        Ok(Subject { world, name: name.to_owned(), store, tests, truth, seed: 0 })
    }

    /// A service of a source: its first `demonstrations`, and its other dialogues (the first `tests` of them): those not there
    /// to learn from, or, where there are none, those to learn from that are left.
    pub fn of_service(
        source: &Source,
        service: &str,
        demonstrations: usize,
        tests: usize,
        seed: u64,
        truth: Option<Truth>,
    ) -> Result<Self, SubjectError> {
        let specification = Specification::load(&source.specification(service), service)?;
        let demo = |dialogue| Demo::from(&Demonstration::from(dialogue));
        let known = source.demonstrations(service, "", seed);
        let others = source.dialogues().iter().filter(|d| d.service == service);
        let others = others.filter(|d| !known.iter().any(|k| k.id == d.id)).take(tests);
        let mut others: Vec<Demo> = others.map(demo).collect();
        if others.is_empty() {
            // All are there to learn from: those that are not shown are scored on.
            others = known.iter().skip(demonstrations).take(tests).copied().map(demo).collect();
        }
        let shown = known.iter().take(demonstrations).copied().map(demo).collect();
        Ok(Subject { seed, ..Subject::new("dialogue", service, &specification, shown, others, truth)? })
    }

    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Subject { seed, ..self }
    }

    pub fn calls(&self, action: &str) -> bool {
        self.actions().iter().any(|own| own == action)
    }

    pub fn actions(&self) -> Vec<String> {
        self.store.called_actions().map(|f| f.name.clone()).collect()
    }

    pub fn truth_of(&self, action: &str) -> Option<&Vec<String>> {
        self.truth.as_ref()?.assertions.get(action)
    }

    pub fn demonstrations(&self) -> usize {
        self.store.demonstrations().all.len()
    }

    pub fn tests(&self) -> usize {
        self.tests.all.len()
    }

    /// The first episode that it is scored on: a task of the world that has these actions.
    pub(crate) fn first_test(&self) -> &str {
        self.tests.all.first().map_or("", |demo| demo.id.as_str())
    }

    pub(super) fn instances(&self, action: &str) -> Option<Instances> {
        Some(Instances::new(&self.tests, self.tests.action(action)?))
    }
}
