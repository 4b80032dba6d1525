//! Curves of a study: values over steps, drawn in a terminal ([`draw`]) and written to files ([`Format`]); shares with their intervals.

mod draw;
mod export;
mod scatter;
mod shares;

pub use draw::draw;
pub use export::Format;
pub(super) use export::{quoted, svg};
pub(super) use scatter::draw as draw_points;
pub use scatter::{PointOf, Scatter};
use serde::Serialize;
pub use shares::{ShareOf, Shares};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    pub name: String,
    /// Its values, the first at [`Plot::from`]; what is no number is not known.
    pub values: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plot {
    /// The measure, in a word or two (`a(n)`).
    pub measure: String,
    /// The count along the horizontal axis (`swaps`).
    pub over: String,
    /// The number of the first value.
    pub from: usize,
    pub series: Vec<Series>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Chart {
    Curves(Plot),
    Shares(Shares),
    Points(Scatter),
}

impl Plot {
    /// A curve of values that are known at some numbers only.
    pub(crate) fn of_points(name: impl Into<String>, from: usize, points: &[(usize, f64)]) -> Series {
        let last = points.iter().map(|(n, _)| *n).max().unwrap_or(from);
        let at = |n| points.iter().find(|(own, _)| *own == n).map_or(f64::NAN, |(_, value)| *value);
        Series { name: name.into(), values: (from..=last).map(at).collect() }
    }

    /// The number of the last value; `from` where there are none.
    fn last(&self) -> usize {
        let longest = self.series.iter().map(|s| s.values.len()).max().unwrap_or_default();
        self.from + longest.saturating_sub(1)
    }

    fn top(&self) -> f64 {
        self.series.iter().flat_map(|s| s.values.iter().copied()).fold(1.0, f64::max)
    }

    /// The values of a curve that are known, with their numbers.
    pub(super) fn points<'a>(&self, series: &'a Series) -> impl Iterator<Item = (usize, f64)> + 'a {
        (self.from..).zip(series.values.iter().copied()).filter(|(_, value)| value.is_finite())
    }
}

fn letter(at: usize) -> char {
    ('a'..='z').nth(at).unwrap_or('?')
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn plot() -> Plot {
        let series = |name: &str, values: &[f64]| Series { name: name.to_owned(), values: values.to_vec() };
        Plot {
            measure: "a(n)".to_owned(),
            over: "swaps".to_owned(),
            from: 1,
            series: vec![series("state, \"live\"", &[1.0, 1.0, 0.75, 0.5]), series("<plain>", &[0.5, 0.25, 0.0, 0.0])],
        }
    }

    #[test]
    fn bounds_hold_all_values() {
        assert_eq!((plot().last(), plot().top()), (4, 1.0));
        let empty = Plot { series: Vec::new(), ..plot() };
        assert_eq!((empty.last(), empty.top()), (1, 1.0));
        assert_eq!((letter(0), letter(2), letter(99)), ('a', 'c', '?'));
        let gaps = Plot { series: vec![Plot::of_points("ours", 1, &[(4, 0.5), (1, 0.25)])], ..plot() };
        assert_eq!(gaps.points(&gaps.series[0]).collect::<Vec<_>>(), [(1, 0.25), (4, 0.5)]);
        assert_eq!((gaps.last(), gaps.top()), (4, 1.0));
    }
}
