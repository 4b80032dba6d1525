//! Batches: which trajectories are looked at together, drawn by a seed so that a run can be done again.

/// Places `0..len` in an order that the seed gives (Fisher and Yates, over SplitMix64).
pub fn shuffled(len: usize, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    for at in (1..len).rev() {
        let other = usize::try_from(next() % (at as u64 + 1)).unwrap_or(0);
        order.swap(at, other);
    }
    order
}

/// So many batches of a size, all places once before any comes again; with `count` 0 once through all of them.
pub fn batches(len: usize, size: usize, count: usize, seed: u64) -> Vec<Vec<usize>> {
    let size = size.max(1);
    if len == 0 {
        return Vec::new();
    }
    let count = if count == 0 { len.div_ceil(size) } else { count };
    let mut out = Vec::new();
    let mut round = 0u64;
    while out.len() < count {
        let order = shuffled(len, seed.wrapping_add(round));
        out.extend(order.chunks(size).take(count - out.len()).map(<[usize]>::to_vec));
        round += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_come_once_before_any_comes_again() {
        let mut all: Vec<usize> = batches(7, 3, 0, 5).concat();
        assert_ne!(all, (0..7).collect::<Vec<_>>(), "shuffled");
        all.sort_unstable();
        assert_eq!(all, (0..7).collect::<Vec<_>>());
        assert_eq!(batches(7, 3, 5, 5).len(), 5);
        assert_eq!(batches(7, 3, 5, 5), batches(7, 3, 5, 5));
        assert_ne!(batches(7, 3, 0, 5), batches(7, 3, 0, 6));
        assert!(batches(0, 3, 4, 1).is_empty());
        assert_eq!(batches(2, 0, 0, 1).len(), 2);
    }
}
