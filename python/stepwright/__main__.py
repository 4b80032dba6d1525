"""``python -m stepwright``: the program itself."""

import os
import sys

from . import program

os.execv(program(), ["stepwright", *sys.argv[1:]])
