//! Confidence intervals (95 %) of shares (Wilson) and of means and the like (bootstrap).

use rand::Rng;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The two-sided 95 % point of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;
const RESAMPLES: usize = 2_000;

/// A 95 % interval.
pub(crate) type Interval = [f64; 2];

/// Wilson's score interval of a share of so many; `None` of nothing.
pub(crate) fn wilson(share: f64, of: usize) -> Option<Interval> {
    if of == 0 {
        return None;
    }
    let n = of as f64;
    let scale = 1.0 + Z * Z / n;
    let middle = (share + Z * Z / (2.0 * n)) / scale;
    let half = Z / scale * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    Some([(middle - half).max(0.0), (middle + half).min(1.0)])
}

/// The percentile bootstrap of any figure of a sample: units are drawn with replacement, always the same way, and the figure is
/// computed again. `None` where fewer than two units make it meaningless.
pub(crate) fn bootstrap<T>(units: &[T], figure: impl Fn(&[&T]) -> f64) -> Option<Interval> {
    if units.len() < 2 {
        return None;
    }
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let mut drawn: Vec<&T> = Vec::with_capacity(units.len());
    let mut figures: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            drawn.clear();
            drawn.extend((0..units.len()).filter_map(|_| units.get(random.random_range(0..units.len()))));
            figure(&drawn)
        })
        .filter(|figure| figure.is_finite())
        .collect();
    figures.sort_by(f64::total_cmp);
    let at = |share: f64| figures.get((share * (figures.len().checked_sub(1)? as f64)).round() as usize).copied();
    Some([at(0.025)?, at(0.975)?])
}

/// The standard deviation of a sample; `None` of fewer than two.
pub(crate) fn deviation(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (squares / (values.len() as f64 - 1.0)).sqrt())
}

/// An interval for a table's cell, with so many digits; a dash where there is none. A minus is no dash between two numbers.
pub fn in_words(interval: Option<Interval>, digits: usize) -> String {
    let Some([low, high]) = interval else { return "-".to_owned() };
    let between = if low.is_sign_negative() || high.is_sign_negative() { " to " } else { "-" };
    format!("{low:.digits$}{between}{high:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three(interval: Option<Interval>) -> String {
        in_words(interval, 3)
    }

    #[test]
    fn shares_have_wilsons_interval() {
        // As R's prop.test(x, n, correct = FALSE) gives them.
        assert_eq!(three(wilson(0.78, 50)), "0.648-0.872");
        assert_eq!(three(wilson(0.0, 20)), "0.000-0.161");
        assert_eq!(three(wilson(1.0, 20)), "0.839-1.000");
        assert_eq!(three(wilson(0.5, 2)), "0.095-0.905");
        assert_eq!(three(wilson(0.0, 0)), "-");
        assert_eq!(three(Some([-4.0, -4.0])), "-4.000 to -4.000");
    }

    #[test]
    fn means_have_a_bootstrap_that_narrows_and_repeats() {
        let values: Vec<f64> = (0..40).map(|n| f64::from(n % 10)).collect();
        let of_mean =
            |values: &[f64]| bootstrap(values, |drawn| drawn.iter().copied().sum::<f64>() / drawn.len() as f64);
        let [low, high] = of_mean(&values).unwrap();
        assert!(low < 4.5 && 4.5 < high && high - low < 2.5, "{low} {high}");
        assert_eq!(of_mean(&values), Some([low, high]));
        let [narrow, wide] = of_mean(&values.repeat(10)).unwrap();
        assert!(wide - narrow < (high - low) / 2.0);
        assert_eq!((of_mean(&[1.0]), of_mean(&[2.0, 2.0])), (None, Some([2.0, 2.0])));
        assert_eq!(bootstrap(&[1.0, 2.0], |_| f64::NAN), None);
        assert_eq!((deviation(&[1.0]), deviation(&[1.0, 3.0])), (None, Some(2.0_f64.sqrt())));
    }
}
