"""Files that are deleted, replaced, cut or appended to while a run or a session writes them: it is said, the exit code is no success, and the
file that the last words name has every result and every step that was shown."""

import os
import re
import subprocess
import time

from . import common, crash
from .terminal import SEQUENCES

NAME = "losses"


def results(data):
    return sum(b'"unit":' in line for line in data.split(b"\n")[1:-1])


def deleted(path):
    path.unlink()


def replaced(path):
    other = path.with_suffix(".other")
    other.write_text("{}\n")
    other.rename(path)


def cut(path):
    os.truncate(path, path.stat().st_size // 2)


def appended(path):
    with open(path, "ab") as file:
        file.write(b"{}\n")


def run(bench, end):
    tally = common.Tally("files that are lost under a run, a session", bench)
    while time.monotonic() < end:
        since, home, harm = time.monotonic(), bench.home(), bench.random.choice([deleted, replaced, cut, appended])
        trouble = (of_run if bench.random.random() < 0.5 else of_session)(bench, home, harm, since)
        tally.took(time.monotonic() - since)
        if trouble:
            tally.failed(trouble[0], f"{harm.__name__} {trouble[1]}", trouble[2])
    return tally


def of_run(bench, home, harm, since):
    path, wanted = home / "r.jsonl", bench.random.randrange(1, 12)
    process = subprocess.Popen([bench.program, "run", "--tasks", "all", "--seeds", "0..60", "--out", path],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=bench.env(home), cwd=home)
    shown = 0
    while shown < wanted and process.poll() is None and time.monotonic() - since < 60:
        time.sleep(0.02)
        shown = results(path.read_bytes()) if path.exists() else 0
    how = f"after {shown} results"
    if shown < wanted:
        process.kill()
        return "it does not come that far", how, b""
    harm(path)
    try:
        words = process.communicate(timeout=60)[1].decode(errors="replace")
    except subprocess.TimeoutExpired:
        process.kill()
        return "it went on for a minute", how, b""
    named = re.search(r" are in (\S+): go on", words)
    kept = home / named[1] if named else None
    if process.returncode == 0 or not kept or not kept.exists():
        return f"exit code {process.returncode}, and these words", how, words.encode()
    if results(kept.read_bytes()) < shown or bench.run(["report", kept], home=home).code != 0:
        return "the file that is named has not all of them", how, kept.read_bytes()
    return None


def of_session(bench, home, harm, _):
    terminal, ready = crash.begun(bench, home)
    for _ in range(bench.random.randrange(1, 5) if ready else 0):
        terminal.send(b"a")
        terminal.read(0.2, 3)
    shown, (path, before) = crash.step(terminal.screen()), crash.session(home)
    if not ready or shown == 0:
        terminal.end(0)
        return "it did not begin", "at the start", terminal.out
    harm(path)
    # Some go on, are asked for a name and give none.
    if bench.random.random() < 0.5:
        for key in [b"a", b"\x1b"]:
            terminal.send(key)
            terminal.read(0.3, 3)
    terminal.send(b"q")
    code, how = terminal.end(10), f"at step {shown}"
    words = SEQUENCES.sub(b"", terminal.out).replace(b"\r\n", b"").decode(errors="replace")
    terminal.close()
    named = re.search(r"stepwright open (\S+\.jsonl)", words)
    kept = home / named[1] if named else None
    if code != 1 or not kept or not kept.exists() or kept == path:
        return f"exit code {code}, and these words", how, words[-3000:].encode()
    data = kept.read_bytes()
    if len(crash.records(data)) < len(crash.records(before)) or crash.executed(data) < shown or bench.run(["show", kept], home=home).code != 0:
        return "the file that is named has not all that was shown", how, data
    return None
