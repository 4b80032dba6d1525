"""Kills while a session is decided in: every step that was on the screen and every record that was in the file is there afterwards, each
record once, and the file opens."""

import json
import re
import signal
import time

from . import common
from .terminal import Terminal

NAME = "crash"


def begun(bench, home):
    """The shipped task at its first step; whether it came to that."""
    terminal = Terminal(bench, [], home)
    # The list of tasks is read once it is shown.
    terminal.wait_for("pick and place")
    terminal.read()
    for keys in [b"/", b"heat some tomato", b"\r", b"\r"]:
        terminal.send(keys)
        terminal.read(0.3)
    for _ in range(20):
        if "step 0" in terminal.screen():
            return terminal, True
    return terminal, False


def step(text):
    steps = re.findall(r"step (\d+) ·", text)
    return int(steps[-1]) if steps else 0


def records(data):
    """Whole records of a session."""
    return [json.loads(line) for line in data.split(b"\n")[1:-1]]


def executed(data):
    """Steps in whole records of a session."""
    return sum(1 for record in records(data) if record.get("event") == "executed")


def session(home):
    """The one session of a home, and what is in it."""
    files = list((home / "state/stepwright/sessions").glob("*.jsonl"))
    return (files[0], files[0].read_bytes()) if files else (None, b"")


def run(bench, end):
    tally = common.Tally("kills while deciding", bench)
    shown_steps = 0
    while time.monotonic() < end:
        since, home = time.monotonic(), bench.home()
        terminal, ready = begun(bench, home)
        if not ready:
            tally.failed("it did not begin", "the start screen", terminal.out)
            terminal.end(0)
            terminal.close()
            break
        keys = bench.random.choice([[b"a"], [b"a", b"u", b"a", b"a"], [b"a", b"s", b"a"], [b"p", b"\x15end\r"]])
        rounds = bench.random.randrange(1, 6)
        for _ in range(rounds):
            for key in keys:
                terminal.send(key)
                terminal.read(0.05, 0.3)
        shown = step(terminal.screen()) if bench.random.random() < 0.7 else 0
        before = session(home)[1]
        before = before[:before.rfind(b"\n") + 1]
        # From here on nothing is waited for: it dies in the middle of something.
        for key in keys:
            terminal.send(key)
            time.sleep(bench.random.random() * 0.06)
        terminal.child.send_signal(signal.SIGKILL)
        terminal.child.wait()
        terminal.close()
        tally.took(time.monotonic() - since)
        file, data = session(home)
        ran = bench.run(["show", file], home=home) if file else None
        undone = b"u" in keys
        if ran is None or ran.code != 0:
            tally.failed("the session is not there or does not open", str(ran and ran.err), data)
        elif executed(data) < shown and not undone or (undone and shown and executed(data) < 1):
            tally.failed(f"step {shown} was shown, {executed(data)} are in the file", repr(keys), data)
        elif not data.startswith(before) or [record["id"] for record in records(data)] != list(range(1, len(records(data)) + 1)):
            tally.failed("records that were in the file are not, or not once", repr(keys), before + data)
        shown_steps += shown
    tally.what += f" ({shown_steps} steps were on the screen)"
    return tally
