//! Embedder in the binary: a static vector for each word piece, weighted by how rare the piece is, summed over a sentence.
//!
//! `data/table.bin` is made by `scripts/distil-embedder` from all-MiniLM-L6-v2; `data/README.md` says how, from what and under
//! which licence. A static table knows no word order: `plug in` and `in plug` are one.

use std::sync::OnceLock;

use crate::pieces::Vocabulary;
use crate::{EmbedError, Embedder, normalise};

/// As it lies in the repository: see [`read`] for the form.
static FILE: &[u8] = include_bytes!("../data/table.bin");

/// How the file begins, with its version.
const MAGIC: &[u8; 8] = b"SWEMBED1";

struct Pieces {
    vocabulary: Vocabulary,
    dimensions: usize,
    /// The factor of a row's numbers; the weight of the piece is in it.
    scales: Vec<f32>,
    /// A row of `dimensions` for each piece.
    rows: Vec<i8>,
}

struct BuiltIn {
    name: String,
    pieces: Result<Pieces, EmbedError>,
}

/// The static table that ships in the binary, distilled from all-MiniLM-L6-v2. It needs no file, no model and no network.
pub fn built_in() -> &'static dyn Embedder {
    static BUILT_IN: OnceLock<BuiltIn> = OnceLock::new();
    BUILT_IN.get_or_init(|| {
        let pieces = read(FILE);
        let (count, dimensions) = pieces.as_ref().map_or((0, 0), |p| (p.scales.len(), p.dimensions));
        BuiltIn { name: format!("built-in static table 1 ({count} word pieces x {dimensions}, from MiniLM)"), pieces }
    })
}

impl Embedder for BuiltIn {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.pieces.as_ref().map_or(0, |p| p.dimensions)
    }

    fn embed(&self, sentences: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let pieces = self.pieces.as_ref().map_err(Clone::clone)?;
        Ok(sentences.iter().map(|s| pieces.vector(s)).collect())
    }
}

impl Pieces {
    fn vector(&self, sentence: &str) -> Vec<f32> {
        let mut vector = vec![0.0; self.dimensions];
        for piece in self.vocabulary.pieces(sentence) {
            let at = piece as usize;
            let row = self.rows.get(at * self.dimensions..(at + 1) * self.dimensions).unwrap_or_default();
            let scale = self.scales.get(at).copied().unwrap_or_default();
            vector.iter_mut().zip(row).for_each(|(sum, x)| *sum += scale * f32::from(*x));
        }
        normalise(&mut vector);
        vector
    }
}

/// Little endian: the magic, the number of pieces and of dimensions (u32), a scale a piece (f32), the rows (i8), and the pieces as
/// lines of UTF-8 to the end.
fn read(file: &'static [u8]) -> Result<Pieces, EmbedError> {
    let damaged = EmbedError::Table;
    let (magic, rest) = file.split_first_chunk::<8>().ok_or(damaged("it is empty"))?;
    if magic != MAGIC {
        return Err(damaged("it is of another version"));
    }
    let (count, rest) = rest.split_first_chunk::<4>().ok_or(damaged("it ends early"))?;
    let (dimensions, rest) = rest.split_first_chunk::<4>().ok_or(damaged("it ends early"))?;
    let (count, dimensions) = (u32::from_le_bytes(*count) as usize, u32::from_le_bytes(*dimensions) as usize);
    let (scales, rest) = rest.split_at_checked(count * 4).ok_or(damaged("it ends early"))?;
    let (rows, lines) = rest.split_at_checked(count * dimensions).ok_or(damaged("it ends early"))?;
    let lines = str::from_utf8(lines).map_err(|_| damaged("its pieces are no text"))?;
    let vocabulary = Vocabulary::new(lines);
    if vocabulary.len() != count || count == 0 || dimensions == 0 {
        return Err(damaged("its pieces are not as many as its rows"));
    }
    let scales = scales.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    Ok(Pieces { vocabulary, dimensions, scales, rows: rows.iter().map(|b| i8::from_ne_bytes([*b])).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn like(a: &str, b: &str) -> f32 {
        let vectors = built_in().embed(&[a.to_owned(), b.to_owned()]).unwrap();
        vectors[0].iter().zip(&vectors[1]).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn the_table_is_whole_and_at_most_a_megabyte() {
        assert!(FILE.len() <= 1_000_000, "{} bytes", FILE.len());
        let pieces = read(FILE).unwrap();
        assert!(pieces.scales.iter().all(|s| s.is_finite() && *s > 0.0));
        assert_eq!(built_in().dimensions(), pieces.dimensions);
        assert!(built_in().name().contains("MiniLM"));
    }

    #[test]
    fn vectors_have_length_one_and_nothing_known_has_none() {
        let vectors = built_in().embed(&["walk to the kitchen".to_owned(), "!!".to_owned()]).unwrap();
        let length = |v: &[f32]| v.iter().map(|x| x * x).sum::<f32>();
        assert!((length(&vectors[0]) - 1.0).abs() < 1e-5 && length(&vectors[1]) == 0.0);
        assert!(vectors.iter().all(|v| v.len() == built_in().dimensions()));
    }

    #[test]
    fn likeness_follows_meaning_and_not_letters() {
        assert!(like("go to the refrigerator", "walk to fridge") > like("go to the refrigerator", "walk to bridge"));
        assert!(like("sit down on the sofa", "sit on couch") > like("sit down on the sofa", "sit on soda"));
        assert!(like("grab the mug", "GRAB the MUG!") > 0.999);
    }

    #[test]
    fn a_damaged_table_is_an_error_that_says_so() {
        assert_eq!(read(&FILE[..4]).err(), Some(EmbedError::Table("it is empty")));
        assert_eq!(read(&FILE[..FILE.len() / 2]).err(), Some(EmbedError::Table("it ends early")));
        assert_eq!(read(b"SWEMBED0        ").err(), Some(EmbedError::Table("it is of another version")));
        assert_eq!(
            read(b"SWEMBED1\x02\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x01\x01one").err(),
            Some(EmbedError::Table("its pieces are not as many as its rows"))
        );
    }
}
