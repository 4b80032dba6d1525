//! Figures printed in "Statler: State-Maintaining Language Models for Embodied Reasoning": its Tables 1 to 3 and the later
//! version's comparison, by domain and method.

use crate::runner::Printed::{Number, Of};
use crate::runner::{PaperRow, Printed, beside, paper_row};

/// Where the figures are from.
pub const SOURCE: &str = "Statler: State-Maintaining Language Models for Embodied Reasoning";

/// The two methods that its tables compare.
pub const COMPARED: [&str; 2] = ["code-as-policies", "statler"];

/// Episodes of each domain.
pub const EPISODES: u32 = 20;

/// Table 2, steps up to the method's own first failure: those that need no memory, and those that do.
pub const OWN: [&str; 2] = ["own, non-temporal", "own, temporal"];
/// Table 3, steps up to the first failure of either method.
pub const COMMON: [&str; 2] = ["common, non-temporal", "common, temporal"];

macro_rules! success {
    ($place:literal, $domain:literal, $method:literal => $success:literal, $steps:literal) => {
        paper_row!($place, "domain": $domain, "method": $method => "success" = Number($success), "steps" = Number($steps))
    };
}

macro_rules! requests {
    ($domain:literal, $method:literal => ($a:literal, $b:literal), ($c:literal, $d:literal), ($e:literal, $f:literal),
        ($g:literal, $h:literal)) => {
        paper_row!("Tables 2, 3", "domain": $domain, "method": $method =>
            "own, non-temporal" = Of($a, $b), "own, temporal" = Of($c, $d),
            "common, non-temporal" = Of($e, $f), "common, temporal" = Of($g, $h))
    };
}

/// What is printed of each method in each domain: `success`, the share of episodes without a wrong step; `steps`, the mean share of
/// steps before the first wrong one; and the counts of [`OWN`] and [`COMMON`].
pub const FIGURES: [PaperRow; 21] = [
    success!("Table 1", "pick_and_place", "code-as-policies" => 0.0, 0.54),
    success!("Table 1", "pick_and_place", "statler" => 0.5, 0.88),
    success!("later version", "pick_and_place", "statler-unified" => 0.4, 0.85),
    success!("later version", "pick_and_place", "cap-cot" => 0.25, 0.76),
    success!("later version", "pick_and_place", "statler-auto" => 0.75, 0.88),
    success!("Table 1", "disinfection", "code-as-policies" => 0.0, 0.68),
    success!("Table 1", "disinfection", "statler" => 0.4, 0.82),
    success!("later version", "disinfection", "statler-unified" => 0.35, 0.79),
    success!("later version", "disinfection", "cap-cot" => 0.0, 0.2),
    success!("later version", "disinfection", "statler-auto" => 0.45, 0.82),
    success!("Table 1", "weight", "code-as-policies" => 0.0, 0.84),
    success!("Table 1", "weight", "statler" => 0.55, 0.93),
    success!("later version", "weight", "statler-unified" => 0.5, 0.92),
    success!("later version", "weight", "cap-cot" => 0.3, 0.88),
    success!("later version", "weight", "statler-auto" => 0.4, 0.9),
    requests!("pick_and_place", "code-as-policies" => (62, 62), (9, 29), (62, 62), (9, 28)),
    requests!("pick_and_place", "statler" => (68, 68), (48, 58), (62, 62), (24, 28)),
    requests!("disinfection", "code-as-policies" => (148, 149), (1, 20), (148, 149), (0, 18)),
    requests!("disinfection", "statler" => (164, 168), (15, 23), (147, 149), (11, 18)),
    requests!("weight", "code-as-policies" => (107, 107), (0, 20), (107, 107), (0, 20)),
    requests!("weight", "statler" => (107, 107), (11, 20), (107, 107), (11, 20)),
];

/// What its text says of three cups; the curves are in a figure only.
pub const CUPS: &str = "The paper (text-davinci-003, 100 games) prints its curves as a figure only; its text says that the state's \
                        a(1) is 1.00, that a and r stay above 0.75 after five swaps, and that the plain model is near zero after three.";

/// What it prints of a method in a domain.
pub fn of(domain: &str, method: &str, measure: &str) -> Option<Printed> {
    beside(&FIGURES, &[("domain", domain), ("method", method)], measure)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No method of the paper's tables counts more up to the first failure of either than up to its own, and both count as many
    /// there.
    #[test]
    fn printed_figures_fit_each_other() {
        let steps = |domain: &str, method: &str, measure: &str| match of(domain, method, measure) {
            Some(Of(_, steps)) => steps,
            other => panic!("{domain}, {method}, {measure}: {other:?}"),
        };
        for domain in ["pick_and_place", "disinfection", "weight"] {
            for method in COMPARED {
                let more = |own, common| steps(domain, method, own) >= steps(domain, method, common);
                assert!(more(OWN[0], COMMON[0]) && more(OWN[1], COMMON[1]));
                let Some(Number(success)) = of(domain, method, "success") else { panic!("{domain}, {method}") };
                assert!((success * f64::from(EPISODES)).fract().abs() < 1e-9);
            }
            let [one, other] = COMPARED.map(|method| COMMON.map(|measure| steps(domain, method, measure)));
            assert_eq!(one, other, "{domain}");
        }
    }
}
