"""JSON lines on standard input and output, which nothing else writes to: what a library prints goes to standard error."""

import json
import os
import sys


def pairs():
    """Yields each request with the function that answers it, until the input ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    sys.stdout.flush()
    os.dup2(2, 1)

    def answer(value):
        out.write(json.dumps(value) + "\n")
        out.flush()

    for line in sys.stdin:
        yield json.loads(line), answer
