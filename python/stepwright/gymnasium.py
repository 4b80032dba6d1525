"""A world of Gymnasium: ``python -m stepwright.gymnasium FrozenLake-v1``.

In a terminal that opens the workbench; behind it (``--command 'python -m stepwright.gymnasium FrozenLake-v1'``) it speaks the protocol.

Actions of a Discrete space have names: those of Gymnasium's small text worlds, ``--actions left,down,…``, else ``action 0``; where the
environment tells an action mask, only what it allows is offered. Actions of other spaces are typed as JSON (``[0.5, -1]``,
``{"turn": 1}``). What is seen is the
environment's own picture in characters where it draws one, else the observation. An episode is won if it ends by itself with a reward of at
least ``--won``; those of Gymnasium's worlds with a goal are known, of others nothing is said of winning without it.
"""

import argparse
import json
import sys

from .world import Refused, main

FOUR = ["left", "down", "right", "up"]
TURN = ["up", "right", "down", "left"]
# What the numbers of an action space mean, as the environments' pages say, and the last reward of an episode that reached its goal.
KNOWN = {
    "FrozenLake": (FOUR, 1),
    "FrozenLake8x8": (FOUR, 1),
    "CliffWalking": (TURN, -1),
    "CliffWalkingSlippery": (TURN, -1),
    "Taxi": (["south", "north", "east", "west", "pickup", "dropoff"], 20),
    "Blackjack": (["stick", "hit"], 1),
    "CartPole": (["push left", "push right"], None),
    "MountainCar": (["accelerate left", "do not accelerate", "accelerate right"], -1),
    "Acrobot": (["torque -1", "torque 0", "torque 1"], 0),
    "LunarLander": (["do nothing", "fire left engine", "fire main engine", "fire right engine"], 100),
}


def plain(value):
    """As JSON knows it: arrays as lists, numbers of NumPy as numbers."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


def read(space, value):
    """An action of a space, of its JSON."""
    parts = getattr(space, "spaces", None)
    if isinstance(parts, dict):
        return {name: read(part, value[name]) for name, part in parts.items()}
    if parts is not None:
        return tuple(read(part, inner) for part, inner in zip(parts, value, strict=True))
    if isinstance(value, str) or space.dtype is None:
        return value
    import numpy

    return numpy.array(value, dtype=space.dtype)[()]


class World:
    def __init__(self, options):
        # Imported here: `--help` does not need it.
        try:
            import gymnasium
        except ModuleNotFoundError as why:
            if why.name != "gymnasium":
                raise
            sys.exit("Gymnasium is not installed for this Python: pip install gymnasium")

        for name in options.load:
            __import__(name)
        modes = self.modes(gymnasium, options)
        self.env = gymnasium.make(options.env, **options.options, **({"render_mode": "ansi"} if "ansi" in modes else {}))
        space = self.env.action_space
        family = options.env.rpartition("/")[2].partition("-v")[0]
        self.start = int(getattr(space, "start", 0))
        count = int(space.n) if hasattr(space, "n") and not hasattr(space, "nvec") and getattr(space, "shape", ()) == () else None
        known, goal = KNOWN.get(family, ([], None))
        names = options.actions.split(",") if options.actions else known
        if count is not None and options.actions and len(names) != count:
            sys.exit(f"--actions names {len(names)} actions; {options.env} has {count}")
        self.names = None if count is None else names if len(names) == count else [f"action {self.start + n}" for n in range(count)]
        self.won = goal if options.won is None else options.won
        self.hello = {"name": options.env, "version": gymnasium.__version__}

    @staticmethod
    def modes(gymnasium, options):
        made = gymnasium.make(options.env, **options.options)
        modes = made.metadata.get("render_modes") or []
        made.close()
        return modes

    def reset(self, _task, seed):
        seen, info = self.env.reset(seed=seed)
        return self.answer(seen, info, task=f"{self.hello['name']}: as much reward as can be had.")

    def act(self, text):
        if self.names is None:
            try:
                action = read(self.env.action_space, json.loads(text))
            except (ValueError, TypeError, KeyError) as why:
                raise Refused(f"an action of {self.env.action_space} is written as JSON: {why}") from None
            if not self.env.action_space.contains(action):
                raise Refused(f"{text} is no action of {self.env.action_space}.")
        elif text in self.names:
            action = self.start + self.names.index(text)
        else:
            raise Refused(f"There is no action `{text}`; there are: {', '.join(self.names)}.")
        seen, reward, ended, cut, info = self.env.step(action)
        reward = float(reward)
        won = {} if self.won is None else {"won": bool(ended) and reward >= self.won}
        return self.answer(seen, info, reward=reward, done=bool(ended or cut), **won)

    def answer(self, seen, info, **more):
        drawn = self.env.render() if self.env.render_mode == "ansi" else None
        told = json.dumps(plain(seen))
        answer = {"observation": f"{drawn.rstrip()}\n{told}" if isinstance(drawn, str) else told, "state": {"observation": plain(seen)}, **more}
        if self.names is not None:
            mask = info.get("action_mask")
            allowed = plain(mask) if mask is not None else [1] * len(self.names)
            answer["admissible"] = [name for name, is_allowed in zip(self.names, allowed) if is_allowed]
        return answer


def run():
    parser = argparse.ArgumentParser("python -m stepwright.gymnasium", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("env", help="an environment's id, such as FrozenLake-v1")
    parser.add_argument("--options", type=json.loads, default={}, metavar="JSON", help='what `gymnasium.make` is given: \'{"is_slippery": false}\'')
    parser.add_argument("--actions", help="names of the actions, in their order, with commas between")
    parser.add_argument("--won", type=float, metavar="REWARD", help="the last reward with which an episode counts as won")
    parser.add_argument("--load", action="append", default=[], metavar="MODULE", help="a module to import first, which registers the environment")
    main(World(parser.parse_args()))


if __name__ == "__main__":
    run()
