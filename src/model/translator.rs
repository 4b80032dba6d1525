//! The translator: which of many sentences are nearest in meaning to another, by the session's embedder.
//!
//! Tables of sentences are kept as long as the translator is: the 47,522 steps of a household are embedded once.

use std::sync::{Arc, Mutex, PoisonError};

use stepwright_embed::{Embedder, Table, built_in};

/// Tables kept at once: a world's steps, and the tasks of its examples.
const KEPT: usize = 4;

/// Finds neighbours by an embedder.
#[derive(Clone)]
pub struct Translator {
    embedder: Arc<dyn Embedder>,
    tables: Arc<Mutex<Vec<(Arc<[String]>, Arc<Table>)>>>,
}

impl std::fmt::Debug for Translator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The embedder in the binary behind an [`Arc`].
struct BuiltIn;

impl Embedder for BuiltIn {
    fn name(&self) -> &str {
        built_in().name()
    }

    fn dimensions(&self) -> usize {
        built_in().dimensions()
    }

    fn embed(&self, sentences: &[String]) -> Result<Vec<Vec<f32>>, stepwright_embed::EmbedError> {
        built_in().embed(sentences)
    }
}

impl Default for Translator {
    fn default() -> Self {
        Translator::new(Arc::new(BuiltIn))
    }
}

impl Translator {
    /// A translator by this embedder.
    pub fn new(embedder: Arc<dyn Embedder>) -> Self {
        Translator { embedder, tables: Arc::default() }
    }

    /// The embedder's name.
    pub fn name(&self) -> &str {
        self.embedder.name()
    }

    /// The nearest sentences to each of some texts, each with its cosine, best first. Underscores count as spaces; capitals do not count.
    ///
    /// # Errors
    /// The embedder's, in words.
    pub fn nearest(
        &self,
        texts: &[String],
        among: &Arc<[String]>,
        most: usize,
    ) -> Result<Vec<Vec<(String, f64)>>, String> {
        let table = self.table(among)?;
        let texts: Vec<String> = texts.iter().map(|text| plain(text)).collect();
        let vectors = self.embedder.embed(&texts).map_err(|error| error.to_string())?;
        let named = |vector: &Vec<f32>| {
            let found = table.nearest(vector, most).into_iter();
            found.filter_map(|near| Some((among.get(near.index)?.clone(), f64::from(near.similarity)))).collect()
        };
        Ok(vectors.iter().map(named).collect())
    }

    /// How like a text each of some sentences is: their cosines, in the sentences' order.
    ///
    /// # Errors
    /// As [`Translator::nearest`].
    pub fn likeness(&self, text: &str, of: &Arc<[String]>) -> Result<Vec<f64>, String> {
        let table = self.table(of)?;
        let vector = self.embedder.embed(&[plain(text)]).map_err(|error| error.to_string())?;
        let mut likeness = vec![0.0; of.len()];
        for near in vector.iter().flat_map(|vector| table.nearest(vector, of.len())) {
            if let Some(place) = likeness.get_mut(near.index) {
                *place = f64::from(near.similarity);
            }
        }
        Ok(likeness)
    }

    fn table(&self, of: &Arc<[String]>) -> Result<Arc<Table>, String> {
        let known = |tables: &[(Arc<[String]>, Arc<Table>)]| {
            let found = tables.iter().find(|(sentences, _)| Arc::ptr_eq(sentences, of) || sentences == of);
            found.map(|(_, table)| Arc::clone(table))
        };
        let held = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = known(&held) {
            return Ok(table);
        }
        drop(held);
        let sentences: Vec<String> = of.iter().map(|sentence| plain(sentence)).collect();
        let vectors = self.embedder.embed(&sentences).map_err(|error| error.to_string())?;
        let table = Arc::new(Table::new(sentences, vectors));
        let mut held = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if held.len() >= KEPT {
            held.remove(0);
        }
        held.push((Arc::clone(of), Arc::clone(&table)));
        Ok(table)
    }
}

fn plain(sentence: &str) -> String {
    stepwright_embed::sentence(sentence).to_lowercase()
}
