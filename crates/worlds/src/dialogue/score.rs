//! Scores of predicted acts: counts of multisets, and F1 over all of them (the paper's policy F1).

use stepwright_program::Call;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Score {
    pub(super) right: usize,
    /// Predicted, not recorded.
    pub(super) wrong: usize,
    /// Recorded, not predicted.
    pub(super) missed: usize,
}

impl Score {
    /// Compares a turn's acts with the predicted ones; duplicates count.
    pub(super) fn of<'a>(recorded: impl Iterator<Item = &'a Call>, predicted: &[Call]) -> Score {
        let mut left: Vec<&Call> = predicted.iter().collect();
        let mut score = Score::default();
        for call in recorded {
            match left.iter().position(|c| *c == call) {
                Some(at) => {
                    left.swap_remove(at);
                    score.right += 1;
                }
                None => score.missed += 1,
            }
        }
        Score { wrong: left.len(), ..score }
    }

    /// Whether everything recorded was predicted and nothing else.
    pub(super) fn is_exact(self) -> bool {
        self.wrong == 0 && self.missed == 0
    }

    /// Micro F1; where nothing was recorded or predicted, `empty` says whether that is right (1) or only the beginning (0).
    pub(super) fn f1(self, empty: bool) -> f64 {
        match 2 * self.right + self.wrong + self.missed {
            0 => f64::from(u8::from(empty)),
            all => 2.0 * self.right as f64 / all as f64,
        }
    }
}

impl std::ops::Add for Score {
    type Output = Score;

    fn add(self, other: Score) -> Score {
        Score { right: self.right + other.right, wrong: self.wrong + other.wrong, missed: self.missed + other.missed }
    }
}
