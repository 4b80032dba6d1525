//! Algorithm 1 of "Reasoning about Action Preconditions with Programs" as printed: what the method is tested against, and what recordings
//! are compared with.

/// The result of [`algorithm_1`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    pub prediction: String,
    pub verified: bool,
    pub attempts: u32,
    /// Greedy completions used; the fallback counts as a second one.
    pub greedy_samples: u32,
    pub random_samples: u32,
}

pub fn algorithm_1(
    max_attempts: u32,
    greedy: impl FnOnce() -> String,
    mut random: impl FnMut() -> String,
    mut verify: impl FnMut(&str) -> bool,
) -> Trial {
    let first = greedy();
    let (mut attempts, mut random_samples) = (0, 0);
    while attempts < max_attempts {
        let line = if attempts == 0 {
            first.clone()
        } else {
            random_samples += 1;
            random()
        };
        attempts += 1;
        if verify(&line) {
            return Trial { prediction: line, verified: true, attempts, greedy_samples: 1, random_samples };
        }
    }
    Trial { prediction: first, verified: false, attempts, greedy_samples: 2, random_samples }
}
