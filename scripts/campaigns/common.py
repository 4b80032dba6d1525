"""What the parts share: the program under test, runs of it with a deadline and a memory limit, damage to texts, and the tally."""

import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

# Address space of a run of the command line.
MEMORY = 4 << 30
# Control characters that no output may hold. Line ends and tabs may.
RAW = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")


class Bench:
    """The program, a random source, and a folder that is gone at the end."""

    def __init__(self, program, root, seed, tests=None):
        self.program, self.root, self.seed, self.tests = str(program), root, seed, tests
        self.random = random.Random(seed)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="campaign-"))
        self.kept = root / "target/campaign"
        self.version = self.run(["--version"]).out.decode(errors="replace").strip() or "no version"

    def home(self):
        """An empty home."""
        return pathlib.Path(tempfile.mkdtemp(dir=self.folder))

    def seeds(self, target):
        """What is kept for a target of the fuzzer."""
        return [path.read_bytes() for path in sorted((self.root / "fuzz/seeds" / target).glob("*"))]

    def saved(self, part):
        """What is kept for a part: lists of values, each a case that failed once or is an edge."""
        path = self.root / "scripts/campaigns/kept" / f"{part}.json"
        return json.loads(path.read_text()) if path.exists() else []

    def env(self, home):
        """Variables of a run: its own folders, and no key of anybody's."""
        env = {"PATH": os.environ.get("PATH", ""), "TERM": "xterm-256color", "LANG": "C.UTF-8", "RUST_BACKTRACE": "0"}
        below = {"HOME": "", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state", "XDG_DATA_HOME": "data",
                 "XDG_CACHE_HOME": "cache", "STEPWRIGHT_CONFIG_DIR": "config/stepwright",
                 "STEPWRIGHT_STATE_DIR": "state/stepwright"}
        env.update({name: str(pathlib.Path(home) / path) for name, path in below.items()})
        return env

    def run(self, args, home=None, stdin=b"", patience=20, env=(), before=None, under=()):
        """Runs the program to its end: `before` in its process, `under` another program."""
        return Ran(self, [*under, self.program, *args], home or self.folder, stdin, patience, dict(env), before or limited)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def limited():
    """Bounds a run of the command line."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.setsid()


class Ran:
    """A run: its exit code (negative: the signal that ended it; None: it had to be ended), output and seconds."""

    def __init__(self, bench, words, home, stdin, patience, env, before):
        since = time.monotonic()
        process = subprocess.Popen([*map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env={**bench.env(home), **env}, cwd=home, preexec_fn=before)
        try:
            self.out, self.err = process.communicate(stdin, timeout=patience)
            self.code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            self.out, self.err = process.communicate()
            self.code = None
        self.seconds = time.monotonic() - since

    def trouble(self, raw=True):
        """What is wrong with it in a word, or None."""
        if self.code is None:
            return "no end"
        if self.code < 0 or self.code == 101 or b"panicked at" in self.err:
            return f"ended with {self.code}"
        if raw and (RAW.search(self.out) or RAW.search(self.err)):
            return "control characters in its output"
        return None


class Tally:
    """How often something was tried, and what failed."""

    def __init__(self, what, bench):
        self.what, self.bench, self.tried, self.failures, self.worst = what, bench, 0, [], 0.0

    def took(self, seconds):
        self.tried += 1
        self.worst = max(self.worst, seconds)

    def failed(self, why, how, data=None):
        """Notes a failure; its data is kept."""
        place = ""
        if data is not None:
            self.bench.kept.mkdir(parents=True, exist_ok=True)
            path = self.bench.kept / f"{self.what.split()[0]}-{self.bench.seed}-{len(self.failures)}"
            path.write_bytes(data)
            place = f" (kept: {path.relative_to(self.bench.root)})"
        self.failures.append(f"{self.what}: {why}: {how}{place}")

    def line(self):
        return f"{self.what}: {self.tried} tried, {len(self.failures)} failed, worst {self.worst:.2f} s"

    def row(self):
        return f"| {self.what} | {self.tried:,} | {len(self.failures)} | {self.worst:.2f} s |"


# Pieces that parsers stumble over.
PIECES = [b"\x00", b"\xff\xfe", b"\x1b]52;c;ZXZpbA==\x07", b"\xe2\x80\xae", b"\\u001b[2J", b"\\ud800", b"[" * 3000, b"{\"a\":" * 3000,
          b"(" * 3000, b"\"", b"'''", b"\n", b"\r", b"\t", b",", b"}", b"]", b")", b"null", b"-1", b"1e999", b"0" * 400,
          b"99999999999999999999", b"\xf0\x9f\x98\x80", b"A" * 70000, b"../../etc/passwd", b"{{ 1+1 }}", b"%s", b"#", b"="]


def damaged(data, chance):
    """A text with one to eight injuries."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        if not data:
            data = bytearray(b"x")
        at, kind = chance.randrange(len(data)), chance.randrange(8)
        other = chance.randrange(len(data))
        first, last = min(at, other), max(at, other)
        if kind == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            data[at] = chance.randrange(256)
        elif kind == 2:
            del data[first:min(last, first + 400)]
        elif kind == 3:
            data[at:at] = chance.choice(PIECES)
        elif kind == 4:
            data[at:at] = data[first:min(last, first + 2000)]
        elif kind == 5:
            del data[at:]
        elif kind == 6:
            lines = bytes(data).split(b"\n")
            chance.shuffle(lines)
            data = bytearray(b"\n".join(lines))
        else:
            numbers = list(re.finditer(rb"\d+", data))
            if numbers:
                number = chance.choice(numbers)
                data[number.start():number.end()] = chance.choice([b"-1", b"0", b"4294967296", b"1e308", b"18446744073709551616"])
    return bytes(data)
