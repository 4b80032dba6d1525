//! The figures of judgements: of each condition the share of correct plans, of correct and executable ones, and the raters' agreement.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use stepwright_graph::metrics::fleiss_kappa;

use crate::{Item, Judged, Plans};

#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    pub plans: usize,
    pub executable: usize,
    pub judged: usize,
    /// Raters whose agreement is counted, and the plans that all of them judged, alike ones once: the raters with the most judgements in
    /// common, so that one who judged little takes nothing from the others.
    pub raters: usize,
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
    /// Its standard error if they agreed by chance alone (Fleiss, Nee and Landis 1979).
    pub error: Option<f64>,
}

/// The figures of each condition, in the order of their names.
pub fn of(plans: &Plans, kept: &Judged) -> BTreeMap<String, Figures> {
    let raters = kept.raters().map(str::to_owned).collect::<Vec<_>>();
    let mut written: BTreeMap<String, Vec<(&Item, bool)>> = BTreeMap::new();
    for item in plans.items.values() {
        for wrote in &item.wrote {
            written.entry(wrote.condition.clone()).or_default().push((item, wrote.executable));
        }
    }
    written.into_iter().map(|(condition, of)| (condition, figures(&of, kept, &raters))).collect()
}

/// The raters with the most judgements in common, and the items that all of them judged.
fn panel<'a>(items: &BTreeMap<&str, &'a Item>, kept: &Judged, raters: &[String]) -> (Vec<String>, Vec<&'a Item>) {
    let judged = |rater: &String, item: &Item| kept.of(rater, &item.id).is_some();
    let mut order: Vec<&String> = raters.iter().collect();
    order.sort_by_cached_key(|rater| Reverse(items.values().filter(|item| judged(rater, item)).count()));
    let of_first = |number: usize| {
        let first: Vec<String> = order.iter().take(number).map(|rater| (*rater).clone()).collect();
        let common = items.values().copied().filter(|item| first.iter().all(|rater| judged(rater, item))).collect();
        (first, common)
    };
    let panels = (2..=order.len()).map(of_first).filter(|(_, common): &(_, Vec<_>)| !common.is_empty());
    panels.max_by_key(|(first, common)| first.len() * common.len()).unwrap_or_default()
}

fn votes(item: &Item, kept: &Judged, raters: &[String]) -> [u32; 2] {
    raters
        .iter()
        .filter_map(|rater| kept.of(rater, &item.id))
        .fold([0, 0], |[yes, no], correct| if correct { [yes + 1, no] } else { [yes, no + 1] })
}

fn figures(of: &[(&Item, bool)], kept: &Judged, raters: &[String]) -> Figures {
    let votes = of.iter().map(|(item, executable)| (votes(item, kept, raters), *executable)).collect::<Vec<_>>();
    let judged = votes.iter().filter(|(v, _)| v[0] + v[1] > 0).collect::<Vec<_>>();
    let share = |[yes, no]: [u32; 2]| f64::from(yes) / f64::from(yes + no);
    let mean = |shares: Vec<f64>| (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64);
    let counted = |of: &dyn Fn(bool, f64) -> Option<f64>| {
        mean(judged.iter().filter_map(|(votes, executable)| of(*executable, share(*votes))).collect())
    };
    // A plan written several times was judged once.
    let items: BTreeMap<&str, &Item> = of.iter().map(|(item, _)| (item.id.as_str(), *item)).collect();
    let (panel, common) = panel(&items, kept, raters);
    let by_all = common.iter().map(|item| self::votes(item, kept, &panel).to_vec()).collect::<Vec<_>>();
    let kappa = fleiss_kappa(&by_all);
    let pairs = (by_all.len() * panel.len() * panel.len().saturating_sub(1)) as f64;
    Figures {
        plans: of.len(),
        executable: of.iter().filter(|(_, executable)| *executable).count(),
        judged: judged.len(),
        raters: panel.len(),
        by_all: by_all.len(),
        correct: counted(&|_, share| Some(share)),
        correct_and_executable: counted(&|executable, share| Some(if executable { share } else { 0.0 })),
        correct_of_executable: counted(&|executable, share| executable.then_some(share)),
        kappa,
        error: kappa.map(|_| (2.0 / pairs).sqrt()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plans::tests::RESULTS;
    use crate::{Judgement, Judging, Kept, Wrote};

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
        let all = of(&plans, Kept::open(&path).unwrap().judged());
        let huang = &all["Huang"];
        assert_eq!((huang.plans, huang.executable, huang.judged, huang.by_all), (2, 1, 2, 2));
        assert_eq!(
            (huang.correct, huang.correct_and_executable, huang.correct_of_executable),
            (Some(0.75), Some(0.25), Some(0.5))
        );
        assert!((huang.kappa.unwrap() + 1.0 / 3.0).abs() < 1e-12, "{:?}", huang.kappa);
        // sqrt(2 / (2 plans x 2 raters x 1))
        assert!((huang.error.unwrap() - 0.5_f64.sqrt()).abs() < 1e-12, "{:?}", huang.error);
        let cause = &all["Cause"];
        assert_eq!((cause.correct, cause.kappa), (Some(1.0), None), "where all say the same, chance explains all");
    }

    #[test]
    fn one_who_judged_little_changes_nothing_for_the_others_and_copies_count_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r");
        let item = |n: usize, copies: usize| {
            let wrote = vec![Wrote { condition: "c".into(), executable: true }; copies];
            Item { id: format!("i{n}"), task: "t".into(), steps: Vec::new(), wrote }
        };
        let plans = Plans { items: (0..6).map(|n| (format!("i{n}"), item(n, if n == 0 { 7 } else { 1 }))).collect() };
        let judge = |rater: &str, says: &[bool]| {
            let mut kept = Kept::open(&path).unwrap();
            for (n, correct) in says.iter().enumerate() {
                let judgement = Judgement { rater: rater.into(), item: format!("i{n}"), correct: Some(*correct) };
                kept.keep(&judgement).unwrap();
            }
        };
        let figures = || of(&plans, Kept::open(&path).unwrap().judged())["c"].clone();
        judge("ann", &[true, true, false, false, true, false]);
        judge("bob", &[true, true, false, true, true, false]);
        judge("cleo", &[true, false, false, false, true, false]);
        let before = figures();
        assert_eq!((before.raters, before.by_all, before.plans), (3, 6, 12));
        judge("eve", &[false]);
        let after = figures();
        assert_eq!((after.kappa, after.error, after.by_all, after.raters), (before.kappa, before.error, 6, 3));
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
        let figures = &of(&plans, Kept::open(&folder.path().join("r")).unwrap().judged())["c"];
        assert_eq!((figures.plans, figures.judged, figures.correct, figures.kappa), (1, 0, None, None));
    }
}
