"""Systems that refuse landlock, seccomp or both: what is said to hold is what does, and hostile code runs with one of them, never with none."""

import ctypes
import errno
import json
import platform
import struct
import time

from . import common
from .sandbox import CODES, LIMITS

NAME = "layers"
SECCOMP = {"x86_64": 317}.get(platform.machine(), 277)
LAYERS = {"landlock": [444, 445, 446], "seccomp": [SECCOMP]}


def refusing(numbers):
    """What has this process and those it starts get ENOSYS from system calls: a filter of seccomp's own."""
    rows = [(0x20, 0, 0, 0), *((0x15, len(numbers) - at, 0, number) for at, number in enumerate(numbers)),
            (0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x00050000 | errno.ENOSYS)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *row) for row in rows))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(rows), ctypes.addressof(code)))
    prctl = ctypes.CDLL(None).prctl

    def before():
        common.limited()
        # No new privileges, then the filter.
        if prctl(38, 1, 0, 0, 0) or prctl(22, 2, ctypes.byref(program), 0, 0):
            raise OSError("no filter")
        code.raw  # The rows live as long as what points to them.

    return before


def run(bench, end):
    tally = common.Tally("refused layers of the sandbox", bench)
    if platform.system() != "Linux":
        return tally
    words, refused = ["sandbox-worker", "held"], 0
    here = json.loads(bench.run(words).out)
    while time.monotonic() < end:
        without = [layer for layer in LAYERS if bench.random.random() < 0.6]
        before = refusing([number for layer in without for number in LAYERS[layer]])
        held = json.loads(bench.run(words, before=before).out or b"null")
        code = bench.random.choice(CODES)
        if bench.random.random() < 0.5:
            code = common.damaged(code.encode(), bench.random).decode(errors="replace")
        order = json.dumps({"code": code, "functions": ["say"], "values": {"state": {}}, "limits": LIMITS}) + "\n"
        ran = bench.run(["sandbox-worker", str(176 << 20), "3"], home=bench.home(), stdin=(order + '{"answer": null}\n' * 25).encode(), before=before)
        tally.took(ran.seconds)
        is_refused = b"neither landlock nor seccomp" in ran.out
        refused += is_refused
        bare = all(layer in without or not here[layer] for layer in LAYERS)
        how = f"without {' and '.join(without) or 'none'}: {code!r:.200}"
        if held != {**here, **{layer: type(here[layer])() for layer in without}}:
            tally.failed(f"it says that {held} holds", how)
        elif is_refused != bare or (bare and ran.out.count(b"\n") != 1):
            tally.failed("code is run that nothing holds" if bare else "code is not run that a layer holds", how, order.encode() + ran.out + ran.err)
    tally.what += f" (not run: {refused})"
    return tally
