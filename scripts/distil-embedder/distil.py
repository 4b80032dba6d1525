#!/usr/bin/env python3
"""Distils all-MiniLM-L6-v2 into the static table of crates/embed/data/table.bin.

    scripts/distil-embedder/distil.py MODEL ACTIONS OUT [--dimensions N] [--bytes N]

MODEL is a folder with the model's model.safetensors and vocab.txt, ACTIONS a list of admissible steps as JSON. The steps choose which
words the table knows, and a sample of them is what sums of pieces are fitted to; the table holds no step. Needs numpy. The vectors of
the pieces are kept beside OUT as OUT.npz and used again when they are there.

Which entries: every letter and digit (so that each word can be put together), the words of the steps with the pieces they are made
of, and then MiniLM's own pieces of letters alone, the most frequent first, until the table is full. A word of the steps that MiniLM
takes apart becomes an entry of its own: its vector is that of the whole word.

Which vectors: each entry goes through MiniLM alone, all are centred and turned by principal components, the leading ones kept, and a
row is multiplied by the weight a / (a + p) of smooth inverse frequency, where p follows Zipf's law over the rank in MiniLM's
vocabulary. Then the rows of pieces that occur in a sample of steps are moved, by ridge regression, so that sums over a step come near
MiniLM's vector of the whole step. A row is then rounded to a byte a number, with a scale a row.
"""

import argparse
import json
import os
import random
import re
import string

import numpy as np

from minilm import MiniLM, pieces

FIRST_WORD = "the"  # the most frequent word of the vocabulary; what follows is in order of frequency
SMOOTH = 1e-3  # the a of smooth inverse frequency
A_VERB = 400  # steps of each verb in the sample that is fitted to
RIDGE = 3.0  # how strongly rows are held where they were


def ranks(model):
    """Rank by frequency for each id of MiniLM's vocabulary, from 1; letters and signs that stand before it count as the first."""
    first = model.vocabulary[FIRST_WORD]
    return [max(1, n - first + 1) for n in range(len(model.entries))]


def entries(model, words):
    """Texts in order of need, with the ids MiniLM reads them as."""
    chosen = {}

    def add(text, ids):
        chosen.setdefault(text, ids)

    for c in string.ascii_lowercase + string.digits:
        for text in (c, "##" + c):
            add(text, [model.vocabulary[text]])
    for word in words:
        ids = pieces(word, model.vocabulary)
        for n in ids or []:
            add(model.entries[n], [n])
        if ids:
            add(word, ids)
    for n in range(model.vocabulary[FIRST_WORD], len(model.entries)):
        if re.fullmatch("(##)?[a-z]+", model.entries[n]):
            add(model.entries[n], [n])
    return chosen


def room(texts, dimensions, size):
    """How many entries fit."""
    used, count = 16, 0
    for text in texts:
        used += dimensions + 4 + len(text.encode()) + 1
        if used > size:
            break
        count += 1
    return count


def weights(model, ids):
    """Smooth inverse frequency; the rarest piece of an entry decides."""
    rank = ranks(model)
    total = sum(1 / r for r in range(1, len(model.entries)))
    p = np.array([1 / max(rank[n] for n in some) / total for some in ids])
    return SMOOTH / (SMOOTH + p)


def components(vectors, dimensions):
    """The mean and the leading principal axes."""
    mean = vectors.mean(0)
    values, axes = np.linalg.eigh(np.cov(vectors - mean, rowvar=False))
    return mean, axes[:, np.argsort(values)[::-1][:dimensions]]


def sample(steps):
    """So many steps of each verb, always the same ones."""
    verbs = {}
    for step in steps:
        verbs.setdefault(step.split()[0], []).append(step.replace("_", " "))
    chance = random.Random(0)
    return [step for all in verbs.values() for step in chance.sample(all, min(A_VERB, len(all)))]


def fitted(rows, texts, steps, targets):
    """Rows moved so that sums over steps come near the steps' own vectors."""
    index = {text: n for n, text in enumerate(texts)}
    parts = [[p for word in re.split("[^a-z0-9]+", step) for p in pieces(word, index) or []] for step in steps]
    seen = sorted({p for some in parts for p in some})
    column = {p: n for n, p in enumerate(seen)}
    counts = np.zeros((len(steps), len(seen)))
    for n, some in enumerate(parts):
        for p in some:
            counts[n, column[p]] += 1
    # Rows that are not moved must be as long as those that are.
    rows = rows * (np.linalg.norm(targets, axis=1).mean() / np.linalg.norm(counts @ rows[seen], axis=1).mean())
    held = counts.T @ counts + RIDGE * np.eye(len(seen))
    rows[seen] += np.linalg.solve(held, counts.T @ (targets - counts @ rows[seen]))
    return rows


def quantised(rows):
    """A scale a row, and a byte a number."""
    scales = np.maximum(np.abs(rows).max(1) / 127, 1e-9)
    return scales.astype("<f4"), np.rint(rows / scales[:, None]).astype(np.int8)


def of_sentences(model, sentences):
    """Whole sentences through MiniLM."""
    return model.embed([model.tokens(sentence) for sentence in sentences])


def vectors(model, ids, kept):
    """Each entry through MiniLM, alone."""
    if os.path.exists(kept):
        with np.load(kept) as file:
            if file["ids"].tolist() == [" ".join(map(str, some)) for some in ids]:
                return file["vectors"]
    out = model.embed([[model.first, *some, model.last] for some in ids])
    np.savez(kept, ids=np.array([" ".join(map(str, some)) for some in ids]), vectors=out)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("actions")
    parser.add_argument("out")
    parser.add_argument("--dimensions", type=int, default=96)
    parser.add_argument("--bytes", type=int, default=1_000_000)
    options = parser.parse_args()
    model = MiniLM(options.model)
    with open(options.actions, encoding="utf-8") as file:
        steps = [step.lower() for step in json.load(file)]
    words = sorted({word for step in steps for word in re.split("[^a-z0-9]+", step) if word})
    chosen = entries(model, words)
    texts = list(chosen)[: room(chosen, options.dimensions, options.bytes)]
    ids = [chosen[text] for text in texts]
    alone = vectors(model, ids, options.out + ".npz")
    mean, axes = components(alone, options.dimensions)
    rows = ((alone - mean) @ axes) * weights(model, ids)[:, None]
    some = sample(steps)
    scales, codes = quantised(fitted(rows, texts, some, (of_sentences(model, some) - mean) @ axes))
    with open(options.out, "wb") as file:
        file.write(b"SWEMBED1" + np.array(codes.shape, dtype="<u4").tobytes())
        file.write(scales.tobytes() + codes.tobytes() + "\n".join(texts).encode() + b"\n")
    print(f"{len(texts)} entries of {options.dimensions} dimensions, {os.path.getsize(options.out)} bytes")


if __name__ == "__main__":
    main()
