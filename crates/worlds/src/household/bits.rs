//! Grid of bits of fixed size: the relations of a household state (`in`, `at`, `left`), cheap to clone and to compare.

/// Rows and columns of bits; reading outside the grid gives `false`, writing there does nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BitGrid {
    width: usize,
    words: Box<[u64]>,
}

impl BitGrid {
    pub fn new(rows: usize, columns: usize) -> Self {
        let width = columns.div_ceil(64).max(1);
        BitGrid { width, words: vec![0; rows * width].into_boxed_slice() }
    }

    pub fn get(&self, row: usize, column: usize) -> bool {
        column < self.width * 64
            && self.words.get(row * self.width + column / 64).is_some_and(|w| w >> (column % 64) & 1 == 1)
    }

    pub fn set(&mut self, row: usize, column: usize, value: bool) {
        if column >= self.width * 64 {
            return;
        }
        let bit = 1 << (column % 64);
        if let Some(word) = self.words.get_mut(row * self.width + column / 64) {
            *word = if value { *word | bit } else { *word & !bit };
        }
    }

    /// The words of a row; rows of grids with equally many columns can be combined word by word.
    pub fn row(&self, row: usize) -> &[u64] {
        self.words.get(row * self.width..(row + 1) * self.width).unwrap_or(&[])
    }

    /// Copies a row of a grid that has equally many columns.
    pub(crate) fn copy_row(&mut self, to: usize, from: usize) {
        let (source, target) = (from * self.width, to * self.width);
        if source + self.width <= self.words.len() && target + self.width <= self.words.len() {
            self.words.copy_within(source..source + self.width, target);
        }
    }

    pub fn ones(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        ones(self.row(row).iter().copied())
    }
}

pub fn ones(words: impl Iterator<Item = u64>) -> impl Iterator<Item = usize> {
    words.enumerate().flat_map(|(i, mut word)| {
        std::iter::from_fn(move || {
            let bit = word.trailing_zeros() as usize;
            if bit == 64 {
                return None;
            }
            word &= word - 1;
            Some(i * 64 + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_kept_apart_and_the_outside_is_ignored() {
        let mut grid = BitGrid::new(3, 70);
        grid.set(1, 0, true);
        grid.set(1, 69, true);
        grid.set(2, 64, true);
        grid.set(9, 1, true);
        grid.set(0, 128, true);
        assert_eq!(grid.ones(0).count(), 0);
        assert_eq!(grid.ones(1).collect::<Vec<_>>(), [0, 69]);
        assert_eq!(grid.ones(2).collect::<Vec<_>>(), [64]);
        grid.set(1, 69, false);
        assert!(!grid.get(1, 69) && grid.get(1, 0) && !grid.get(7, 7) && !grid.get(0, 128));
    }
}
