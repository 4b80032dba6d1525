#!/usr/bin/env python3
"""The smallest whole method: it offers what is admissible, the largest first, and takes the first that holds (adapters/README.md).

With a language model it asks for the next line instead, and reads `add N` from what was written."""

import json
import sys


def draft(text, origin, why):
    return {"raw": text, "action": {"text": text}, "origin": origin, "rationale": why}


def step(context):
    for offered in context["proposals"]:
        if offered["proposal"].get("action"):
            return {"recommend": {"proposal": offered["proposal"]["id"], "why": "the first that is offered"}}
    if context["model"]["language"] and not context["asks"][1:]:
        text = "Add up to ten: " + ", ".join(context["admissible"] or [])
        prompt = {"template": "toy", "template_hash": "", "messages": [{"role": "user", "text": text}]}
        kind = {"for": "action", "how": "greedy"}
        return {"ask": {"ask": {"kind": kind, "prompt": prompt, "n": 1}}}
    texts = sorted(context["admissible"] or [], reverse=True)
    if not texts:
        return {"stuck": "nothing is admissible; type an action"}
    ask = {"kind": {"for": "action", "how": "ranked"}, "n": len(texts)}
    return {"offer": {"ask": ask, "drafts": [draft(text, "symbolic", "the largest first") for text in texts]}}


def read(context, texts):
    lines = [text.strip() for text in texts]
    return {"drafts": {"drafts": [draft(line, "greedy", "as it was written") for line in lines]}}


for line in sys.stdin:
    request = json.loads(line)
    if "step" in request:
        answer = step(request["step"])
    else:
        answer = read(request["read"]["context"], request["read"]["texts"])
    print(json.dumps(answer), flush=True)
