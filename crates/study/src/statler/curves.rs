//! Curves of the study: how long a model follows three cups, and how far a belief drifts from the truth.

use super::cups::Curve;
use super::groups::Group;
use super::live::{PLAYED, StatlerResult};
use crate::columns::distinct;
use crate::curve::{Plot, Series};
use stepwright_method::REFERENCE;
use stepwright_worlds::table::Domain;

/// a(n) and r(n) of the games of three cups; none where none was played. Games are compared as far as the shortest goes.
pub fn cups(groups: &[Group]) -> Vec<Plot> {
    let games = groups.iter().filter(|g| g.domain == Domain::Cups.name() && !g.played.is_empty());
    let curves: Vec<(String, Curve)> = games
        .map(|group| {
            let right: Vec<usize> = group.played.iter().map(|p| p.prefix()).collect();
            let swaps = group.played.iter().map(|p| p.of).min().unwrap_or_default();
            (name(&group.method, &group.model), Curve::of(&right, swaps))
        })
        .collect();
    let plot = |measure: &str, of: &dyn Fn(&Curve) -> Vec<f64>| Plot {
        measure: measure.to_owned(),
        over: "swaps".to_owned(),
        from: 1,
        series: curves.iter().map(|(name, curve)| Series { name: name.clone(), values: of(curve) }).collect(),
    };
    if curves.is_empty() {
        return Vec::new();
    }
    vec![plot("a(n)", &|curve| curve.absolute.clone()), plot("r(n)", &|curve| curve.relative.clone())]
}

/// How many values of the belief were wrong, averaged over the episodes that got so far, by domain.
pub fn drift(results: &[StatlerResult]) -> Vec<Plot> {
    let mut plots: Vec<Plot> = Vec::new();
    let mut kept: Vec<(&str, &str, &str, Vec<&[usize]>)> = Vec::new();
    for result in results.iter().filter(|r| r.run.error.is_none() && !r.drift.is_empty()) {
        let (domain, model) = (&*result.run.kind, &*result.run.model);
        let method = if model == REFERENCE { PLAYED } else { &*result.run.method };
        match kept.iter_mut().find(|k| (k.0, k.1, k.2) == (domain, method, model)) {
            Some(found) => found.3.push(&result.drift),
            None => kept.push((domain, method, model, vec![&result.drift])),
        }
    }
    for (domain, method, model, episodes) in kept {
        let series = Series { name: name(method, model), values: means(&episodes) };
        let measure = format!("differences, {domain}");
        match plots.iter_mut().find(|plot| plot.measure == measure) {
            Some(plot) => plot.series.push(series),
            None => plots.push(Plot { measure, over: "steps".to_owned(), from: 0, series: vec![series] }),
        }
    }
    plots
}

/// That methods have no curve of drift, as nothing was believed in their episodes. Empty where all have one.
pub fn without_drift(results: &[StatlerResult]) -> String {
    let idle = results.iter().filter(|r| r.run.error.is_none() && r.drift.is_empty());
    let methods = distinct(idle.map(|r| r.run.method.as_str())).join(", ");
    if methods.is_empty() {
        return methods;
    }
    format!("No curve of {methods}: no belief was kept that could drift from the truth\n")
}

fn means(episodes: &[&[usize]]) -> Vec<f64> {
    let longest = episodes.iter().map(|e| e.len()).max().unwrap_or_default();
    let mean = |step: usize| {
        let there: Vec<usize> = episodes.iter().filter_map(|e| e.get(step).copied()).collect();
        there.iter().sum::<usize>() as f64 / there.len().max(1) as f64
    };
    (0..longest).map(mean).collect()
}

fn name(method: &str, model: &str) -> String {
    format!("{method} ({model})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::RunResult;
    use crate::statler::scores::{Outcome, Played};

    #[test]
    fn games_are_compared_as_far_as_the_shortest_goes() {
        let game = |right: usize, of: usize| {
            let outcomes = (0..of).map(|n| Outcome { right: n < right, temporal: n > 0 }).collect();
            Played { episode: format!("cups/{of}"), outcomes, of }
        };
        let mut groups = Vec::new();
        let group = Group::of(&mut groups, "cups", "cups-plain", "m");
        group.played = vec![game(3, 3), game(1, 4), game(0, 3), game(2, 3)];
        Group::of(&mut groups, "weight", "statler", "m").played = vec![game(1, 2)];
        let plots = cups(&groups);
        assert_eq!((plots[0].measure.as_str(), plots[1].measure.as_str()), ("a(n)", "r(n)"));
        assert_eq!(plots[0].series.len(), 1);
        assert_eq!(plots[0].series[0].values, [0.75, 0.5, 0.25]);
        assert_eq!(plots[1].series[0].values, [1.0, 2.0 / 3.0, 1.0 / 3.0]);
        assert!(cups(&groups[1..]).is_empty());
    }

    #[test]
    fn what_keeps_no_belief_is_said_to_have_no_curve() {
        let of = |method: &str, drift: &[usize], error: Option<&str>| {
            let run = RunResult { method: method.into(), error: error.map(str::to_owned), ..RunResult::default() };
            let drift = drift.to_vec();
            StatlerResult { data: String::new(), right: Vec::new(), temporal: Vec::new(), drift, run }
        };
        let all = [of("keeps", &[0, 1], None), of("plain", &[], None), of("fails", &[], Some("no server"))];
        assert_eq!(without_drift(&all), "No curve of plain: no belief was kept that could drift from the truth\n");
        assert_eq!(without_drift(&all[..1]), "");
    }

    #[test]
    fn drift_is_averaged_over_the_episodes_that_got_so_far() {
        assert_eq!(means(&[&[0, 2, 4], &[0, 1], &[]]), [0.0, 1.5, 4.0]);
        assert!(means(&[]).is_empty());
    }
}
