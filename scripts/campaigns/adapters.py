"""Failing adapters: whatever a command does that is a world, the program goes on and ends, and nothing of the command is left."""

import os
import pathlib
import time

from . import common

NAME = "adapters"
HELLO = '{"step":0,"observation":"a room","admissible":["add"]}'
STEP = '{"step":1,"observation":"more","done":false,"reward":0}'

# Shell scripts; each writes the numbers of what it leaves behind to $PIDS.
SCRIPTS = {
    "good": f"read a; echo '{HELLO}'; read b; echo '{STEP}'; cat >/dev/null",
    "dies at once": "exit 3",
    "dies in a step": f"read a; echo '{HELLO}'; read b; kill -SEGV $$",
    "hangs": "sleep 1000",
    "hangs in a step": f"read a; echo '{HELLO}'; sleep 1000",
    "survives TERM": f"trap '' TERM HUP INT; read a; echo '{HELLO}'; while true; do sleep 1; done",
    "floods a line": "read a; head -c 200000000 /dev/zero | tr '\\0' x",
    "floods lines": f"read a; yes '{HELLO}'",
    "floods errors": f"read a; yes nonsense >&2 & echo '{HELLO}'; read b; echo '{STEP}'",
    "nonsense": "read a; echo hello; cat",
    "escapes": "read a; printf '\\033]52;c;ZXZpbA==\\007\\033[2J\\n'; printf '\\033]0;x\\007' >&2; sleep 1000",
    "last words with escapes": "read a; printf '\\033[2J\\033]52;c;ZXZpbA==\\007dead\\n' >&2; exit 1",
    "deep": "read a; printf '{\"step\":0,\"observation\":'; head -c 300000 /dev/zero | tr '\\0' '['; echo",
    "bytes": "read a; head -c 3000 /dev/urandom; echo",
    "wrong step": f"read a; echo '{HELLO}'; read b; echo '{HELLO}'",
    "unasked": f"read a; echo '{HELLO}'; echo '{STEP}'; echo '{STEP}'; cat >/dev/null",
    "deaf": f"exec <&-; echo '{HELLO}'; sleep 1000",
    "mute": "exec >&-; sleep 1000",
    "children": f"sleep 1001 & echo $! >> $PIDS; read a; echo '{HELLO}'; cat >/dev/null",
    "children that leave": f"setsid sh -c 'echo $$ >> $PIDS; exec sleep 1002' & sh -c 'setsid sh -c \"echo \\$\\$ >> $PIDS; exec sleep 1003\" &'; "
                           f"read a; echo '{HELLO}'; cat >/dev/null",
    "a daemon, and dies": "sh -c 'setsid sh -c \"echo \\$\\$ >> $PIDS; exec sleep 1004\" &'; sleep 0.1; exit 1",
    "stops itself": "kill -STOP $$; sleep 1000",
    "sees the environment": "read a; env > $SEEN; ls /proc/self/fd > $SEEN.fd 2>/dev/null; exit 1",
}


def left(pids):
    """Which of the processes still run."""
    running = []
    for pid in pids.read_text().split() if pids.exists() else []:
        try:
            stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            continue
        if ") Z " not in stat:
            running.append(int(pid))
    return running


def run(bench, end):
    tally = common.Tally("failing adapters", bench)
    names = sorted(SCRIPTS)
    while time.monotonic() < end:
        name = names[tally.tried % len(names)]
        home = bench.home()
        script, pids, seen = home / "adapter.sh", home / "pids", home / "seen"
        script.write_text(f"PIDS={pids}\nexport PIDS\nSEEN={seen}\n{SCRIPTS[name]}\n")
        args = ["play", "external", "--jsonl", "--command", f"sh {script}", "--set", "external.cli.start_timeout_s=2",
                "--set", "external.cli.step_timeout_s=2"]
        ran = bench.run(args, home=home, stdin=b"add\nadd\n", patience=40,
                        env={"ANTHROPIC_API_KEY": "secret-of-a-provider", "MY_TOKEN": "secret-of-mine"})
        tally.took(ran.seconds)
        trouble = ran.trouble()
        time.sleep(0.02)
        if left(pids):
            time.sleep(1)
        for pid in left(pids):
            trouble = f"process {pid} is left"
            os.kill(pid, 9)
        if seen.exists() and "secret-of" in seen.read_text():
            trouble = "it sees a secret of the environment"
        if trouble:
            tally.failed(trouble, name, ran.err + ran.out)
    tally.what += f" ({min(len(names), tally.tried)} ways)"
    return tally
