//! The figures of judgements: of each condition the share of correct plans, of correct and executable ones, and the raters' agreement.

use std::collections::BTreeMap;

use stepwright_graph::metrics::fleiss_kappa;

use crate::{Item, Kept, Plans};

#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    pub plans: usize,
    pub executable: usize,
    pub judged: usize,
    /// Plans that every rater judged: those that agreement is counted over.
    pub by_all: usize,
    /// The share of judged plans that are correct, a plan counting by the share of its raters who say so; 0 to 1. `None` where nothing
    /// was judged.
    pub correct: Option<f64>,
    /// The share of judged plans that are correct and executable (Correct-EP of the paper's Table 1).
    pub correct_and_executable: Option<f64>,
    /// The share of judged executable plans that are correct.
    pub correct_of_executable: Option<f64>,
    /// Fleiss' kappa; `None` with fewer than two raters, or where they agree by chance alone.
    pub kappa: Option<f64>,
}

/// The figures of each condition, in the order of their names.
pub fn of(plans: &Plans, kept: &Kept) -> BTreeMap<String, Figures> {
    let raters = kept.raters().map(str::to_owned).collect::<Vec<_>>();
    let mut written: BTreeMap<String, Vec<(&Item, bool)>> = BTreeMap::new();
    for item in plans.items.values() {
        for wrote in &item.wrote {
            written.entry(wrote.condition.clone()).or_default().push((item, wrote.executable));
        }
    }
    written.into_iter().map(|(condition, of)| (condition, figures(&of, kept, &raters))).collect()
}

fn votes(item: &Item, kept: &Kept, raters: &[String]) -> [u32; 2] {
    raters
        .iter()
        .filter_map(|rater| kept.of(rater, &item.id))
        .fold([0, 0], |[yes, no], correct| if correct { [yes + 1, no] } else { [yes, no + 1] })
}

fn figures(of: &[(&Item, bool)], kept: &Kept, raters: &[String]) -> Figures {
    let votes = of.iter().map(|(item, executable)| (votes(item, kept, raters), *executable)).collect::<Vec<_>>();
    let judged = votes.iter().filter(|(v, _)| v[0] + v[1] > 0).collect::<Vec<_>>();
    let share = |[yes, no]: [u32; 2]| f64::from(yes) / f64::from(yes + no);
    let mean = |shares: Vec<f64>| (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64);
    let counted = |of: &dyn Fn(bool, f64) -> Option<f64>| {
        mean(judged.iter().filter_map(|(votes, executable)| of(*executable, share(*votes))).collect())
    };
    let by_all = votes.iter().filter(|(v, _)| (v[0] + v[1]) as usize == raters.len() && raters.len() > 1);
    let by_all = by_all.map(|(votes, _)| votes.to_vec()).collect::<Vec<_>>();
    Figures {
        plans: of.len(),
        executable: of.iter().filter(|(_, executable)| *executable).count(),
        judged: judged.len(),
        by_all: by_all.len(),
        correct: counted(&|_, share| Some(share)),
        correct_and_executable: counted(&|executable, share| Some(if executable { share } else { 0.0 })),
        correct_of_executable: counted(&|executable, share| executable.then_some(share)),
        kappa: fleiss_kappa(&by_all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::tests::RESULTS;
    use crate::{Judging, Wrote};

    #[test]
    fn shares_and_agreement_are_counted_by_condition() {
        let folder = tempfile::tempdir().unwrap();
        let (results, path) = (folder.path().join("results"), folder.path().join("r"));
        std::fs::write(&results, RESULTS).unwrap();
        let plans = Plans::open(&results).unwrap();
        // Ann finds all correct that mention bread or read, Bob all.
        for (rater, says) in [("ann", (|i: &Item| i.steps.len() == 2) as fn(&Item) -> bool), ("bob", |_| true)] {
            let mut judging = Judging::new(rater, &plans, Kept::open(&path).unwrap());
            while judging.count() < judging.all() {
                let correct = says(judging.item().unwrap());
                judging.judge(correct).unwrap();
            }
        }
        let all = of(&plans, &Kept::open(&path).unwrap());
        let huang = &all["Huang"];
        assert_eq!((huang.plans, huang.executable, huang.judged, huang.by_all), (2, 1, 2, 2));
        assert_eq!(
            (huang.correct, huang.correct_and_executable, huang.correct_of_executable),
            (Some(0.75), Some(0.25), Some(0.5))
        );
        assert!((huang.kappa.unwrap() + 1.0 / 3.0).abs() < 1e-12, "{:?}", huang.kappa);
        let cause = &all["Cause"];
        assert_eq!((cause.correct, cause.kappa), (Some(1.0), None), "where all say the same, chance explains all");
    }

    #[test]
    fn nothing_judged_is_no_figure() {
        let folder = tempfile::tempdir().unwrap();
        let item = Item {
            id: "i".into(),
            task: "t".into(),
            steps: Vec::new(),
            wrote: vec![Wrote { condition: "c".into(), executable: true }],
        };
        let plans = Plans { items: [("i".to_owned(), item)].into() };
        let figures = &of(&plans, &Kept::open(&folder.path().join("r")).unwrap())["c"];
        assert_eq!((figures.plans, figures.judged, figures.correct, figures.kappa), (1, 0, None, None));
    }
}
