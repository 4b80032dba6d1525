//! Programs that people wrote, with something taken from them: what a measure of similarity must tell apart.

use stepwright_graph::{Line, Script};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Perturbation {
    None,
    Last,
    /// Every second step is left out.
    Half,
    First,
    /// The program of another task stands in its place.
    Other,
}

impl Perturbation {
    /// All of them, from the least to the worst.
    pub const ALL: [Perturbation; 5] =
        [Perturbation::None, Perturbation::Last, Perturbation::Half, Perturbation::First, Perturbation::Other];

    pub fn name(self) -> &'static str {
        match self {
            Perturbation::None => "by people",
            Perturbation::Last => "by people, without the last step",
            Perturbation::Half => "by people, without every second step",
            Perturbation::First => "by people, the first step alone",
            Perturbation::Other => "by people, for another task",
        }
    }

    /// The damaged program; `other` is that of another task.
    pub fn of(self, program: &[Line], other: &[Line]) -> Script {
        match self {
            Perturbation::None => program.to_vec(),
            Perturbation::Last => program.split_last().map(|(_, rest)| rest.to_vec()).unwrap_or_default(),
            Perturbation::Half => program.iter().step_by(2).cloned().collect(),
            Perturbation::First => program.iter().take(1).cloned().collect(),
            Perturbation::Other => other.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use stepwright_graph::script::parse;

    use super::*;

    #[test]
    fn each_damage_leaves_what_it_says() {
        let program = parse(["[WALK] <kitchen> (1)", "[FIND] <cup> (1)", "[GRAB] <cup> (1)"]).unwrap();
        let other = parse(["[STANDUP]"]).unwrap();
        let left = Perturbation::ALL.map(|damage| damage.of(&program, &other).len());
        assert_eq!(left, [3, 2, 2, 1, 1]);
        assert_eq!(Perturbation::Half.of(&program, &other)[1].to_string(), "[GRAB] <cup> (1)");
        assert!(Perturbation::Last.of(&[], &other).is_empty());
    }
}
