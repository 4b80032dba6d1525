//! The translator: which of many sentences are nearest in meaning to another, by the session's embedder.
//!
//! Tables of sentences are shared by all sessions of the process, and large ones kept on disk: the 47,522 steps of a household are embedded
//! once.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use stepwright_embed::{Embedder, Table, kept, sentence};

use super::embed;

/// Tables kept at once: a world's steps, and the tasks of its examples.
const KEPT: usize = 4;

/// Fewer sentences than these are embedded sooner than they are read.
const MANY: usize = 1000;

/// A table with the embedder's name and the sentences it is of.
type NamedTable = (String, Arc<[String]>, Arc<Table>);

static TABLES: Mutex<Vec<NamedTable>> = Mutex::new(Vec::new());

#[derive(Clone)]
pub struct Translator {
    embedder: Arc<dyn Embedder>,
    folder: Option<PathBuf>,
}

impl std::fmt::Debug for Translator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Default for Translator {
    fn default() -> Self {
        Translator::new(embed::built_in(), None)
    }
}

impl Translator {
    /// A translator by this embedder; `folder` is where vectors of many sentences are kept.
    pub fn new(embedder: Arc<dyn Embedder>, folder: Option<PathBuf>) -> Self {
        Translator { embedder, folder }
    }

    pub fn name(&self) -> &str {
        self.embedder.name()
    }

    /// The nearest sentences to each of some texts, each with its cosine, best first. Underscores count as spaces.
    pub fn nearest(
        &self,
        texts: &[String],
        among: &Arc<[String]>,
        most: usize,
    ) -> Result<Vec<Vec<(String, f64)>>, String> {
        let table = self.table(among)?;
        let texts: Vec<String> = texts.iter().map(|text| sentence(text)).collect();
        let vectors = self.embedder.embed(&texts).map_err(|error| error.to_string())?;
        let named = |vector: &Vec<f32>| {
            let found = table.nearest(vector, most).into_iter();
            found.filter_map(|near| Some((among.get(near.index)?.clone(), f64::from(near.similarity)))).collect()
        };
        Ok(vectors.iter().map(named).collect())
    }

    /// How like a text each of some sentences is: their cosines, in the sentences' order.
    pub fn likeness(&self, text: &str, of: &Arc<[String]>) -> Result<Vec<f64>, String> {
        let table = self.table(of)?;
        let vector = self.embedder.embed(&[sentence(text)]).map_err(|error| error.to_string())?;
        let mut likeness = vec![0.0; of.len()];
        for near in vector.iter().flat_map(|vector| table.nearest(vector, of.len())) {
            if let Some(place) = likeness.get_mut(near.index) {
                *place = f64::from(near.similarity);
            }
        }
        Ok(likeness)
    }

    fn table(&self, of: &Arc<[String]>) -> Result<Arc<Table>, String> {
        // Held while a table is made, so that sessions side by side do not make it twice.
        let mut held = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        let own =
            |(name, sentences, _): &&NamedTable| name == self.name() && (Arc::ptr_eq(sentences, of) || sentences == of);
        if let Some((_, _, table)) = held.iter().find(own) {
            return Ok(Arc::clone(table));
        }
        let sentences: Vec<String> = of.iter().map(|text| sentence(text)).collect();
        let table = match self.folder.as_deref().filter(|_| sentences.len() >= MANY) {
            Some(folder) => {
                let (table, origin) = kept::table(&*self.embedder, &sentences, folder, &mut |_| true)
                    .map_err(|error| error.to_string())?;
                tracing::info!(embedder = self.name(), sentences = sentences.len(), ?origin, "sentence vectors");
                table
            }
            None => {
                let vectors = self.embedder.embed(&sentences).map_err(|error| error.to_string())?;
                Table::new(sentences, vectors)
            }
        };
        let table = Arc::new(table);
        if held.len() >= KEPT {
            held.remove(0);
        }
        held.push((self.name().to_owned(), Arc::clone(of), Arc::clone(&table)));
        Ok(table)
    }
}
