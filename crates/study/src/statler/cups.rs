//! Three cups: how long a model knows where the ball is. A game ends at its first wrong answer.

/// How a number of games went, question after question.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Curve {
    /// a(n): the share of games still right after n swaps; the first is n = 1.
    pub absolute: Vec<f64>,
    /// r(n) = a(n) / a(1); empty if no game got past the first swap.
    pub relative: Vec<f64>,
}

impl Curve {
    /// The curve of games of which it is known how many answers were right before the first wrong one.
    pub fn of(right_in_a_row: &[usize], swaps: usize) -> Self {
        let games = right_in_a_row.len();
        if games == 0 {
            return Curve::default();
        }
        let absolute: Vec<f64> = (1..=swaps)
            .map(|n| right_in_a_row.iter().filter(|right| **right >= n).count() as f64 / games as f64)
            .collect();
        let first = absolute.first().copied().unwrap_or_default();
        let relative = if first > 0.0 { absolute.iter().map(|a| a / first).collect() } else { Vec::new() };
        Curve { absolute, relative }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_ends_at_its_first_wrong_answer() {
        let games = [2, 1, 3, 0];
        let curve = Curve::of(&games, 4);
        assert_eq!(curve.absolute, [0.75, 0.5, 0.25, 0.0]);
        assert_eq!(curve.relative, [1.0, 2.0 / 3.0, 1.0 / 3.0, 0.0]);
        assert!(Curve::of(&[0, 0], 2).relative.is_empty() && Curve::of(&[], 2).absolute.is_empty());
    }
}
