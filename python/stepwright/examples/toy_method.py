#!/usr/bin/env python3
"""The smallest whole method: it offers what is admissible in the order asked for, and takes the first that holds (adapters/README.md).

With a language model it asks for the next line instead, and reads `add N` from what was written."""

import json
import sys

INFO = {
    "name": "Toy", "protocol": 1, "version": "1.0", "about": "Offers what is admissible, sorted.",
    "needs": {"world": ["admissible"]},
    "options": [{"key": "order", "type": "choice", "label": "Order", "about": "which action comes first", "default": "largest",
                 "choices": [["largest", "the largest first"], ["smallest", "the smallest first"]]}],
}


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
    order = context["options"]["order"]
    texts = sorted(context["admissible"] or [], reverse=order == "largest")
    if not texts:
        return {"stuck": "nothing is admissible; type an action"}
    ask = {"kind": {"for": "action", "how": "ranked"}, "n": len(texts)}
    return {"offer": {"ask": ask, "drafts": [draft(text, "symbolic", f"the {order} first") for text in texts]}}


def answer(request):
    if "info" in request:
        return INFO
    if "step" in request:
        return step(request["step"])
    lines = [text.strip() for text in request["read"]["texts"]]
    return {"drafts": {"drafts": [draft(line, "greedy", "as it was written") for line in lines]}}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
