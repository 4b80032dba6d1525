"""Damaged seeds for every parser in process: the fuzzer's targets of `tests/support/targets`, each in a process of its own, with its share
of the time. A crash, a hang, a panic or more than 4 GB is a failure; the input is kept."""

import json
import os
import re
import shutil
import subprocess
import time

from . import common

NAME = "targets"
TEST = "fuzz_targets::no_seed_and_no_damaged_seed_brings_a_parser_down"
DONE = re.compile(rb"^fuzzed (\S+) (\d+) ([\d.]+)$", re.M)
# One input may take twenty seconds before it is a failure by itself; beyond that and the time the whole hangs.
PATIENCE = 120


def built(bench):
    """The integration tests as a program: the one that was named, or cargo builds them."""
    if bench.tests:
        return bench.tests
    if not shutil.which("cargo"):
        return None
    made = subprocess.run(["cargo", "test", "--test", "it", "--no-run", "--message-format=json"], cwd=bench.root,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for line in made.stdout.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if message.get("executable") and message.get("target", {}).get("name") == "it":
            return message["executable"]
    return None


def run(bench, end):
    tally = common.Tally("parsers in process", bench)
    tests = built(bench)
    if tests is None:
        tally.what += " (not tried: the integration tests are not built)"
        return tally
    names = sorted(path.name for path in (bench.root / "fuzz/seeds").iterdir() if path.is_dir())
    current = bench.folder / "input"
    for at, name in enumerate(names):
        share = max((end - time.monotonic()) / (len(names) - at), 1)
        current.write_bytes(b"")
        env = {**bench.env(bench.home()), "STEPWRIGHT_FUZZ_TARGET": name, "STEPWRIGHT_FUZZ_SECONDS": f"{share:.1f}",
               "STEPWRIGHT_FUZZ_SEED": str(bench.random.randrange(1 << 32)), "STEPWRIGHT_FUZZ_INPUT": str(current),
               "TMPDIR": str(bench.folder)}
        process = subprocess.Popen([tests, TEST, "--exact", "--nocapture"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env,
                                   cwd=bench.root, preexec_fn=common.limited)
        try:
            out, _ = process.communicate(timeout=share + PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            out, _ = process.communicate()
            tally.failed("no end", name, current.read_bytes())
            continue
        done = DONE.search(out)
        if done:
            tally.tried += int(done[2])
            if float(done[3]) > tally.worst:
                tally.worst, slowest = float(done[3]), name
        if process.returncode != 0 or not done:
            tally.failed(f"ended with {process.returncode}", f"{name}: {out[-600:].decode(errors='replace')}", current.read_bytes())
    tally.what += f" ({len(names)} targets; slowest: {slowest})" if tally.worst else f" ({len(names)} targets)"
    return tally
