//! Network: weights read from a GGUF file, and their forward pass over tokens with a cache of keys and values.
//!
//! Decoders of the Llama kind: RMSNorm, rotary positions, grouped-query attention, gated feed-forward; Qwen2 differs in the pairing
//! of rotated dimensions and in having biases. Tokens need not form one line: a mask may say what each sees, so that several
//! continuations of one text go through the weights together.

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{D, Device, Module, Result, Tensor};
use candle_nn::ops::{rms_norm, silu, softmax_last_dim};
use candle_nn::rotary_emb::{rope, rope_i};

use super::cache::Cache;
use super::gguf::Gguf;

/// Longest text held, in tokens, whatever length the model was trained for: bounds the memory of caches and position tables.
pub(super) const MAX_CONTEXT: usize = 8192;

/// Weights of kinds without fast kernels are held as 32-bit numbers up to this many bytes, and as Q8_0 beyond.
const MAX_PLAIN: usize = 1 << 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pairs {
    Interleaved,
    /// First half with second half.
    Halves,
}

#[derive(Debug, Clone, Copy)]
struct Sizes {
    layers: usize,
    width: usize,
    heads: usize,
    kv_heads: usize,
    head: usize,
    hidden: usize,
    vocabulary: usize,
    context: usize,
    epsilon: f32,
    theta: f32,
    pairs: Pairs,
}

impl Sizes {
    fn read(gguf: &Gguf) -> std::result::Result<Sizes, String> {
        let kind = gguf.text("general.architecture")?;
        let pairs = match kind {
            "llama" => Pairs::Interleaved,
            "qwen2" => Pairs::Halves,
            other => {
                return Err(gguf.wrong(format!("the architecture {other} is not known; llama and qwen2 are")));
            }
        };
        let key = |name: &str| format!("{kind}.{name}");
        for unknown in ["rope.scaling.type", "rope.scaling.factor", "expert_count", "attention.sliding_window"] {
            if gguf.has(&key(unknown)) {
                return Err(gguf.wrong(format!("{} is not supported", key(unknown))));
            }
        }
        if gguf.has_tensor("rope_freqs.weight") {
            return Err(gguf.wrong("scaled rotary positions are not supported"));
        }
        let heads = gguf.whole(&key("attention.head_count"), 1, 1024)?;
        let width = gguf.whole(&key("embedding_length"), 2, 1 << 16)?;
        let kv_key = key("attention.head_count_kv");
        let kv_heads = if gguf.has(&kv_key) { gguf.whole(&kv_key, 1, heads)? } else { heads };
        let head = width / heads;
        if head * heads != width || !head.is_multiple_of(2) || !heads.is_multiple_of(kv_heads) {
            let shape = format!("{heads} heads, {kv_heads} of them with keys, do not fit a width of {width}");
            return Err(gguf.wrong(shape));
        }
        for same in ["rope.dimension_count", "attention.key_length", "attention.value_length"] {
            if gguf.has(&key(same)) && gguf.whole(&key(same), 1, 1 << 16)? != head {
                return Err(gguf.wrong(format!("{} other than {head} is not supported", key(same))));
            }
        }
        let theta_key = key("rope.freq_base");
        let theta = if gguf.has(&theta_key) { gguf.number(&theta_key)? } else { 10_000.0 };
        let vocabulary = match gguf.content.tensor_infos.get("token_embd.weight").map(|i| i.shape.dims()) {
            Some([rows, _]) => *rows,
            _ => return Err(gguf.wrong("has no table token_embd.weight")),
        };
        Ok(Sizes {
            layers: gguf.whole(&key("block_count"), 1, 1024)?,
            width,
            heads,
            kv_heads,
            head,
            hidden: gguf.whole(&key("feed_forward_length"), 1, 1 << 20)?,
            vocabulary,
            context: gguf.whole(&key("context_length"), 1, usize::MAX)?.min(MAX_CONTEXT),
            epsilon: gguf.number(&key("attention.layer_norm_rms_epsilon"))?,
            theta: if theta > 0.0 { theta } else { 10_000.0 },
            pairs,
        })
    }
}

struct Linear {
    weight: QMatMul,
    bias: Option<Tensor>,
}

impl Linear {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.weight.forward(x)?;
        match &self.bias {
            Some(bias) => y.broadcast_add(bias),
            None => Ok(y),
        }
    }
}

struct Layer {
    attention_norm: Tensor,
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    feed_norm: Tensor,
    gate: Linear,
    up: Linear,
    down: Linear,
}

/// Weights, ready to run. Holds nothing of any text.
pub(super) struct Network {
    sizes: Sizes,
    embedding: QTensor,
    layers: Vec<Layer>,
    norm: Tensor,
    output: QMatMul,
    /// Cosine and sine by position, `[context, head / 2]`.
    turns: (Tensor, Tensor),
}

/// Reads tensors and brings them into a form with fast kernels.
struct Loader<'a> {
    gguf: &'a mut Gguf,
    plain: bool,
}

impl Loader<'_> {
    fn vector(&mut self, name: &str, n: usize) -> std::result::Result<Tensor, String> {
        let tensor = self.gguf.tensor(name, &[n])?;
        tensor.dequantize(&Device::Cpu).map_err(|e| self.gguf.wrong(format!("{name}: {e}")))
    }

    fn matrix(&mut self, name: &str, rows: usize, columns: usize) -> std::result::Result<QMatMul, String> {
        let tensor = self.gguf.tensor(name, &[rows, columns])?;
        fast(tensor, self.plain, columns).map_err(|e| self.gguf.wrong(format!("{name}: {e}")))
    }

    fn linear(&mut self, name: &str, rows: usize, columns: usize) -> std::result::Result<Linear, String> {
        let weight = self.matrix(&format!("{name}.weight"), rows, columns)?;
        let bias = format!("{name}.bias");
        let bias = if self.gguf.has_tensor(&bias) { Some(self.vector(&bias, rows)?) } else { None };
        Ok(Linear { weight, bias })
    }
}

/// Candle multiplies these kinds with vector instructions; the others it computes a number at a time.
fn is_fast(kind: GgmlDType) -> bool {
    use GgmlDType::{Q2K, Q3K, Q4_0, Q4K, Q5K, Q6K, Q8_0};
    matches!(kind, Q4_0 | Q8_0 | Q2K | Q3K | Q4K | Q5K | Q6K)
}

fn fast(tensor: QTensor, plain: bool, columns: usize) -> Result<QMatMul> {
    if is_fast(tensor.dtype()) && !plain {
        return QMatMul::from_qtensor(tensor);
    }
    let full = tensor.dequantize(&Device::Cpu)?;
    if plain || !columns.is_multiple_of(GgmlDType::Q8_0.block_size()) {
        return Ok(QMatMul::Tensor(full));
    }
    QMatMul::from_qtensor(QTensor::quantize(&full, GgmlDType::Q8_0)?)
}

impl Network {
    pub(super) fn load(gguf: &mut Gguf) -> std::result::Result<Network, String> {
        let s = Sizes::read(gguf)?;
        let matrices = || gguf.content.tensor_infos.values().filter(|i| i.shape.rank() == 2);
        let bytes: usize = matrices().map(|i| i.shape.elem_count().saturating_mul(4)).sum();
        let slow = matrices().any(|i| !is_fast(i.ggml_dtype));
        let mut from = Loader { plain: slow && bytes <= MAX_PLAIN, gguf };
        let (kv, width) = (s.kv_heads * s.head, s.width);
        let mut layers = Vec::with_capacity(s.layers);
        for n in 0..s.layers {
            let name = |part: &str| format!("blk.{n}.{part}");
            layers.push(Layer {
                attention_norm: from.vector(&name("attn_norm.weight"), width)?,
                query: from.linear(&name("attn_q"), width, width)?,
                key: from.linear(&name("attn_k"), kv, width)?,
                value: from.linear(&name("attn_v"), kv, width)?,
                output: from.linear(&name("attn_output"), width, width)?,
                feed_norm: from.vector(&name("ffn_norm.weight"), width)?,
                gate: from.linear(&name("ffn_gate"), s.hidden, width)?,
                up: from.linear(&name("ffn_up"), s.hidden, width)?,
                down: from.linear(&name("ffn_down"), width, s.hidden)?,
            });
        }
        // Models with one table for both ends leave the second out.
        let output = if from.gguf.has_tensor("output.weight") { "output.weight" } else { "token_embd.weight" };
        let output = from.matrix(output, s.vocabulary, width)?;
        let norm = from.vector("output_norm.weight", width)?;
        let embedding = from.gguf.tensor("token_embd.weight", &[s.vocabulary, width])?;
        let turns = turns(&s).map_err(|e| from.gguf.wrong(e))?;
        Ok(Network { sizes: s, embedding, layers, norm, output, turns })
    }

    /// Longest text, in tokens.
    pub(super) fn context(&self) -> usize {
        self.sizes.context
    }

    pub(super) fn vocabulary(&self) -> usize {
        self.sizes.vocabulary
    }

    pub(super) fn empty_cache(&self) -> Cache {
        Cache::new(self.sizes.layers)
    }

    /// Runs tokens at their positions and adds them to the cache; gives their last hidden states, `[tokens, width]`.
    ///
    /// Without a mask they see all in the cache and each the ones before it; a mask `[tokens, cached + tokens]` has 0 where a token
    /// sees another and minus infinity where not.
    pub(super) fn forward(
        &self,
        tokens: &[u32],
        positions: &[u32],
        mask: Option<&Tensor>,
        cache: &mut Cache,
    ) -> Result<Tensor> {
        let n = tokens.len();
        let ids = Tensor::new(tokens, &Device::Cpu)?;
        let places = Tensor::new(positions, &Device::Cpu)?;
        let turns = (self.turns.0.index_select(&places, 0)?, self.turns.1.index_select(&places, 0)?);
        let causal = if mask.is_none() && n > 1 { Some(causal(n, cache.len())?) } else { None };
        let mask = mask.or(causal.as_ref());
        let mut x = self.embedding.embedding(&ids)?;
        for (i, layer) in self.layers.iter().enumerate() {
            let h = rms_norm(&x, &layer.attention_norm, self.sizes.epsilon)?;
            let h = self.attention(i, layer, &h, &turns, mask, cache)?;
            x = (x + h)?;
            let h = rms_norm(&x, &layer.feed_norm, self.sizes.epsilon)?;
            let h = (silu(&layer.gate.forward(&h)?)? * layer.up.forward(&h)?)?;
            x = (x + layer.down.forward(&h)?)?;
        }
        cache.grown(n);
        Ok(x)
    }

    /// Natural log-probabilities of the next token after each hidden state, `[states, vocabulary]`.
    pub(super) fn log_probabilities(&self, hidden: &Tensor) -> Result<Tensor> {
        let h = rms_norm(&hidden.contiguous()?, &self.norm, self.sizes.epsilon)?;
        candle_nn::ops::log_softmax(&self.output.forward(&h)?, D::Minus1)
    }

    fn attention(
        &self,
        index: usize,
        layer: &Layer,
        x: &Tensor,
        turns: &(Tensor, Tensor),
        mask: Option<&Tensor>,
        cache: &mut Cache,
    ) -> Result<Tensor> {
        let s = &self.sizes;
        let n = x.dim(0)?;
        let by_head =
            |t: Tensor, heads: usize| t.reshape((n, heads, s.head))?.transpose(0, 1)?.contiguous()?.unsqueeze(0);
        let turn = |t: Tensor| match s.pairs {
            Pairs::Interleaved => rope_i(&t, &turns.0, &turns.1),
            Pairs::Halves => rope(&t, &turns.0, &turns.1),
        };
        let q = turn(by_head(layer.query.forward(x)?, s.heads)?)?;
        let k = turn(by_head(layer.key.forward(x)?, s.kv_heads)?)?.squeeze(0)?;
        let v = by_head(layer.value.forward(x)?, s.kv_heads)?.squeeze(0)?;
        // Heads that share keys are rows of one product.
        let rows = s.heads / s.kv_heads * n;
        let q = (q.reshape((s.kv_heads, rows, s.head))? / (s.head as f64).sqrt())?;
        let pieces = cache.add(index, k, v)?;
        let scores: Vec<Tensor> = pieces.iter().map(|p| q.matmul(&p.keys.transpose(1, 2)?)).collect::<Result<_>>()?;
        let mut scores = Tensor::cat(&scores, 2)?;
        let seen = scores.dim(2)?;
        if let Some(mask) = mask {
            scores = scores.reshape((s.heads, n, seen))?.broadcast_add(mask)?.reshape((s.kv_heads, rows, seen))?;
        }
        let weights = softmax_last_dim(&scores)?;
        let (mut sum, mut from): (Option<Tensor>, usize) = (None, 0);
        for piece in pieces {
            let len = piece.values.dim(1)?;
            let part = weights.narrow(2, from, len)?.contiguous()?.matmul(&piece.values.contiguous()?)?;
            sum = Some(match sum {
                Some(sum) => (sum + part)?,
                None => part,
            });
            from += len;
        }
        let Some(sum) = sum else { candle_core::bail!("nothing to attend to") };
        let joined = sum.reshape((s.heads, n, s.head))?.transpose(0, 1)?.contiguous()?.reshape((n, s.width))?;
        layer.output.forward(&joined)
    }
}

/// Each of `n` tokens sees the `cached` ones and those before it.
fn causal(n: usize, cached: usize) -> Result<Tensor> {
    let row = |i: usize| (0..cached + n).map(move |j| if j <= cached + i { 0.0 } else { f32::NEG_INFINITY });
    Tensor::from_vec((0..n).flat_map(row).collect::<Vec<f32>>(), (n, cached + n), &Device::Cpu)
}

fn turns(s: &Sizes) -> Result<(Tensor, Tensor)> {
    let step = |i: usize| 1.0 / s.theta.powf(i as f32 / s.head as f32);
    let steps: Vec<f32> = (0..s.head).step_by(2).map(step).collect();
    let half = steps.len();
    let steps = Tensor::from_vec(steps, (1, half), &Device::Cpu)?;
    let places: Vec<f32> = (0..s.context).map(|p| p as f32).collect();
    let angles = Tensor::from_vec(places, (s.context, 1), &Device::Cpu)?.matmul(&steps)?;
    Ok((angles.cos()?, angles.sin()?))
}
