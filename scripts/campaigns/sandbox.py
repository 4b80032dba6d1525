"""Hostile code given to a worker itself: it answers within its time, with nothing but lines of JSON, and nothing is left of it."""

import json
import time

from . import common

NAME = "sandbox"

CODES = [
    "while True: pass", "x = 'a' * 10 ** 12", "x = 10 ** 10 ** 9", "def f(n): return f(n + 1)\nf(0)", "l = []\nwhile True: l.append('x' * 1000)",
    "d = {}\nwhile True: d[len(d)] = [len(d)] * 100", "open('/etc/passwd').read()", "import os\nos.system('id')", "().__class__.__bases__",
    "say('a' * 10 ** 7)", "while True: say(1)", "raise SystemExit(0)", "print('x' * 10 ** 8)", "x = [0] * 10 ** 9", "sorted([{}] * 1000)",
    "try:\n  while True: pass\nexcept BaseException:\n  say(1)", "s = {1}\nfor x in s: s.add(x + 1)", "f'{().__class__}'", "say(say)",
    "for i in range(10 ** 12): pass", "say('%s' % (1,) * 3)", "x = 'y'\nfor i in range(40): x += x", "lambda: (yield)", "assert False, 'z' * 10 ** 6",
    "def f():\n  try:\n    return f()\n  finally:\n    f()\nf()", "say(eval('1'), exec('2'))", "x = {}\nx['x'] = x\nsay(x)", "re.match('(a+)+$', 'a' * 40)",
]
LIMITS = {"wall": {"secs": 1, "nanos": 0}, "memory": 64 << 20, "calls": 20, "depth": 200}


def run(bench, end):
    tally = common.Tally("hostile code in the worker", bench)
    kept = CODES + [seed.decode(errors="replace") for seed in bench.seeds("module")] + bench.saved("sandbox")
    while time.monotonic() < end:
        # First all of them as they are.
        code = kept[tally.tried] if tally.tried < len(kept) else bench.random.choice(kept)
        if tally.tried >= len(kept) and bench.random.random() < 0.8:
            code = common.damaged((code + "\n" + bench.random.choice(kept)).encode(), bench.random).decode(errors="replace")
        order = json.dumps({"code": code, "functions": ["say"], "values": {"state": {}}, "limits": LIMITS}) + "\n"
        if bench.random.random() < 0.1:
            order = common.damaged(order.encode(), bench.random).decode(errors="replace").replace("\n", " ") + "\n"
        answers = '{"answer": null}\n' * 25
        home = bench.home()
        ran = bench.run(["sandbox-worker", str(176 << 20), "3"], home=home, stdin=(order + answers).encode(), patience=20)
        tally.took(ran.seconds)
        # Ended by the system for memory or time is an end as good as any.
        ended = ran.code is None or (ran.code < 0 and ran.code not in (-6, -9, -24, -11))
        trouble = "no end" if ran.code is None else f"ended with {ran.code}" if ended or b"panicked at" in ran.err else None
        if b"Usage:" in ran.err:
            trouble = "it is no worker as this campaign knows it"
        lines = [line for line in ran.out.split(b"\n") if line]
        try:
            said = [json.loads(line) for line in lines]
        except ValueError:
            said, trouble = [], trouble or "it said what is no JSON"
        if any(home.iterdir()):
            trouble = "it made a file"
        if "root:" in json.dumps(said):
            trouble = "it read a file"
        if trouble:
            tally.failed(trouble, repr(code)[:200], order.encode() + ran.err)
    return tally
