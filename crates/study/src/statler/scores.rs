//! Scores of the paper: an episode counts up to and including its first wrong request.
//!
//! Successful steps are the requests answered before that, as a share of the episode; requests that need memory ([`Outcome::temporal`])
//! are counted apart. Methods are compared each up to its own first failure, or all up to the first failure of any.

use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    pub right: bool,
    /// Answering it took something of earlier requests.
    pub temporal: bool,
}

/// An episode as one method went through it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    pub episode: String,
    /// The requests in order; those after the first wrong one may be missing.
    pub outcomes: Vec<Outcome>,
    pub of: usize,
}

impl Played {
    /// The requests answered before the first wrong one.
    pub fn prefix(&self) -> usize {
        self.outcomes.iter().take_while(|outcome| outcome.right).count()
    }

    pub fn success(&self) -> bool {
        self.prefix() == self.of
    }

    /// The requests answered in a row, as a share of all.
    pub fn successful_steps(&self) -> f64 {
        if self.of == 0 { 0.0 } else { self.prefix() as f64 / self.of as f64 }
    }

    /// The requests that count if the episode ends after that many right ones: these and the one after them.
    fn counted(&self, prefix: usize) -> impl Iterator<Item = &Outcome> {
        self.outcomes.iter().take(prefix.saturating_add(1))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    pub right: usize,
    pub of: usize,
}

impl Share {
    /// The share as a number; none of nothing.
    pub fn rate(self) -> Option<f64> {
        (self.of > 0).then(|| self.right as f64 / self.of as f64)
    }

    fn add(&mut self, right: bool) {
        self.right += usize::from(right);
        self.of += 1;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ByMemory {
    pub non_temporal: Share,
    pub temporal: Share,
}

impl ByMemory {
    fn add(&mut self, outcome: &Outcome) {
        if outcome.temporal { &mut self.temporal } else { &mut self.non_temporal }.add(outcome.right);
    }
}

/// A method's scores over episodes, each up to its own first failure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scores {
    pub episodes: usize,
    /// Those without a wrong request.
    pub success: usize,
    /// The mean of [`Played::successful_steps`].
    pub successful_steps: f64,
    /// Requests up to and including the first wrong one.
    pub requests: ByMemory,
}

impl Scores {
    pub fn of<'a>(episodes: impl IntoIterator<Item = &'a Played>) -> Self {
        let mut scores = Scores::default();
        let mut steps = 0.0;
        for played in episodes {
            scores.episodes += 1;
            scores.success += usize::from(played.success());
            steps += played.successful_steps();
            played.counted(played.prefix()).for_each(|outcome| scores.requests.add(outcome));
        }
        if scores.episodes > 0 {
            scores.successful_steps = steps / scores.episodes as f64;
        }
        scores
    }
}

/// Several methods on the episodes that all of them went through, each episode up to and including the first failure of any of them.
pub fn up_to_first_failure_of_any(methods: &[Vec<&Played>]) -> Vec<ByMemory> {
    let ids = |played: &[&Played]| played.iter().map(|p| p.episode.clone()).collect::<BTreeSet<_>>();
    let common = methods
        .iter()
        .map(|played| ids(played))
        .reduce(|a, b| a.intersection(&b).cloned().collect())
        .unwrap_or_default();
    let mut shortest: BTreeMap<&str, usize> = BTreeMap::new();
    for played in methods.iter().flatten() {
        let prefix = shortest.entry(&played.episode).or_insert(usize::MAX);
        *prefix = played.prefix().min(*prefix);
    }
    let count = |played: &Vec<&Played>| {
        let mut counted = ByMemory::default();
        for episode in played.iter().filter(|p| common.contains(&p.episode)) {
            let prefix = shortest.get(episode.episode.as_str()).copied().unwrap_or_default();
            episode.counted(prefix).for_each(|outcome| counted.add(outcome));
        }
        counted
    };
    methods.iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `r` right, `w` wrong; capitals need memory.
    fn played(episode: &str, outcomes: &str, of: usize) -> Played {
        let outcome = |c: char| Outcome { right: c.eq_ignore_ascii_case(&'r'), temporal: c.is_uppercase() };
        Played { episode: episode.to_owned(), outcomes: outcomes.chars().map(outcome).collect(), of }
    }

    fn shares(by: ByMemory) -> [usize; 4] {
        [by.non_temporal.right, by.non_temporal.of, by.temporal.right, by.temporal.of]
    }

    #[test]
    fn an_episode_counts_up_to_its_first_wrong_request() {
        let scores = Scores::of(&[played("a", "rrRr", 4), played("b", "rWrr", 4), played("c", "rr", 4)]);
        assert_eq!((scores.episodes, scores.success), (3, 1));
        assert!((scores.successful_steps - (1.0 + 0.25 + 0.5) / 3.0).abs() < 1e-12);
        assert_eq!(shares(scores.requests), [6, 6, 1, 2]);
        assert_eq!(Scores::of(&[]).requests.temporal.rate(), None);
    }

    #[test]
    fn methods_are_cut_at_the_first_failure_of_any() {
        let (one, other) = (played("a", "rrRR", 4), played("a", "rwRR", 4));
        let alone = played("b", "wwww", 4);
        let counted = up_to_first_failure_of_any(&[vec![&one, &alone], vec![&other]]);
        assert_eq!(counted.into_iter().map(shares).collect::<Vec<_>>(), [[2, 2, 0, 0], [1, 2, 0, 0]]);
        // Nobody fails: everything counts.
        assert_eq!(shares(up_to_first_failure_of_any(&[vec![&one], vec![&one]])[0]), [2, 2, 2, 2]);
    }
}
