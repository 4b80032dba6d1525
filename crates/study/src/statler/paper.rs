//! The paper's figures of a method in a domain, and its text.

use crate::paper::{PublishedFigure, STATLER};

pub(crate) const COMPARED: [&str; 2] = ["code-as-policies", "statler"];

/// What the figures with a star are.
pub(crate) const WINDOW: &str = "* of a window of 4,096 tokens: the prompts of all twenty published runs of cap-cot in disinfection outgrew it at \
                                 the second to fourth request, and from there on each answer is `extend context window.`; with a larger \
                                 window it is no figure of the method.";

pub const EPISODES: u32 = 20;

/// Table 2, steps up to the method's own first failure: those that need no memory, and those that do.
pub(crate) const OWN: [&str; 2] = ["own, non-temporal", "own, temporal"];
/// Table 3, steps up to the first failure of either method.
pub(crate) const COMMON: [&str; 2] = ["common, non-temporal", "common, temporal"];

/// The paper's text on three cups; the curves are in a figure only.
pub const CUPS: &str = "The paper (text-davinci-003, 100 games) prints its curves as a figure only; its text says that the state's \
                        a(1) is 1.00, that a and r stay above 0.75 after five swaps, and that the plain model is near zero after three.";

/// The publication's model where outputs of it are read and nothing is run.
pub(crate) const RECORDED: &str = "recorded";
/// The model of the publication's tables.
pub(crate) const MODEL: &str = "gpt-3.5-turbo-instruct";

/// The printed figure of a method in a domain with a model, over so many episodes.
pub fn of(domain: &str, method: &str, model: &str, number: usize, measure: &str) -> Option<PublishedFigure> {
    let model = if model == RECORDED { MODEL } else { model.rsplit('/').next().unwrap_or(model) };
    let conditions = [("domain", domain), ("method", method), ("model", model), ("number", &number.to_string())];
    STATLER.beside(&conditions, measure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::PublishedFigure::{Number, Of};

    #[test]
    fn a_figure_is_of_its_model_and_number_and_one_is_of_its_window() {
        let of = |domain, method, model, number| of(domain, method, model, number, "success").map(|f| f.to_string());
        assert_eq!(of("weight", "statler", "openai/gpt-3.5-turbo-instruct", 20).as_deref(), Some("0.55"));
        assert_eq!(of("disinfection", "cap-cot", RECORDED, 20).as_deref(), Some("0.00*"));
        assert_eq!([of("weight", "statler", RECORDED, 13), of("weight", "statler", "gpt-4", 20)], [None, None]);
    }

    /// No method of the paper's tables counts more up to the first failure of either than up to its own, and both count as many
    /// there.
    #[test]
    fn printed_figures_fit_each_other() {
        let of = |domain: &str, method: &str, measure: &str| of(domain, method, RECORDED, EPISODES as usize, measure);
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
