"""Damaged files of every kind that the command line reads: no crash, no hang, no more than 4 GB, and no control character printed."""

import time

from . import common

NAME = "files"


def kinds(bench):
    """(name, seed text, arguments with FILE in place of its path, its name)."""
    worlds, made = bench.root / "worlds", bench.home()
    text = lambda path: (bench.root / path).read_bytes()  # noqa: E731
    bench.run(["config", "init"], home=made)
    config = (made / "config/stepwright/config.toml").read_bytes().replace(b"\n# ", b"\n")
    results = made / "results.jsonl"
    bench.run(["run", "--tasks", "first=2", "--out", results], home=made, patience=120)
    found = [
        ("session", text("sessions/solved.jsonl"), ["show", "FILE"], "s.jsonl"),
        ("session", text("sessions/table.jsonl"), ["show", "FILE"], "s.jsonl"),
        ("session", text("sessions/by-hand.jsonl"), ["export", "--html", "-", "FILE"], "s.jsonl"),
        ("session", text("sessions/kitchen.jsonl"), ["export", "--jsonl", "-", "FILE"], "s.jsonl"),
        ("session", text("sessions/dialogue.jsonl"), ["compare", "FILE"], "s.jsonl"),
        ("household", text("worlds/household/tasks.jsonl")[:60000], ["play", "household", "--list", "--data", "FILE"], "t.jsonl"),
        ("dialogue", text("worlds/dialogue/Repairs_1.test.jsonl")[:60000], ["play", "dialogue", "--list", "--data", "FILE"], "t.jsonl"),
        ("kitchen", text("worlds/kitchen/galley.json"), ["play", "kitchen", "--list", "--data", "FILE"], "galley.json"),
        ("table", text("worlds/table/weight.jsonl")[:60000], ["play", "table", "--list", "--data", "FILE"], "t.jsonl"),
        ("graph", text("worlds/graph/scene_flat.json")[:200000], ["play", "graph", "--list", "--data", "FILE"], "scene_flat.json"),
        ("products", text("worlds/shop/products.json")[:200000], ["play", "shop", "--list", "--data", "DIR"], "products.json"),
        ("log", text("worlds/household/react.txt"), ["distill", "--replace", "--out", "made.skills.toml", "FILE"], "log.txt"),
        ("skills", text("worlds/household/skills.toml"),
         ["distill", "--replace", "--out", "made.skills.toml", "--known", "FILE", bench.root / "worlds/household/react.txt"], "k.skills.toml"),
        ("config", config, ["config", "show", "--config-dir", "DIR"], "config.toml"),
        ("assertions", b"# a file of adopted preconditions\n" + b"\n".join(
            line for line in text("worlds/household/spec.py").splitlines() if b"assert" in line or b"def " in line),
         ["preconditions", "check", "--world", "household", "FILE"], "a.preconditions.py"),
    ]
    if results.exists():
        found.append(("results", results.read_bytes(), ["report", "FILE"], "r.jsonl"))
    return [kind for kind in found if kind[1]]


def run(bench, end):
    tally = common.Tally("files on the command line", bench)
    all_kinds, home = kinds(bench), bench.home()
    names = set()
    while time.monotonic() < end:
        name, seed, words, file = all_kinds[tally.tried % len(all_kinds)]
        names.add(name)
        data = common.damaged(seed, bench.random)
        folder = home / name
        folder.mkdir(exist_ok=True)
        (folder / file).write_bytes(data)
        args = [str(word).replace("FILE", str(folder / file)).replace("DIR", str(folder)) for word in words]
        ran = bench.run(args, home=folder)
        tally.took(ran.seconds)
        # A page of HTML and a log are files that were asked for; what is in them is escaped, not absent.
        trouble = ran.trouble()
        if trouble:
            tally.failed(trouble, " ".join(args), data)
    tally.what += f" ({len(names)} formats)"
    return tally
