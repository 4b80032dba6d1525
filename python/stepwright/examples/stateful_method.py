#!/usr/bin/env python3
"""A method that remembers what it has seen, through rejections, undo and branches (adapters/README.md, protocol 2)."""

import json
import sys

INFO = {"name": "Stateful", "protocol": 2, "version": "1.0", "about": "Remembers what it has seen.", "needs": {"world": ["admissible"]}}
memory = []  # an entry a step, in any form: here what was seen


def step(context):
    if context["rewound"]:  # the session went back, or to another branch
        del memory[context["rewound"]["keep"]:]
    memory.extend(step["observation"] for step in context["steps"][len(memory):])
    refused = {d["action"]: d["reason"] for d in context["decisions"] if d["choice"] == "reject" and d["node"] == context["node"]}
    left = [action for action in context["admissible"] or [] if action not in refused]
    if not left:
        return {"stuck": "everything here was rejected; type an action"}
    why = f"seen {len(memory)}, last: {memory[-1]}" + "".join(f" Not {a}: {r}." for a, r in refused.items())
    return {"act": left[-1], "why": why, "others": left[:-1], "usage": {"prompt": 10, "completion": 1, "cost": 0.001}}


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(INFO if "info" in request else step(request["step"])), flush=True)
