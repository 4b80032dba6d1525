"""A world served to Stepwright: an object with `reset` and `act`.

    from stepwright import world

    class Counter:
        def reset(self, task, seed):
            self.total = 0
            return {"observation": "You have 0.", "task": "reach exactly ten.", "admissible": ["add 1", "add 2"]}

        def act(self, text):
            if text not in ("add 1", "add 2"):
                raise world.Refused("That cannot be done here.")
            self.total += int(text[-1])
            return {"observation": f"You have {self.total}.", "admissible": ["add 1", "add 2"], "done": self.total == 10, "won": self.total == 10}

    world.main(Counter())

In a terminal that opens the workbench on the world; behind Stepwright (``--command 'python counter.py'``) it speaks the protocol.

An answer is a text (what is seen) or a dictionary of a WorldAnswer's fields (docs/reference/protocol.md); `step` is counted here. With
`hello`, a dictionary, the world says what it is. With `restore(snapshot)` going back is one call, for worlds whose answers have a `snapshot`.
An `act` that takes the keywords `tool` and `arguments` gets them where the actions are tools.
"""

import inspect
import os
import shlex
import sys

from . import program
from .lines import pairs


class Refused(Exception):
    """The world does not do this; its words say why. Nothing happened."""


def serve(world):
    """Answers requests until the input ends."""
    takes = inspect.signature(world.act).parameters.values()
    is_told = any(p.name in ("tool", "arguments") or p.kind is p.VAR_KEYWORD for p in takes)
    # What is possible and known now. A snapshot holds it beside the world's own, so that a process that is started anew knows it too.
    steps, kept = 0, {}
    for request, answer in pairs():
        if "restore" in request:
            said = {"step": request["step"]}
            try:
                if not hasattr(world, "restore"):
                    raise Refused("this world has no `restore`")
                own, known = request["restore"]
                world.restore(own)
                steps, kept = request["step"], known
            except Refused as why:
                said["error"] = str(why)
            answer(said)
            continue
        if "reset" in request:
            steps, said = 0, world.reset(request["reset"], request.get("seed", 0))
        else:
            steps += 1
            more = {name: request[name] for name in ("tool", "arguments") if is_told and name in request}
            try:
                said = world.act(request["act"], **more)
            except Refused as why:
                said = {**kept, "observation": str(why), "error": str(why)}
        said = dict(said) if isinstance(said, dict) else {"observation": str(said)}
        # Where nothing happened, all that was possible and known still is.
        kept = {name: said[name] for name in ("admissible", "state", "facts", "things", "goals", "request") if name in said}
        if said.get("snapshot") is not None:
            said["snapshot"] = [said["snapshot"], kept]
        if steps == 0 and isinstance(getattr(world, "hello", None), dict):
            said.setdefault("hello", {"protocol": 2, **world.hello})
        answer({"step": steps, **said})


def main(world, command=None):
    """Serves the world, or opens the workbench on it where a person started this program. `command` is what starts it again, a list of
    words; without it, what started it now."""
    if not sys.stdin.isatty():
        return serve(world)
    command = command or [sys.executable, *sys.orig_argv[1:]]
    words = ["stepwright", "--world", "external", "--command", " ".join(map(shlex.quote, command))]
    os.execv(program(), words)
