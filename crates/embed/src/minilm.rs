//! all-MiniLM-L6-v2 in this process: its word pieces, its forward pass, the mean of its last layer. The files are fetched elsewhere.
//!
//! Sentences of one length go through together, so nothing is padded and no attention is masked.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use candle_core::{DType, Device, Module, Result, Tensor};
use candle_nn::ops::softmax_last_dim;
use candle_nn::{LayerNorm, Linear};
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::{NormalizerWrapper, PreTokenizerWrapper, Tokenizer};

use crate::{EmbedError, Embedder, normalise};

const NAME: &str = "all-MiniLM-L6-v2";

const DIMENSIONS: usize = 384;
const LAYERS: usize = 6;
const HEADS: usize = 12;

/// Most tokens of a sentence, the two around it included; what follows is not read.
const LONGEST: usize = 256;

/// Most tokens that go through at once.
const AT_ONCE: usize = 4096;

/// The model, read into memory.
pub struct MiniLm {
    tokenizer: Tokenizer,
    /// The tokens before and after every sentence.
    around: [u32; 2],
    words: Tensor,
    /// With the type of the first segment added, the only one a sentence has.
    positions: Tensor,
    norm: LayerNorm,
    layers: Vec<Layer>,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    mixed: Linear,
    mixed_norm: LayerNorm,
    inner: Linear,
    outer: Linear,
    outer_norm: LayerNorm,
}

struct Weights(HashMap<String, Tensor>);

impl Weights {
    fn take(&mut self, name: &str) -> Result<Tensor> {
        let found = self.0.remove(name);
        found.ok_or_else(|| candle_core::Error::Msg(format!("it has no weights `{name}`")))?.to_dtype(DType::F32)
    }

    fn linear(&mut self, name: &str) -> Result<Linear> {
        Ok(Linear::new(self.take(&format!("{name}.weight"))?, Some(self.take(&format!("{name}.bias"))?)))
    }

    fn norm(&mut self, name: &str) -> Result<LayerNorm> {
        Ok(LayerNorm::new(self.take(&format!("{name}.weight"))?, self.take(&format!("{name}.bias"))?, 1e-12))
    }

    fn layer(&mut self, n: usize) -> Result<Layer> {
        let at = |part: &str| format!("encoder.layer.{n}.{part}");
        Ok(Layer {
            query: self.linear(&at("attention.self.query"))?,
            key: self.linear(&at("attention.self.key"))?,
            value: self.linear(&at("attention.self.value"))?,
            mixed: self.linear(&at("attention.output.dense"))?,
            mixed_norm: self.norm(&at("attention.output.LayerNorm"))?,
            inner: self.linear(&at("intermediate.dense"))?,
            outer: self.linear(&at("output.dense"))?,
            outer_norm: self.norm(&at("output.LayerNorm"))?,
        })
    }
}

impl Layer {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let (sentences, tokens, width) = x.dims3()?;
        let head = width / HEADS;
        let heads = |x: Tensor| x.reshape((sentences, tokens, HEADS, head))?.transpose(1, 2)?.contiguous();
        let query = heads(self.query.forward(x)?)?;
        let key = heads(self.key.forward(x)?)?;
        let value = heads(self.value.forward(x)?)?;
        let scores = (query.matmul(&key.transpose(2, 3)?.contiguous()?)? / (head as f64).sqrt())?;
        let mixed = softmax_last_dim(&scores)?.matmul(&value)?;
        let mixed = mixed.transpose(1, 2)?.contiguous()?.reshape((sentences, tokens, width))?;
        let x = self.mixed_norm.forward(&(x + self.mixed.forward(&mixed)?)?)?;
        let inner = self.inner.forward(&x)?.gelu_erf()?;
        self.outer_norm.forward(&(&x + self.outer.forward(&inner)?)?)
    }
}

impl MiniLm {
    /// Reads the weights (`model.safetensors`) and the word pieces (`vocab.txt`).
    /// Errors: [`EmbedError::Failed`] with the file that cannot be read or is not what it should be.
    pub fn open(weights: &Path, vocabulary: &Path) -> std::result::Result<Self, EmbedError> {
        let unreadable = |path: &Path, why: String| failed(format!("{}: {why}; fetch it again", path.display()));
        let bytes = std::fs::read(weights).map_err(|e| unreadable(weights, e.to_string()))?;
        let read = || -> Result<(Tensor, Tensor, LayerNorm, Vec<Layer>)> {
            let mut all = Weights(candle_core::safetensors::load_buffer(&bytes, &Device::Cpu)?);
            let segment = all.take("embeddings.token_type_embeddings.weight")?.narrow(0, 0, 1)?;
            let positions = all.take("embeddings.position_embeddings.weight")?.broadcast_add(&segment)?;
            let layers = (0..LAYERS).map(|n| all.layer(n)).collect::<Result<Vec<_>>>()?;
            Ok((all.take("embeddings.word_embeddings.weight")?, positions, all.norm("embeddings.LayerNorm")?, layers))
        };
        let (words, positions, norm, layers) = read().map_err(|e| unreadable(weights, e.to_string()))?;
        let (tokenizer, around) = tokenizer(vocabulary).map_err(|why| unreadable(vocabulary, why))?;
        Ok(Self { tokenizer, around, words, positions, norm, layers })
    }

    fn tokens(&self, sentence: &str) -> std::result::Result<Vec<u32>, EmbedError> {
        let encoded = self.tokenizer.encode_fast(sentence, false).map_err(|e| failed(e.to_string()))?;
        let pieces = encoded.get_ids().iter().copied().take(LONGEST - 2);
        Ok([self.around[0]].into_iter().chain(pieces).chain([self.around[1]]).collect())
    }

    fn forward(&self, ids: &[&[u32]], length: usize) -> Result<Vec<Vec<f32>>> {
        let flat = Tensor::new(ids.concat(), &Device::Cpu)?;
        let x = self.words.index_select(&flat, 0)?.reshape((ids.len(), length, DIMENSIONS))?;
        let x = x.broadcast_add(&self.positions.narrow(0, 0, length)?)?;
        let x = self.layers.iter().try_fold(self.norm.forward(&x)?, |x, layer| layer.forward(&x))?;
        x.mean(1)?.to_vec2()
    }
}

impl Embedder for MiniLm {
    fn name(&self) -> &str {
        NAME
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, sentences: &[String]) -> std::result::Result<Vec<Vec<f32>>, EmbedError> {
        let tokens = sentences.iter().map(|s| self.tokens(s)).collect::<std::result::Result<Vec<_>, _>>()?;
        let mut by_length: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, ids) in tokens.iter().enumerate() {
            by_length.entry(ids.len()).or_default().push(at);
        }
        let mut out = vec![Vec::new(); sentences.len()];
        for (length, places) in by_length {
            for some in places.chunks((AT_ONCE / length).max(1)) {
                let ids = some.iter().filter_map(|at| tokens.get(*at)).map(Vec::as_slice).collect::<Vec<_>>();
                let vectors = self.forward(&ids, length).map_err(|e| failed(e.to_string()))?;
                for (at, mut vector) in some.iter().zip(vectors) {
                    normalise(&mut vector);
                    if let Some(place) = out.get_mut(*at) {
                        *place = vector;
                    }
                }
            }
        }
        Ok(out)
    }
}

fn failed(message: String) -> EmbedError {
    EmbedError::Failed { embedder: NAME.to_owned(), message }
}

/// BERT's uncased tokeniser over a list of pieces, and the tokens around a sentence.
fn tokenizer(vocabulary: &Path) -> std::result::Result<(Tokenizer, [u32; 2]), String> {
    let path = vocabulary.to_str().ok_or("its path is no text")?;
    let pieces = WordPiece::from_file(path).unk_token("[UNK]".into()).build().map_err(|e| e.to_string())?;
    let mut tokenizer = Tokenizer::new(pieces);
    let normalizer = NormalizerWrapper::BertNormalizer(BertNormalizer::default());
    tokenizer.with_normalizer(Some(normalizer)).map_err(|e| e.to_string())?;
    tokenizer.with_pre_tokenizer(Some(PreTokenizerWrapper::BertPreTokenizer(BertPreTokenizer)));
    let id = |token: &str| tokenizer.token_to_id(token).ok_or_else(|| format!("it has no piece {token}"));
    let around = [id("[CLS]")?, id("[SEP]")?];
    id("[UNK]")?;
    Ok((tokenizer, around))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fetched weights, where there are some: the folder with the model's own files.
    fn open() -> Option<MiniLm> {
        let folder = std::env::var_os("STEPWRIGHT_MINILM")?;
        let folder = Path::new(&folder);
        Some(MiniLm::open(&folder.join("model.safetensors"), &folder.join("vocab.txt")).unwrap())
    }

    #[test]
    fn the_published_cosines_come_out() {
        let Some(model) = open() else {
            eprintln!("no weights: set STEPWRIGHT_MINILM to a folder with model.safetensors and vocab.txt");
            return;
        };
        let text = ["A man is eating food.", "A man is eating a piece of bread.", "The girl is carrying a baby."];
        let vectors = model.embed(&text.map(str::to_owned)).unwrap();
        let cosine = |a: usize, b: usize| vectors[a].iter().zip(&vectors[b]).map(|(x, y)| x * y).sum::<f32>();
        assert!((cosine(0, 1) - 0.7553).abs() < 1e-3, "{}", cosine(0, 1));
        assert!((cosine(0, 2) + 0.1050).abs() < 1e-3, "{}", cosine(0, 2));
        let alone = model.embed(&["A man is eating food.".to_owned()]).unwrap();
        assert!(alone[0].iter().zip(&vectors[0]).all(|(x, y)| (x - y).abs() < 1e-5), "others beside it change nothing");
        assert_eq!(model.embed(&["word ".repeat(5000)]).unwrap()[0].len(), DIMENSIONS);
    }

    #[test]
    fn files_that_are_not_the_model_say_which_one() {
        let folder = tempfile::tempdir().unwrap();
        let (weights, vocabulary) = (folder.path().join("w"), folder.path().join("v"));
        std::fs::write(&vocabulary, "a\nb\n").unwrap();
        let error = |w: &Path| MiniLm::open(w, &vocabulary).err().unwrap().to_string();
        assert!(error(&weights).contains("/w: "), "{}", error(&weights));
        std::fs::write(&weights, b"not tensors at all").unwrap();
        assert!(error(&weights).contains("fetch it again"));
        assert!(tokenizer(&vocabulary).err().unwrap().contains("[CLS]"));
    }
}
