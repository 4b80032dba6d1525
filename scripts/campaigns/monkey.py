"""Random keys, mouse, paste, bytes and changes of size: no crash, no hang, the terminal restored, every session readable. At the end the
terminal may be held, as by Ctrl-S: the program ends all the same. Every course ends with SIGTERM; those of `kept/monkey.json` go first."""

import json
import os
import shutil
import signal
import termios
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


def course(chance, examples):
    """What is done in one terminal: the session that is opened, the inputs as keys or as [columns, rows], and how it is held at its end."""
    steps = []
    for _ in range(chance.randrange(40, 200)):
        if chance.random() < 0.05:
            steps.append([chance.choice([0, 1, 7, 40, 80, 120, 300]), chance.choice([0, 1, 5, 24, 40, 100])])
        else:
            steps.append(input_of(chance).decode("latin-1"))
    opened = chance.choice(examples).name if chance.random() < 0.6 else None
    return {"open": opened, "inputs": steps, "held": chance.choice([None, None, "before", "after"])}


def ended(terminal, held):
    """Asks it to end; its code, or None where it does not. `held`: the terminal takes no output, from before that or from right after."""
    if held == "before":
        termios.tcflow(terminal.slave, termios.TCOOFF)
    terminal.child.send_signal(signal.SIGTERM)
    if held == "after":
        # Once the modes are as before, Ctrl-S holds what is written.
        for _ in range(40):
            terminal.send(b"\x13")
            time.sleep(0.01)
    code = terminal.end(10)
    if held:
        termios.tcflow(terminal.slave, termios.TCOON)
        terminal.read(0.1, 2)
    return code


def run(bench, end):
    tally, inputs, holds = common.Tally("monkey in a terminal", bench), 0, 0
    examples = sorted((bench.root / "sessions").glob("*.jsonl"))
    kept = bench.saved("monkey")
    while time.monotonic() < end:
        since, home, chance = time.monotonic(), bench.home(), bench.random
        plan = kept.pop(0) if kept else course(chance, examples)
        # A copy: what is opened is written to.
        args = ["open", shutil.copy(bench.root / "sessions" / plan["open"], home)] if plan["open"] else []
        terminal = Terminal(bench, args, home)
        terminal.read(0.3, 10)
        for step in plan["inputs"]:
            if terminal.child.poll() is not None or time.monotonic() > end + 20:
                break
            if isinstance(step, list):
                terminal.resize(step)
            else:
                terminal.send(step.encode("latin-1"))
            inputs += 1
            terminal.read(0.004, 0.2)
        terminal.resize((120, 40))
        code = terminal.child.poll()
        if code is None:
            # Whatever is open, a request to end is obeyed.
            terminal.read(0.3, 20)
            code = ended(terminal, plan["held"])
            holds += plan["held"] is not None
        else:
            terminal.end()
        trouble = None
        if code is None:
            trouble = f"it does not end on SIGTERM (terminal held: {plan['held']})"
        elif code not in (0, 143, -signal.SIGTERM, 1, 2):
            trouble = f"it ended with {code}"
        elif plan["held"] != "before" and not terminal.is_restored():
            trouble = "the terminal is not restored"
        for path in [*home.glob("*.jsonl"), *(home / "state/stepwright/sessions").glob("*.jsonl")]:
            ran = bench.run(["show", path], home=home)
            if ran.code != 0 or ran.trouble():
                trouble = f"a session does not open: {os.fsdecode(ran.err)[:200]}"
        tally.took(time.monotonic() - since)
        if trouble:
            # The first line belongs into kept/monkey.json.
            tally.failed(trouble, f"{args}", json.dumps(plan).encode() + b"\n" + terminal.out[-20000:])
        terminal.close()
    tally.what += f" ({inputs:,} inputs; held at the end: {holds})"
    return tally
