"""Damaged files of every kind that the command line reads: no crash, no hang, no more than 4 GB, and no control character printed."""

import time

from . import common

NAME = "files"


def kinds(bench):
    """(name, seed texts, arguments with FILE in place of its path and DIR in place of its folder, its name)."""
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
    step = ["run", "--tasks", "first=1", "--max-steps", "1"]
    found += [
        ("cassette", b"", [*step, "--method", "few-shot", "--model", "cassette:FILE"], "tape.jsonl"),
        ("recorded", b"", [*step, "--world", "table", "--method", "statler", "--model", "recorded:FILE"], "outputs.jsonl"),
        ("playback", text("worlds/household/react.txt"), ["play", "recorded", "--list", "--data", "FILE"], "log.txt"),
        ("dialogues", b"", ["play", "dialogue", "--list", "--data", "FILE"], "dialogues_001.json"),
        ("tasks", text("worlds/graph/tasks.toml"), ["play", "graph", "--list", "--data", "DIR"], "tasks.toml"),
        ("theme", text("themes/dark.toml"), ["config", "show", "--config-dir", "DIR", "--set", "ui.theme=own"], "themes/own.toml"),
        ("demonstrations", text("worlds/household/demonstrations.jsonl")[:40000],
         [*step, "--set", "data.demonstrations=FILE"], "d.jsonl"),
    ]
    kept = {"assertions": "adopted", "products": "catalogue", "graph": "house", "log": "logs"}
    return [(name, [*([seed] if seed else []), *bench.seeds(kept.get(name, name))], words, file) for name, seed, words, file in found]


def run(bench, end):
    tally = common.Tally("files on the command line", bench)
    all_kinds, home = kinds(bench), bench.home()
    names = set()
    while time.monotonic() < end:
        name, seeds, words, file = all_kinds[tally.tried % len(all_kinds)]
        names.add(name)
        # First every seed as it is.
        turn = tally.tried // len(all_kinds)
        data = seeds[turn] if turn < len(seeds) else common.damaged(bench.random.choice(seeds), bench.random)
        folder = home / name
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        if name == "tasks":
            (folder / "scene_attic.json").write_bytes((bench.root / "worlds/graph/scene_attic.json").read_bytes())
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
