//! Sampling of a token.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// A token by its log-probabilities: the likeliest at temperature 0, else drawn; with `top_p` from the likeliest that
/// have this share of the probability together.
pub(super) fn choose(row: &[f32], temperature: f64, top_p: Option<f64>, random: &mut ChaCha8Rng) -> u32 {
    let (mut best, mut most) = (0, f32::NEG_INFINITY);
    for (id, p) in (0u32..).zip(row) {
        if *p > most {
            (best, most) = (id, *p);
        }
    }
    if temperature <= 0.0 {
        return best;
    }
    let weight = |p: f32| (f64::from(p - most) / temperature).exp();
    let least = top_p.filter(|share| *share < 1.0).map_or(f32::NEG_INFINITY, |share| nucleus(row, share, &weight));
    let weight = |p: f32| if p < least { 0.0 } else { weight(p) };
    let total: f64 = row.iter().map(|p| weight(*p)).sum();
    let mut left = random.random::<f64>() * total;
    for (id, p) in (0u32..).zip(row) {
        left -= weight(*p);
        if left < 0.0 {
            return id;
        }
    }
    best
}

/// The least log-probability among the likeliest tokens that have `share` of the weight together.
fn nucleus(row: &[f32], share: f64, weight: &dyn Fn(f32) -> f64) -> f32 {
    let mut sorted = row.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let wanted = share * sorted.iter().map(|p| weight(*p)).sum::<f64>();
    let mut sum = 0.0;
    let enough = |p: &&f32| {
        sum += weight(**p);
        sum >= wanted
    };
    sorted.iter().find(enough).copied().unwrap_or(f32::NEG_INFINITY)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn temperature_and_seed() {
        let row: Vec<f32> = [0.7f32, 0.2, 0.1, 0.0].map(f32::ln).to_vec();
        let draw = |t, seed| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            (0..2000).map(|_| choose(&row, t, None, &mut random)).collect::<Vec<u32>>()
        };
        assert!(draw(0.0, 1).iter().all(|t| *t == 0));
        assert_eq!(draw(1.0, 1), draw(1.0, 1));
        assert_ne!(draw(1.0, 1), draw(1.0, 2));
        let share = |tokens: Vec<u32>, id| tokens.iter().filter(|t| **t == id).count() as f64 / 2000.0;
        assert!((share(draw(1.0, 1), 1) - 0.2).abs() < 0.04);
        // At temperature 0.5 probabilities are squared: 0.49 / 0.54.
        assert!((share(draw(0.5, 1), 0) - 0.907).abs() < 0.03);
        assert_eq!(share(draw(2.0, 1), 3), 0.0);
        // Of the likeliest 80 % the two that make them up are drawn, in their proportion.
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let cut: Vec<u32> = (0..2000).map(|_| choose(&row, 1.0, Some(0.8), &mut random)).collect();
        assert!(cut.iter().all(|t| *t < 2) && (share(cut, 1) - 0.2 / 0.9).abs() < 0.04);
    }
}
