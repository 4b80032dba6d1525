//! Figures printed in "Statler: State-Maintaining Language Models for Embodied Reasoning", to stand beside ours. Copied from its
//! Tables 1 to 3 and from the later version's comparison; nothing is computed from them.

use super::scores::{ByMemory, Share};

/// Where the figures are from.
pub const SOURCE: &str = "Statler: State-Maintaining Language Models for Embodied Reasoning";

/// The two methods that its tables compare.
pub const COMPARED: [&str; 2] = ["code-as-policies", "statler"];

/// Episodes of each domain.
pub const EPISODES: u32 = 20;

/// What is printed of a method in a domain.
#[derive(Debug, Clone, Copy)]
pub struct Printed {
    domain: &'static str,
    method: &'static str,
    /// The share of episodes without a wrong step.
    pub success: f64,
    /// The mean share of steps before the first wrong one.
    pub steps: f64,
    /// Table 2: steps up to the method's own first failure.
    pub own: Option<ByMemory>,
    /// Table 3: steps up to the first failure of either method.
    pub common: Option<ByMemory>,
}

const FIGURES: [Printed; 15] = [
    Printed {
        own: tables((62, 62), (9, 29)),
        common: tables((62, 62), (9, 28)),
        ..printed("pick_and_place", "code-as-policies", 0.0, 0.54)
    },
    Printed {
        own: tables((68, 68), (48, 58)),
        common: tables((62, 62), (24, 28)),
        ..printed("pick_and_place", "statler", 0.5, 0.88)
    },
    printed("pick_and_place", "statler-unified", 0.4, 0.85),
    printed("pick_and_place", "cap-cot", 0.25, 0.76),
    printed("pick_and_place", "statler-auto", 0.75, 0.88),
    Printed {
        own: tables((148, 149), (1, 20)),
        common: tables((148, 149), (0, 18)),
        ..printed("disinfection", "code-as-policies", 0.0, 0.68)
    },
    Printed {
        own: tables((164, 168), (15, 23)),
        common: tables((147, 149), (11, 18)),
        ..printed("disinfection", "statler", 0.4, 0.82)
    },
    printed("disinfection", "statler-unified", 0.35, 0.79),
    printed("disinfection", "cap-cot", 0.0, 0.2),
    printed("disinfection", "statler-auto", 0.45, 0.82),
    Printed {
        own: tables((107, 107), (0, 20)),
        common: tables((107, 107), (0, 20)),
        ..printed("weight", "code-as-policies", 0.0, 0.84)
    },
    Printed {
        own: tables((107, 107), (11, 20)),
        common: tables((107, 107), (11, 20)),
        ..printed("weight", "statler", 0.55, 0.93)
    },
    printed("weight", "statler-unified", 0.5, 0.92),
    printed("weight", "cap-cot", 0.3, 0.88),
    printed("weight", "statler-auto", 0.4, 0.9),
];

/// What its text says of three cups; the curves stand in a figure alone.
pub const CUPS: &str = "The paper (text-davinci-003, 100 games) prints its curves as a figure only; its text says that the state's \
                        a(1) is 1.00, that a and r stay above 0.75 after five swaps, and that the plain model is near zero after three.";

/// What it prints of a method in a domain.
pub fn of(domain: &str, method: &str) -> Option<Printed> {
    FIGURES.into_iter().find(|p| p.domain == domain && p.method == method)
}

const fn printed(domain: &'static str, method: &'static str, success: f64, steps: f64) -> Printed {
    Printed { domain, method, success, steps, own: None, common: None }
}

const fn tables(non_temporal: (usize, usize), temporal: (usize, usize)) -> Option<ByMemory> {
    let (non_temporal, temporal) =
        (Share { right: non_temporal.0, of: non_temporal.1 }, Share { right: temporal.0, of: temporal.1 });
    Some(ByMemory { non_temporal, temporal })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No method of the paper's tables counts more up to the first failure of either than up to its own, and both count as many
    /// there.
    #[test]
    fn printed_figures_fit_each_other() {
        for domain in ["pick_and_place", "disinfection", "weight"] {
            let [one, other] = COMPARED.map(|method| of(domain, method).unwrap());
            for printed in [one, other] {
                let (own, common) = (printed.own.unwrap(), printed.common.unwrap());
                assert!(common.temporal.of <= own.temporal.of && common.non_temporal.of <= own.non_temporal.of);
                assert!((printed.success * f64::from(EPISODES)).fract().abs() < 1e-9);
            }
            let all = |p: Printed| p.common.map(|c| (c.temporal.of, c.non_temporal.of));
            assert_eq!(all(one), all(other), "{domain}");
        }
    }
}
