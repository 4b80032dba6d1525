"""Games of TextWorld: ``python -m stepwright.textworld GAME.z8`` (a game file, or a folder of them).

In a terminal that opens the workbench; behind it (``--command 'python -m stepwright.textworld FOLDER'``) it speaks the protocol. A task is a
game's number in the sorted list, or an unmistakable part of its path; ``--list`` prints them. ``--state`` sends the facts of the game with each
answer, for people to look at.
"""

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

from .world import main


def choose(games, task):
    """The game of a task's name; the first one if there is no name."""
    task = task or "0"
    if task.isdigit() and int(task) < len(games):
        return games[int(task)]
    if Path(task).is_file():
        return Path(task)
    found = [game for game in games if task in str(game)]
    if len(found) == 1:
        return found[0]
    sys.exit(f"{len(found)} of {len(games)} games fit the task {task!r}; name one by number or path")


class Games:
    """One game at a time."""

    package, suffixes = "textworld", (".z8", ".ulx", ".json")

    @staticmethod
    def wrappers():
        return []

    def __init__(self, folder, state):
        # Imported here: that takes seconds, and --list does not need it.
        import textworld

        self.textworld, self.state, self.env = textworld, state, None
        self.games = find(folder, self.suffixes)
        self.hello = {
            "name": self.package,
            "version": version(self.package),
            "tasks": [{"id": str(number), "sentence": game.stem} for number, game in enumerate(self.games)],
        }

    def reset(self, task, _seed):
        if self.env is not None:
            self.env.close()
        infos = self.textworld.EnvInfos(won=True, lost=True, score=True, objective=True, admissible_commands=True, facts=self.state)
        self.env = self.textworld.start(str(choose(self.games, task)), request_infos=infos, wrappers=self.wrappers())
        self.score = 0.0
        now = self.env.reset()
        answer = self.answer(None, now, False)
        if now.get("objective"):
            answer["task"] = now["objective"].strip()
        return answer

    def act(self, text):
        now, score, done = self.env.step(text)
        answer = self.answer(text, now, bool(done))
        # A game's score is that of the episode; the protocol's reward is that of the step.
        answer["reward"], self.score = float(score or 0) - self.score, float(score or 0)
        return answer

    def answer(self, _action, now, done):
        answer = {
            "observation": now["feedback"].strip(),
            "admissible": now["admissible_commands"],
            "done": done or bool(now["won"]) or bool(now.get("lost")),
            "won": bool(now["won"]),
        }
        if self.state:
            names = {key: (info.name or key).strip() for key, info in (now.get("_entity_infos") or {}).items()}
            told = (f"{f.name}({', '.join(names.get(a.name, a.name).strip() for a in f.arguments)})" for f in now["facts"])
            answer["state"] = {"facts": sorted(told)}
        return answer


def find(folder, suffixes):
    """All game files below a folder, sorted, so that a number always means the same game."""
    if folder.is_file():
        return [folder]
    found = sorted(path for path in folder.rglob("*") if path.name.endswith(suffixes))
    # A game in Inform has its source beside it, as JSON.
    return [game for game in found if game.suffix != ".json" or not any(game.with_suffix(s) in found for s in (".z8", ".ulx"))]


def parser(about, default=None):
    options = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("games", type=Path, nargs="?" if default else None, default=default, help="a game, or a folder of games")
    options.add_argument("--state", action="store_true", help="send the game's facts with each answer")
    options.add_argument("--list", action="store_true", help="print the games and end")
    return options


def run(kind, options, **more):
    """Serves the games of a folder, or lists them."""
    games = find(options.games, kind.suffixes)
    if options.list:
        return [print(f"{number}\t{game}") for number, game in enumerate(games)]
    if not games:
        sys.exit(f"there is no game ({', '.join(kind.suffixes)}) below {options.games}")
    main(kind(options.games, options.state, **more))


if __name__ == "__main__":
    run(Games, parser(__doc__).parse_args())
