"""A disk that fails under a run: a file that may grow no further, writes and syncs that fail from some on. The run says so and its exit code is
none of success, sessions open, and the same run on a sound disk comes to every result once."""

import json
import os
import resource
import shutil
import signal
import subprocess
import time

from . import common

NAME = "faults"
# Tasks and seeds of a run.
UNITS = 4 * 4
# How a results file begins: one that was cut off before could be anybody's.
HEAD = b'{"stepwright":"results"'


def small(size):
    """Has every file end at a size, as a full disk does."""
    def before():
        common.limited()
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return before


def can_trace():
    """Whether single operations can be made to fail: by strace, of processes that are not dumpable."""
    return shutil.which("strace") and os.geteuid() == 0 and subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"]).returncode == 0


def run(bench, end):
    tally, traces, faults = common.Tally("disks that fail under a run", bench), can_trace(), 0
    while time.monotonic() < end:
        home = bench.home()
        path, sessions, chance = home / "r.jsonl", home / "sessions", bench.random
        args = ["run", "--tasks", "first=4", "--seeds", "0..3", "--jobs", chance.choice([1, 3]), "--out", path, "--sessions", sessions]
        before, under = common.limited, []
        if traces and chance.random() < 0.6:
            call, error = chance.choice([("write", "ENOSPC"), ("write", "EIO"), ("write", "EROFS"), ("fdatasync", "EIO")])
            more, target = chance.choice(["", "+"]), chance.choice([path, sessions])
            # Sessions are whatever is below their folder: all their files are named.
            names = [path] if target == path else [sessions / f"{name}.jsonl" for name in tasks(bench)]
            when = f"{chance.randrange(1, 14)}{more}"
            how = f"{call} of {target.name} fails with {error} at {when}"
            under = ["strace", "-f", "-qq", "-o", "/dev/null", *(word for name in names for word in ("-P", name)),
                     "-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={when}"]
        else:
            size = chance.randrange(0, 40_000)
            before, how = small(size), f"files of {size} bytes at most"
        ran = bench.run(args, home=home, patience=120, before=before, under=under)
        tally.took(ran.seconds)
        data = path.read_bytes() if path.exists() else b""
        faults += ran.code != 0
        trouble = ran.trouble()
        if not trouble and ran.code == 0 and units(data) != UNITS:
            trouble = "it ended well without all results"
        if not trouble and ran.code != 0 and not any(word in ran.err + ran.out for word in [b"os error", b"cannot be written"]):
            trouble = "it failed without a word"
        for session in sessions.glob("*.jsonl") if sessions.exists() else []:
            if not trouble and bench.run(["show", session], home=home).code != 0:
                trouble, data = "a session does not open", session.read_bytes()
        if not trouble and not data.startswith(HEAD[:len(data)] if len(data) < len(HEAD) else HEAD):
            trouble = "the results are no results"
        if not trouble:
            if len(data) < len(HEAD):
                path.unlink(missing_ok=True)
            again = bench.run(args, home=home, patience=120)
            data = path.read_bytes()
            if again.code != 0 or units(data) != UNITS or bench.run(["report", path], home=home).code != 0:
                trouble = f"on a sound disk it ends with {again.code} and {units(data)} of {UNITS} results: {again.err[-300:]!r}"
        if trouble:
            tally.failed(trouble, how, data + ran.err)
    tally.what += f" ({faults} failed so)"
    return tally


def tasks(bench):
    """How the sessions of the tasks are named."""
    if not hasattr(bench, "task_files"):
        home = bench.home()
        bench.run(["run", "--tasks", "first=4", "--max-steps", "1", "--sessions", home / "s"], home=home, patience=60)
        bench.task_files = [path.stem for path in (home / "s").glob("*.jsonl")]
    return [f"{name}{number}" for name in bench.task_files for number in ("", "-2", "-3")]


def units(data):
    """Units with a result that is no error; each counts once."""
    lines = (json.loads(line) for line in data.split(b"\n")[1:-1])
    return len({line["unit"] for line in lines if "unit" in line and not line.get("error")})
