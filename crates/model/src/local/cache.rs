//! Cache of the keys and values of the tokens seen so far, outside the weights: forking one is a cheap clone.
//!
//! A cache is a list of pieces that never change once made; new tokens make new pieces, and small neighbours are joined so that
//! there are never more than a few. So forks share what they have in common, and none disturbs another.

use candle_core::{Result, Tensor};

/// Keys and values of some tokens in one layer, each `[kv_heads, tokens, head]`.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) keys: Tensor,
    pub(super) values: Tensor,
}

impl Piece {
    fn len(&self) -> usize {
        self.keys.dims().get(1).copied().unwrap_or_default()
    }

    fn first(&self, n: usize) -> Result<Piece> {
        // A copy: a view would keep the rest in memory.
        let cut = |t: &Tensor| t.narrow(1, 0, n)?.force_contiguous();
        Ok(Piece { keys: cut(&self.keys)?, values: cut(&self.values)? })
    }

    fn join(&self, next: &Piece) -> Result<Piece> {
        let both = |a: &Tensor, b: &Tensor| Tensor::cat(&[a, b], 1);
        Ok(Piece { keys: both(&self.keys, &next.keys)?, values: both(&self.values, &next.values)? })
    }
}

/// Keys and values of all layers.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    layers: Vec<Vec<Piece>>,
    len: usize,
}

impl Cache {
    pub(super) fn new(layers: usize) -> Cache {
        Cache { layers: vec![Vec::new(); layers], len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds tokens to one layer; gives the layer's pieces. To be followed by [`Cache::grown`] once all layers have them.
    pub(super) fn add(&mut self, layer: usize, keys: Tensor, values: Tensor) -> Result<&[Piece]> {
        let Some(pieces) = self.layers.get_mut(layer) else { candle_core::bail!("there is no layer {layer}") };
        pieces.push(Piece { keys, values });
        // Lengths at least halve from piece to piece: few pieces, and each token is copied few times.
        while let [.., a, b] = pieces.as_slice() {
            if a.len() >= 2 * b.len() {
                break;
            }
            let joined = a.join(b)?;
            pieces.truncate(pieces.len() - 2);
            pieces.push(joined);
        }
        Ok(pieces)
    }

    /// Counts tokens that every layer has been given.
    pub(super) fn grown(&mut self, tokens: usize) {
        self.len += tokens;
    }

    /// Forgets all tokens after the first `len`.
    pub(super) fn truncate(&mut self, len: usize) -> Result<()> {
        for pieces in &mut self.layers {
            let mut kept = Vec::with_capacity(pieces.len());
            let mut left = len;
            for piece in pieces.drain(..) {
                if left == 0 {
                    break;
                }
                let n = piece.len();
                kept.push(if n <= left { piece } else { piece.first(left)? });
                left = left.saturating_sub(n);
            }
            *pieces = kept;
        }
        self.len = self.len.min(len);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{DType, Device};

    use super::*;

    fn tokens(from: usize, n: usize) -> Tensor {
        let line = Tensor::arange(from as f32, (from + n) as f32, &Device::Cpu).unwrap();
        let both = Tensor::stack(&[&line, &(line.clone() + 0.5).unwrap()], 0).unwrap();
        both.unsqueeze(2).unwrap().to_dtype(DType::F32).unwrap()
    }

    fn add(cache: &mut Cache, n: usize) {
        let from = cache.len();
        cache.add(0, tokens(from, n), tokens(from, n)).unwrap();
        cache.grown(n);
    }

    fn seen(cache: &Cache) -> Vec<f32> {
        let keys: Vec<Tensor> = cache.layers[0].iter().map(|p| p.keys.clone()).collect();
        Tensor::cat(&keys, 1).unwrap().get(0).unwrap().flatten_all().unwrap().to_vec1().unwrap()
    }

    #[test]
    fn pieces_stay_few_and_in_order() {
        let mut cache = Cache::new(1);
        add(&mut cache, 37);
        for _ in 0..500 {
            add(&mut cache, 1);
            assert!(cache.layers[0].len() <= 10);
        }
        let want: Vec<f32> = (0..537).map(|n| n as f32).collect();
        assert_eq!(seen(&cache), want);
    }

    #[test]
    fn forks_do_not_disturb_each_other() {
        let mut cache = Cache::new(1);
        (0..9).for_each(|_| add(&mut cache, 3));
        let mut fork = cache.clone();
        fork.truncate(10).unwrap();
        add(&mut fork, 4);
        assert_eq!((fork.len(), cache.len()), (14, 27));
        assert_eq!(seen(&fork), (0..14).map(|n| n as f32).collect::<Vec<_>>());
        assert_eq!(seen(&cache), (0..27).map(|n| n as f32).collect::<Vec<_>>());
        cache.truncate(0).unwrap();
        assert!(cache.layers[0].is_empty() && fork.len() == 14);
    }
}
