"""Random keys, mouse, paste, bytes and changes of size: no crash, no hang, the terminal restored, every session readable."""

import os
import shutil
import signal
import time

from . import common
from .terminal import Terminal

NAME = "monkey"

KEYS = [bytes([c]) for c in range(32, 127)] + [bytes([c]) for c in range(1, 27) if c not in (3, 26)] + [
    b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1b[H", b"\x1b[F", b"\x1b[5~", b"\x1b[6~", b"\x1b[3~", b"\x1b[Z", b"\x1bOP",
    b"\x1b[21~", b"\x1b[23~", b"\x1b[24~", b"\x1b", b"\x1ba", b"\x1bs", b"\r", b"\t", b"\x7f"]
USEFUL = [b"a", b"s", b"x", b"e", b"u", b"U", b"m", b"t", b"p", b"?", b"n", b"\r", b"\x1b", b"\t", b"j", b"k"]


def input_of(chance):
    kind = chance.randrange(20)
    if kind < 9:
        return chance.choice(KEYS)
    if kind < 15:
        return chance.choice(USEFUL)
    if kind == 15:
        button, x, y = chance.choice([0, 1, 2, 32, 35, 64, 65]), chance.randrange(1, 300), chance.randrange(1, 90)
        return f"\x1b[<{button};{x};{y}{chance.choice('Mm')}".encode()
    if kind == 16:
        return b"\x1b[200~" + chance.choice([b"heat tomato 1 with microwave 1", b"x" * 5000, b"\x1b[2J\x00\n\n", "größe ∀ 😀\u202e".encode()]) + b"\x1b[201~"
    if kind == 17:
        return bytes(chance.randrange(256) for _ in range(chance.randrange(1, 12))).replace(b"\x03", b"").replace(b"\x1a", b"")
    if kind == 18:
        return chance.choice([b"\x1b[I", b"\x1b[O", b"\x1b[?1;2c", b"\x1b]11;rgb:0000/0000/0000\x07", b"\x1b[97;5u"])
    return chance.choice(KEYS) * chance.randrange(2, 30)


def run(bench, end):
    tally, inputs = common.Tally("monkey in a terminal", bench), 0
    examples = sorted((bench.root / "sessions").glob("*.jsonl"))
    while time.monotonic() < end:
        since, home, chance = time.monotonic(), bench.home(), bench.random
        args = []
        if chance.random() < 0.6:
            # A copy: what is opened is written to.
            args = ["open", shutil.copy(chance.choice(examples), home)]
        terminal = Terminal(bench, args, home)
        terminal.read(0.3, 10)
        history = []
        for _ in range(chance.randrange(40, 200)):
            if terminal.child.poll() is not None or time.monotonic() > end + 20:
                break
            if chance.random() < 0.05:
                size = (chance.choice([0, 1, 7, 40, 80, 120, 300]), chance.choice([0, 1, 5, 24, 40, 100]))
                terminal.resize(size)
                history.append(repr(size))
            else:
                keys = input_of(chance)
                terminal.send(keys)
                history.append(repr(keys))
            inputs += 1
            terminal.read(0.004, 0.2)
        terminal.resize((120, 40))
        code = terminal.child.poll()
        if code is None:
            # Whatever is open, a request to end is obeyed.
            terminal.read(0.3, 20)
            terminal.child.send_signal(signal.SIGTERM)
            code = terminal.end(20)
        else:
            terminal.end()
        trouble = None
        if code is None:
            trouble = "it does not end on SIGTERM"
        elif code not in (0, 143, -signal.SIGTERM, 1, 2):
            trouble = f"it ended with {code}"
        elif not terminal.is_restored():
            trouble = "the terminal is not restored"
        for path in [*home.glob("*.jsonl"), *(home / "state/stepwright/sessions").glob("*.jsonl")]:
            ran = bench.run(["show", path], home=home)
            if ran.code != 0 or ran.trouble():
                trouble = f"a session does not open: {os.fsdecode(ran.err)[:200]}"
        tally.took(time.monotonic() - since)
        if trouble:
            tally.failed(trouble, f"{args}", "\n".join(history).encode() + b"\n" + terminal.out[-20000:])
        terminal.close()
    tally.what += f" ({inputs:,} inputs)"
    return tally
