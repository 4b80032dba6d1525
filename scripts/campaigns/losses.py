"""Files that are deleted, replaced, cut or appended to while results are written: it is said, the exit code is no success, and the file that
the last words name has every result."""

import os
import re
import subprocess
import time

from . import common

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
    tally = common.Tally("results whose file is lost", bench)
    while time.monotonic() < end:
        since, home = time.monotonic(), bench.home()
        path, harm, wanted = home / "r.jsonl", bench.random.choice([deleted, replaced, cut, appended]), bench.random.randrange(1, 12)
        process = subprocess.Popen([bench.program, "run", "--tasks", "all", "--seeds", "0..60", "--out", path],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=bench.env(home), cwd=home)
        shown = 0
        while shown < wanted and process.poll() is None and time.monotonic() - since < 60:
            time.sleep(0.02)
            shown = results(path.read_bytes()) if path.exists() else 0
        if shown < wanted:
            process.kill()
            break
        harm(path)
        how = f"{harm.__name__} after {shown} results"
        try:
            words = process.communicate(timeout=60)[1].decode(errors="replace")
        except subprocess.TimeoutExpired:
            process.kill()
            tally.failed("it went on for a minute", how)
            continue
        tally.took(time.monotonic() - since)
        named = re.search(r" are in (\S+): ", words)
        kept = home / named[1] if named else None
        if process.returncode == 0 or not kept or not kept.exists():
            tally.failed(f"exit code {process.returncode}, and these words", how, words.encode())
        elif results(kept.read_bytes()) < shown or bench.run(["report", kept], home=home).code != 0:
            tally.failed("the file that is named has not all of them", how, kept.read_bytes())
    return tally
