"""Sessions cut at every byte and flipped bit by bit: every whole record before the cut is kept, and nothing is a crash."""

import json
import time

from . import common

NAME = "sessions"


def whole(data):
    """The whole records of a text."""
    return [json.loads(line) for line in data.split(b"\n")[:-1]]


def run(bench, end):
    tally = common.Tally("sessions cut and flipped", bench)
    home = bench.home()
    seeds = []
    for path in sorted((bench.root / "sessions").glob("*.jsonl")):
        # As the program writes it: the comparison is then exact.
        ran = bench.run(["export", "--jsonl", "-", path])
        seeds.append(ran.out if ran.code == 0 else path.read_bytes())
    file = home / "cut.jsonl"
    for seed in bench.seeds("session"):
        file.write_bytes(seed)
        ran = bench.run(["export", "--jsonl", "-", file])
        seeds += [ran.out] if ran.code == 0 else []
    while time.monotonic() < end:
        data = bench.random.choice(seeds)
        header = data.index(b"\n") + 1
        cut = bench.random.random() < 0.7
        if cut:
            part = data[:bench.random.randrange(header, len(data))]
        else:
            part = bytearray(data)
            part[bench.random.randrange(len(part))] ^= 1 << bench.random.randrange(8)
            part = bytes(part)
        file.write_bytes(part)
        ran = bench.run(["export", "--jsonl", "-", file])
        tally.took(ran.seconds)
        trouble = ran.trouble(raw=False)
        if not trouble and cut:
            records = whole(part)
            if len(records) > 1 and (ran.code != 0 or whole(ran.out)[: len(records)][1:] != records[1:]):
                trouble = "whole records are not read again"
        if trouble:
            tally.failed(trouble, f"export --jsonl - of a {'cut' if cut else 'flipped'} session", part)
    return tally
