"""Stepwright from Python: the program itself, and worlds, methods and agents that it steps.

``stepwright.world`` serves a world, ``stepwright.method`` a method, ``stepwright.gate`` hands an agent's actions to a person;
``python -m stepwright.gymnasium``, ``.textworld`` and ``.alfworld`` are worlds that are ready. Nothing beside Python itself is needed but
what a world is made of. The protocol is that of adapters/README.md in the source.
"""

import os
import shutil
import sys
import sysconfig

__all__ = ["program"]


def program():
    """The path of the `stepwright` program: ``STEPWRIGHT_PROGRAM``, the one installed beside this module, or that of ``PATH``."""
    named = os.environ.get("STEPWRIGHT_PROGRAM")
    beside = os.path.join(sysconfig.get_path("scripts"), "stepwright" + (".exe" if os.name == "nt" else ""))
    found = named or (beside if os.path.isfile(beside) else shutil.which("stepwright"))
    if not found:
        sys.exit("there is no `stepwright` program in PATH; install the wheel, or name one with STEPWRIGHT_PROGRAM")
    return found
