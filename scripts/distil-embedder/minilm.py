"""all-MiniLM-L6-v2 in numpy: its tokeniser and its forward pass. What is made of the vectors is left to distil.py."""

import json
import math
import struct
import unicodedata

import numpy as np

HEADS = 12
LAYERS = 6


def tensors(path):
    """The weights of a safetensors file by name, as f32."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    out = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            begin, end = entry["data_offsets"]
            out[name] = np.frombuffer(data[begin:end], dtype="<f4").reshape(entry["shape"])
    return out


def words(text):
    """BERT's uncased pre-tokenisation: lower case, accents off, punctuation on its own."""
    text = unicodedata.normalize("NFD", text.lower())
    out, word = [], ""
    for c in text:
        category = unicodedata.category(c)
        if category == "Mn":
            continue
        if c.isspace() or category.startswith("C"):
            out, word = out + [word], ""
        elif category.startswith("P") or c in "$+<=>^`|~":
            out, word = out + [word, c], ""
        else:
            word += c
    return [w for w in out + [word] if w]


def pieces(word, vocabulary, prefix="##"):
    """Longest match first; None when some part of the word is in no entry."""
    out, begin = [], 0
    while begin < len(word):
        for end in range(len(word), begin, -1):
            piece = (prefix if begin else "") + word[begin:end]
            if piece in vocabulary:
                out.append(vocabulary[piece])
                begin = end
                break
        else:
            return None
    return out


def gelu(x):
    """The exact form, x times the normal distribution function, by Abramowitz and Stegun 7.1.26 (error below 2e-7)."""
    z = np.abs(x) / math.sqrt(2)
    t = 1 / (1 + 0.3275911 * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - series * np.exp(-z * z))
    return 0.5 * x * (1 + erf)


class MiniLM:
    """Sentences to unit vectors of 384 dimensions: mean of the last layer's tokens."""

    def __init__(self, folder):
        self.weights = tensors(f"{folder}/model.safetensors")
        with open(f"{folder}/vocab.txt", encoding="utf-8") as file:
            self.entries = [line.rstrip("\n") for line in file]
        self.vocabulary = {piece: n for n, piece in enumerate(self.entries)}
        self.unknown, self.first, self.last = (self.vocabulary[t] for t in ("[UNK]", "[CLS]", "[SEP]"))

    def tokens(self, text):
        """The ids of a sentence, with the special ones around it."""
        ids = [self.first]
        for word in words(text):
            ids += pieces(word, self.vocabulary) or [self.unknown]
        return ids[:127] + [self.last]

    def forward(self, ids):
        """Sequences of one length to unit vectors."""
        w = self.weights
        ids = np.asarray(ids)
        batch, length = ids.shape

        def norm(x, name):
            x = x - x.mean(-1, keepdims=True)
            x = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
            return x * w[f"{name}.weight"] + w[f"{name}.bias"]

        def dense(x, name):
            flat = x.reshape(-1, x.shape[-1]) @ w[f"{name}.weight"].T  # one large product instead of one a sequence
            return flat.reshape(batch, length, -1) + w[f"{name}.bias"]

        def heads(x):
            return x.reshape(batch, length, HEADS, -1).transpose(0, 2, 1, 3)

        x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:length]
        x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for n in range(LAYERS):
            at = f"encoder.layer.{n}"
            q, k, v = (heads(dense(x, f"{at}.attention.self.{part}")) for part in ("query", "key", "value"))
            scores = q @ k.transpose(0, 1, 3, 2) / math.sqrt(q.shape[-1])
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            mixed = (scores / scores.sum(-1, keepdims=True)) @ v
            mixed = mixed.transpose(0, 2, 1, 3).reshape(batch, length, -1)
            x = norm(x + dense(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
            inner = gelu(dense(x, f"{at}.intermediate.dense"))
            x = norm(x + dense(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        mean = x.mean(1)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)

    def embed(self, sequences, at_once=256):
        """Sequences of ids, of any lengths, to unit vectors in their order; equal lengths go together, so nothing is padded."""
        out = np.zeros((len(sequences), 384), dtype=np.float32)
        lengths = {}
        for n, ids in enumerate(sequences):
            lengths.setdefault(len(ids), []).append(n)
        for same in lengths.values():
            for begin in range(0, len(same), at_once):
                some = same[begin : begin + at_once]
                out[some] = self.forward([sequences[n] for n in some])
        return out
