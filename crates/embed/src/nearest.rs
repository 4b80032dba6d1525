//! Nearest neighbours of a sentence: exact cosine search over all of them, cheap enough to run at every step.
//!
//! Every row is kept twice: as it is, and rounded to a byte a number. A first pass over the rounded rows bounds every cosine from
//! both sides; only rows that may still be among the best are measured exactly. So the answer is that of a plain search over all
//! rows, and a quarter of the memory is read.

/// Rows are filled up with zeros to a multiple of this, so that every dot product is whole vector registers.
const LANES: usize = 16;

/// Largest byte of a rounded row.
const BYTE: f32 = 127.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    pub index: usize,
    /// The cosine of the two, from -1 to 1.
    pub similarity: f32,
}

/// Sentences and their vectors, to find those nearest to a query.
pub struct Table {
    names: Vec<String>,
    dimensions: usize,
    /// A row's length in `rows` and `rounded`.
    width: usize,
    rows: Vec<f32>,
    rounded: Vec<i8>,
    scales: Vec<f32>,
    /// The largest distance between a row and its rounded self.
    off: f32,
    /// The largest length of a rounded row.
    length: f32,
}

impl Table {
    /// Of names and their vectors of length 1, in one order. A vector of another length than the first, or with a number that is not
    /// finite, counts as zeros; a name without a vector too.
    pub fn new(names: Vec<String>, vectors: Vec<Vec<f32>>) -> Self {
        let dimensions = vectors.first().map_or(0, Vec::len);
        let width = dimensions.next_multiple_of(LANES);
        let mut table = Self {
            dimensions,
            width,
            rows: vec![0.0; width * names.len()],
            rounded: vec![0; width * names.len()],
            scales: vec![0.0; names.len()],
            off: 0.0,
            length: 0.0,
            names,
        };
        if width == 0 {
            return table;
        }
        let places =
            table.rows.chunks_exact_mut(width).zip(table.rounded.chunks_exact_mut(width)).zip(&mut table.scales);
        for (vector, ((row, rounded), scale)) in vectors.iter().zip(places) {
            if vector.len() != dimensions || vector.iter().any(|x| !x.is_finite()) {
                continue;
            }
            row[..dimensions].copy_from_slice(vector);
            *scale = largest(row) / BYTE;
            let mut off = 0.0;
            let mut length = 0.0;
            for (byte, x) in rounded.iter_mut().zip(row.iter()) {
                *byte = if *scale > 0.0 { (x / *scale).round() as i8 } else { 0 };
                let back = *scale * f32::from(*byte);
                off += (x - back) * (x - back);
                length += back * back;
            }
            table.off = table.off.max(off.sqrt());
            table.length = table.length.max(length.sqrt());
        }
        table
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    pub fn vector(&self, index: usize) -> Option<&[f32]> {
        let at = index.checked_mul(self.width)?;
        self.names.get(index)?;
        self.rows.get(at..at + self.dimensions)
    }

    /// The `k` nearest to a query of length 1, best first; of equals the earlier one. None when the query has another number of
    /// dimensions.
    pub fn nearest(&self, query: &[f32], k: usize) -> Vec<Neighbour> {
        if query.len() != self.dimensions || self.width == 0 || k == 0 || query.iter().any(|x| !x.is_finite()) {
            return Vec::new();
        }
        let mut whole = query.to_vec();
        whole.resize(self.width, 0.0);
        let rows = self.rows.chunks_exact(self.width);
        let exact = |index: usize, row: &[f32]| Neighbour { index, similarity: dot(row, &whole) };
        let mut best = if k >= self.names.len() {
            rows.enumerate().map(|(index, row)| exact(index, row)).collect::<Vec<_>>()
        } else {
            let (about, error) = self.about(&whole);
            let enough = kth(&about, k) - 2.0 * error;
            let may = rows.zip(&about).enumerate().filter(|(_, (_, about))| **about >= enough);
            may.map(|(index, (row, _))| exact(index, row)).collect()
        };
        best.sort_unstable_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.index.cmp(&b.index)));
        best.truncate(k);
        best
    }

    /// Every row's cosine by its rounded self, and how far off one can be at most.
    fn about(&self, query: &[f32]) -> (Vec<f32>, f32) {
        // The sum of `width` products of a byte and a rounded query's number stays in 32 bits.
        let most = (i32::MAX / (127 * self.width.max(1) as i32)).clamp(1, 4095) as f32;
        let scale = (largest(query) / most).max(f32::MIN_POSITIVE);
        let rounded = query.iter().map(|x| (x / scale).round() as i16).collect::<Vec<_>>();
        let off = query.iter().zip(&rounded).map(|(x, r)| (x - scale * f32::from(*r)).powi(2)).sum::<f32>().sqrt();
        let length = query.iter().map(|x| x * x).sum::<f32>().sqrt();
        // Cauchy and Schwarz, for the row's rounding and the query's; the last term is for the arithmetic itself.
        let error = length * self.off + self.length * off + 1e-5 * (1.0 + length);
        let rows = self.rounded.chunks_exact(self.width).zip(&self.scales);
        (rows.map(|(row, s)| s * scale * bytes(row, &rounded) as f32).collect(), error)
    }
}

fn largest(row: &[f32]) -> f32 {
    row.iter().fold(0.0, |most, x| x.abs().max(most))
}

/// The dot product of two rows of whole registers, in as many sums as a register has places.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (x, y))| *sum += x * y);
    }
    sums.iter().sum()
}

/// It stays in 32 bits (`Table::about`); arithmetic that checks whether it does is done number by number.
fn bytes(a: &[i8], b: &[i16]) -> i32 {
    a.iter().zip(b).fold(0, |sum: i32, (x, y)| sum.wrapping_add(i32::from(*x).wrapping_mul(i32::from(*y))))
}

/// The `k`-th largest.
fn kth(values: &[f32], k: usize) -> f32 {
    let mut values = values.to_vec();
    let last = k.min(values.len()).saturating_sub(1);
    if values.is_empty() {
        return f32::NEG_INFINITY;
    }
    *values.select_nth_unstable_by(last, |a, b| b.total_cmp(a)).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalise;

    fn noise(seed: &mut u64) -> f32 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*seed >> 40) as f32 / (1u64 << 24) as f32) - 0.5
    }

    fn unit(dimensions: usize, seed: &mut u64) -> Vec<f32> {
        let mut vector = (0..dimensions).map(|_| noise(seed)).collect::<Vec<_>>();
        normalise(&mut vector);
        vector
    }

    #[test]
    fn the_search_gives_what_a_plain_one_gives() {
        for (rows, dimensions) in [(1, 3), (50, 16), (900, 70), (300, 384)] {
            let mut seed = 7 + dimensions as u64;
            let mut vectors = (0..rows).map(|_| unit(dimensions, &mut seed)).collect::<Vec<_>>();
            let twin = vectors[0].clone();
            vectors.push(twin);
            let table = Table::new((0..=rows).map(|n| n.to_string()).collect(), vectors.clone());
            for _ in 0..20 {
                let query = unit(dimensions, &mut seed);
                let cosine = |v: &[f32]| v.iter().zip(&query).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
                let mut plain = vectors.iter().map(|v| cosine(v)).collect::<Vec<_>>();
                for k in [1, 5, 20, 2000] {
                    let found = table.nearest(&query, k);
                    assert_eq!(found.len(), k.min(rows + 1));
                    for near in &found {
                        assert!((f64::from(near.similarity) - plain[near.index]).abs() < 1e-5);
                    }
                    assert!(found.is_sorted_by(
                        |a, b| a.similarity > b.similarity || a.similarity == b.similarity && a.index < b.index
                    ));
                }
                let worst = table.nearest(&query, 5).last().map_or(0.0, |n| f64::from(n.similarity));
                plain.sort_by(|a, b| b.total_cmp(a));
                assert!((plain[4.min(rows)] - worst).abs() < 1e-5);
            }
            let first = table.nearest(&vectors[0], 2);
            assert_eq!(first.iter().map(|n| n.index).collect::<Vec<_>>(), [0, rows], "of equals the earlier one");
        }
    }

    #[test]
    fn unfit_vectors_and_queries_find_nothing_and_break_nothing() {
        let table =
            Table::new(vec!["a".into(), "b".into(), "c".into()], vec![vec![1.0, 0.0], vec![f32::NAN, 0.0], vec![1.0]]);
        assert_eq!(table.nearest(&[1.0, 0.0], 1), [Neighbour { index: 0, similarity: 1.0 }]);
        assert_eq!(table.nearest(&[1.0, 0.0], 3).len(), 3);
        assert!(table.nearest(&[1.0], 1).is_empty() && table.nearest(&[f32::INFINITY, 0.0], 1).is_empty());
        assert!(Table::new(Vec::new(), Vec::new()).nearest(&[], 3).is_empty());
        assert_eq!(table.vector(0), Some(&[1.0, 0.0][..]));
        assert_eq!(table.vector(9), None);
        assert_eq!(table.nearest(&[0.0, 0.0], 2).len(), 2, "a sentence of which nothing is known is as far from all");
    }
}
