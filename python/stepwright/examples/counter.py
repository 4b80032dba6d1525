#!/usr/bin/env python3
"""The smallest whole adapter: a world in which one counts up to ten (adapters/README.md)."""

import json
import sys

total = steps = 0
for line in sys.stdin:
    request = json.loads(line)
    error = None
    if "reset" in request:
        total = steps = 0
        text = "You have 0. Your task is to: reach exactly ten."
    else:
        steps += 1
        words = request["act"].split()
        if len(words) == 2 and words[0] == "add" and words[1] in ("1", "2", "3") and total + int(words[1]) <= 10:
            total += int(words[1])
            text = f"You have {total}."
        else:
            text = error = "That cannot be done here."
    answer = {
        "step": steps,
        "observation": text,
        "admissible": [f"add {n}" for n in (1, 2, 3) if total + n <= 10],
        "error": error,
        "reward": float(total == 10 and error is None),
        "done": total == 10,
        "won": total == 10,
        "state": {"total": total},
        "task": "reach exactly ten.",
    }
    if "reset" in request:
        answer["hello"] = {"protocol": 2, "name": "Counter", "version": "1"}
    print(json.dumps(answer), flush=True)
