"""The real ALFWorld: ``python -m stepwright.alfworld [GAMES]``.

Needs the package: ``pip install alfworld``, and its games: ``alfworld-download`` (found at ``ALFWORLD_DATA``, else ``~/.cache/alfworld``), or any
folder that holds ``game.tw-pddl`` files. In a terminal it opens the workbench; behind it it speaks the protocol:

    [external.alfworld]
    command = ["python3", "-m", "stepwright.alfworld", "/path/to/json_2.1.1/valid_unseen"]
    tasks = ["0", "1", "2"]

With the household's own specification the world is a program, and preconditions can be inferred and checked in it: add

    spec = "/path/to/worlds/household/spec.py"
    demonstrations = "/path/to/worlds/household/demonstrations.jsonl"
    actions = [
        "agent.goto: go to {}", "agent.open: open {}", "agent.close: close {}", "agent.take: take {} from {}",
        "agent.put: move {} to {}", "agent.clean: clean {} with {}", "agent.heat: heat {} with {}",
        "agent.cool: cool {} with {}", "agent.toggle: use {}",
    ]

and ``--calls`` to the command, so that observations are told as calls too. (Releases of ALFWorld up to 0.3 say
"put {} in/on {}" in place of "move {} to {}".)
"""

import os
import re
from pathlib import Path

from . import textworld

# What was done, and the function it calls; the names in it are the arguments.
ACTIONS = [
    ("goto", r"go to (.+)"),
    ("open", r"open (.+)"),
    ("close", r"close (.+)"),
    ("take", r"take (.+) from (.+)"),
    ("put", r"(?:move|put) (.+) (?:to|in/on) (.+)"),
    ("clean", r"clean (.+) with (.+)"),
    ("heat", r"heat (.+) with (.+)"),
    ("cool", r"cool (.+) with (.+)"),
    ("toggle", r"use (.+)"),
]


def names_in(text):
    """The names of a list such as `a mug 1, and a pan 2`."""
    return re.findall(r"(?:^|[ ,])an? ([a-z]+ [0-9]+)", text)


def call(path, *arguments):
    return f"{path}({', '.join(repr(a) for a in arguments)})"


def seen(place, observation):
    """The calls of what is seen at a place."""
    shows = re.search(r"you see (.*?)\.", observation)
    names = names_in(shows.group(1)) if shows else []
    visible = call("agent.update_visible_objects", place, *names)
    if f"The {place} is closed" in observation:
        return [call("env.set_property", place, "open", False)]
    if f"The {place} is open" in observation:
        return [call("env.set_property", place, "open", True)] + ([visible] if names else [])
    return [visible]


def calls_of(action, observation):
    """A step as calls of the household's specification; `action` is None for the reset."""
    if action is None:
        around = re.search(r"you see (.*?)\.", observation)
        return [call("agent.update_visible_objects", *names_in(around.group(1)))] if around else []
    examined = re.fullmatch(r"examine (.+)", action)
    if examined and re.search(rf"(On the {examined[1]},|The {examined[1]} is (open|closed))", observation):
        return seen(examined[1], observation)
    for function, pattern in ACTIONS:
        found = re.fullmatch(pattern, action)
        if not found:
            continue
        done = [call(f"agent.{function}", *found.groups())]
        what = found[1]
        if function in ("goto", "open"):
            return done + seen(what, observation)
        if function == "close":
            return done + [call("env.set_property", what, "open", False)]
        if function == "take":
            return done + [call("agent.add_inventory", what)]
        if function == "put":
            return done + [call("agent.remove_inventory", what)]
        return done + [call("env.set_property", what, function, True)]
    return []


class Games(textworld.Games):
    """One game at a time, as ALFWorld's package plays it."""

    package, suffixes = "alfworld", ("game.tw-pddl",)

    @staticmethod
    def wrappers():
        from alfworld.agents.environment.alfred_tw_env import AlfredDemangler

        return [AlfredDemangler(shuffle=False)]

    def __init__(self, folder, state, calls):
        super().__init__(folder, state)
        self.calls = calls
        self.won = False
        # A folder a trial: its name and that of its kind of task.
        for task, game in zip(self.hello["tasks"], self.games):
            task["sentence"] = game.parent.parent.name

    def reset(self, task, seed):
        self.won = False
        answer = super().reset(task, seed)
        goal = re.search(r"Your task is to: (.*)", answer["observation"])
        return {**answer, **({"task": goal.group(1).strip()} if goal else {})}

    def act(self, text):
        answer = super().act(text)
        # What is rewarded is the goal alone.
        answer["reward"], self.won = float(answer["won"] and not self.won), answer["won"]
        return answer

    def answer(self, action, now, done):
        answer = super().answer(action, now, done)
        refused = action is not None and answer["observation"] == "Nothing happens."
        if refused:
            answer["error"] = answer["observation"]
        elif self.calls:
            answer["calls"] = calls_of(action, answer["observation"])
        return answer


if __name__ == "__main__":
    default = Path(os.environ.get("ALFWORLD_DATA", "~/.cache/alfworld")).expanduser()
    options = textworld.parser(__doc__, default)
    options.add_argument("--calls", action="store_true", help="tell steps as calls of the household's specification")
    given = options.parse_args()
    textworld.run(Games, given, calls=given.calls)
