//! Text to tokens and back, as the GGUF file says.
//!
//! Candle builds the tokenizer from the file; what it gets wrong of the pre-tokenizer `smollm` is corrected here. Only
//! pre-tokenizers whose tokens have been compared with llama.cpp's are accepted.

use std::collections::{HashMap, HashSet};

use candle_core::quantized::gguf_file::Value;
use candle_core::quantized::tokenizer::TokenizerFromGguf;
use tokenizers::Tokenizer;
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;

use super::gguf::Gguf;
use super::guard::{Part, parts};

/// Tokens that end an answer wherever they are in a vocabulary, besides what a file names as the end.
const ENDS: [&str; 4] = ["<|im_end|>", "<|endoftext|>", "<|eot_id|>", "</s>"];

/// llama.cpp's numbers of kinds of tokens: an ordinary one, and one that is no text.
const NORMAL: i64 = 1;
const CONTROL: i64 = 3;

pub(super) struct Tokens {
    tokenizer: Tokenizer,
    /// The bytes of each token; none for control tokens.
    bytes: Vec<Vec<u8>>,
    ends: HashSet<u32>,
    /// The texts of control tokens, with their ids at the same places.
    special: Vec<String>,
    special_ids: Vec<u32>,
}

impl Tokens {
    /// `vocabulary` is the number of tokens the network knows.
    pub(super) fn read(gguf: &Gguf, vocabulary: usize) -> Result<Tokens, String> {
        let pre = gguf.text("tokenizer.ggml.pre")?.to_owned();
        let mut tokenizer = Tokenizer::from_gguf(&gguf.content).map_err(|e| gguf.wrong(e))?;
        match pre.as_str() {
            "qwen2" => {}
            "smollm" => {
                let parts: Vec<PreTokenizerWrapper> =
                    vec![Digits::new(true).into(), ByteLevel::new(false, true, true).into()];
                tokenizer.with_pre_tokenizer(Some(Sequence::new(parts)));
            }
            other => {
                return Err(gguf.wrong(format!("the pre-tokenizer {other} is not known; smollm and qwen2 are")));
            }
        }
        let list = |key: &str| match gguf.content.metadata.get(key) {
            Some(Value::Array(values)) => values.as_slice(),
            _ => &[],
        };
        let (texts, kinds) = (list("tokenizer.ggml.tokens"), list("tokenizer.ggml.token_type"));
        if texts.len() > vocabulary {
            let more = format!("has {} tokens, but weights for {vocabulary} only", texts.len());
            return Err(gguf.wrong(more));
        }
        let table = byte_of();
        let (mut bytes, mut ends) = (Vec::with_capacity(texts.len()), HashSet::new());
        let (mut special, mut special_ids) = (Vec::new(), Vec::new());
        for (id, text) in (0u32..).zip(texts) {
            let Value::String(text) = text else { return Err(gguf.wrong(format!("token {id} is no text"))) };
            let kind = kinds.get(id as usize).map_or(NORMAL, kind_of);
            bytes.push(match kind {
                CONTROL => Vec::new(),
                NORMAL => text
                    .chars()
                    .map(|c| table.get(&c).copied())
                    .collect::<Option<_>>()
                    .unwrap_or_else(|| text.clone().into_bytes()),
                _ => text.clone().into_bytes(),
            });
            if kind == CONTROL && !text.is_empty() {
                special.push(text.clone());
                special_ids.push(id);
            }
            if ENDS.contains(&text.as_str()) {
                ends.insert(id);
            }
        }
        for key in ["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"] {
            if gguf.has(key) {
                let id = gguf.whole(key, 0, vocabulary.saturating_sub(1))?;
                ends.extend(u32::try_from(id).ok());
            }
        }
        Ok(Tokens { tokenizer, bytes, ends, special, special_ids })
    }

    /// The tokens of a text. `begins`: with the mark that the model wants at the beginning of all, if any.
    pub(super) fn encode(&self, text: &str, begins: bool) -> Result<Vec<u32>, String> {
        let encoding =
            self.tokenizer.encode_fast(text, begins).map_err(|e| format!("the text cannot be tokenized: {e}"))?;
        Ok(encoding.get_ids().to_vec())
    }

    pub(super) fn special(&self) -> &[String] {
        &self.special
    }

    /// The tokens of a rendered text whose messages hold special tokens, marked: those are text, the others are special.
    pub(super) fn encode_marked(&self, text: &str, mark: char, begins: bool) -> Result<Vec<u32>, String> {
        let mut tokens = if begins { self.encode("", true)? } else { Vec::new() };
        for part in parts(text, &self.special) {
            match part {
                Part::Special(at) => tokens.extend(self.special_ids.get(at)),
                // Cut where the marks were, so that no piece holds a special token whole.
                Part::Text(text) => {
                    for piece in text.split(mark).filter(|piece| !piece.is_empty()) {
                        tokens.extend(self.encode(piece, false)?);
                    }
                }
            }
        }
        Ok(tokens)
    }

    /// A token's bytes; several tokens may share a character.
    pub(super) fn bytes(&self, token: u32) -> &[u8] {
        self.bytes.get(token as usize).map_or(&[], Vec::as_slice)
    }

    pub(super) fn is_end(&self, token: u32) -> bool {
        self.ends.contains(&token)
    }
}

/// A token's type: a 32-bit number in files as they are written today; a value reads only as the type it has.
fn kind_of(value: &Value) -> i64 {
    let wide = || value.to_i64().or_else(|_| value.to_u64().map(|n| n as i64));
    value.to_i32().map(i64::from).or_else(|_| wide()).unwrap_or(NORMAL)
}

/// GPT-2's alphabet: the byte each character of a token stands for.
fn byte_of() -> HashMap<char, u8> {
    let plain = |b: u8| matches!(b, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    let (own, others): (Vec<u8>, Vec<u8>) = (0..=255).partition(|b| plain(*b));
    let moved = (256u32..).zip(others).filter_map(|(c, b)| Some((char::from_u32(c)?, b)));
    own.into_iter().map(|b| (char::from(b), b)).chain(moved).collect()
}

#[cfg(test)]
mod tests {
    use super::byte_of;

    #[test]
    fn every_byte_has_its_character() {
        let table = byte_of();
        assert_eq!(table.len(), 256);
        assert_eq!((table[&'Ġ'], table[&'Ċ'], table[&'a'], table[&'é']), (b' ', b'\n', b'a', 0xE9));
    }
}
