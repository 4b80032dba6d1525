"""A program in a pseudo-terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

# Sequences of a terminal: CSI, OSC, and the short ones.
SEQUENCES = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b.")


class Terminal:
    def __init__(self, bench, args, home, size=(120, 40), env=()):
        self.master, self.slave = pty.openpty()
        self.resize(size)
        self.before = termios.tcgetattr(self.slave)
        self.out = b""
        self.child = subprocess.Popen([bench.program, *map(str, args)], stdin=self.slave, stdout=self.slave, stderr=self.slave,
                                      env={**bench.env(home), **dict(env)}, cwd=home, start_new_session=True)

    def resize(self, size):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        if hasattr(self, "child") and self.child.poll() is None:
            self.child.send_signal(signal.SIGWINCH)

    def send(self, data):
        # A program that does not read must not hold up the campaign.
        if select.select([], [self.master], [], 2)[1]:
            os.write(self.master, data)

    def read(self, quiet=0.2, patience=10.0):
        """Reads until nothing comes for a moment; gives what came, as text without sequences."""
        end, got = time.monotonic() + patience, b""
        while time.monotonic() < end and select.select([self.master], [], [], quiet)[0]:
            try:
                got += os.read(self.master, 1 << 16)
            except OSError:
                break
        self.out += got
        return SEQUENCES.sub(b" ", got).decode(errors="replace")

    def wait_for(self, text, patience=30.0):
        """Waits for a text; whether it came."""
        end, seen = time.monotonic() + patience, ""
        while time.monotonic() < end and self.child.poll() is None:
            seen += self.read(0.1, 2)
            # Words are drawn one cell after the other, perhaps with a change of colour in between.
            if text in re.sub(r"\s+", " ", seen):
                return True
        return False

    def screen(self):
        """The whole screen as text: a change of size has everything drawn anew."""
        self.read(0.05, 2)
        self.resize((119, 40))
        text = self.read(0.3, 10)
        self.resize((120, 40))
        return re.sub(r"\s+", " ", text + " " + self.read(0.3, 10))

    def is_restored(self):
        """Whether the modes are as before, and the last word on the alternate screen is that it is left."""
        modes = termios.tcgetattr(self.slave)[:4] == self.before[:4]
        entered, left = self.out.rfind(b"\x1b[?1049h"), self.out.rfind(b"\x1b[?1049l")
        return modes and left >= entered and self.out.rfind(b"\x1b[?1000h") <= self.out.rfind(b"\x1b[?1000l")

    def end(self, patience=5.0):
        """Waits for its end; the code, or None if it had to be killed."""
        end = time.monotonic() + patience
        while self.child.poll() is None and time.monotonic() < end:
            self.read(0.02, 0.2)
        code = self.child.poll()
        if code is None:
            os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()
        self.read(0.05, 1)
        return code

    def close(self):
        os.close(self.master)
        os.close(self.slave)
