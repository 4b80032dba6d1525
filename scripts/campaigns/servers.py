"""Failing servers: a headless run against a provider that breaks in every place ends by itself, keeps no key, and writes nothing raw."""

import base64
import json
import socket
import socketserver
import struct
import threading
import time

from . import common

NAME = "servers"
KEY = "sk-campaign-Zx81QpLm77Vb2aT9Kd"


def delta(text):
    return f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': text}}]})}\n\n".encode()


END = (b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
       b'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\ndata: [DONE]\n\n')
STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"


def answer(status, body, kind="application/json", length=None):
    length = len(body) if length is None else length
    return f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n".encode() + body


def echoes():
    """The key as servers may say it again."""
    raw = KEY.encode()
    return [KEY, KEY[5:], KEY[:-4], KEY[::-1], base64.b64encode(raw).decode(), base64.urlsafe_b64encode(b"k=" + raw).decode(), raw.hex(),
            "".join(f"%{c:02x}" for c in raw), "".join(f"\\u{c:04x}" for c in raw)]


def modes(chance):
    """(name, what is sent: bytes, a pause in seconds, or None for a reset)."""
    text = chance.choice(["agent.goto('fridge 1')", "go to fridge 1", "", "\x1b]52;c;ZXZpbA==\x07", "x" * 3000])
    good = STREAM + delta(text) + END
    echo = chance.choice(echoes())
    cut = good[: chance.randrange(len(good))]
    return chance.choice([
        ("good", [good]),
        ("cut", [cut]),
        ("reset", [cut, None]),
        ("drip", [good[i:i + 7] for i in range(0, min(len(good), 700), 7)]),
        ("damaged", [STREAM + common.damaged(delta(text) * 3 + END, chance)]),
        ("damaged head", [common.damaged(STREAM, chance) + delta(text) + END]),
        ("silence", [STREAM, 30.0]),
        ("slow", [STREAM] + [b": keepalive\n\n", 0.2] * 100),
        ("endless blanks", [STREAM] + [b" " * 65536] * 40),
        ("endless line", [STREAM + b"data: "] + [b"x" * 65536] * 200),
        ("endless deltas", [STREAM] + [delta("y" * 4000)] * 3000),
        ("no answer", [30.0]),
        ("closed", [b""]),
        ("status", [answer(chance.choice([301, 400, 401, 403, 404, 413, 422, 429, 500, 503, 529, 999]), b'{"error":{"message":"no"}}')]),
        ("status, key echoed", [answer(chance.choice([400, 401, 500]), json.dumps({"error": {"message": f"bad {echo}"}}).encode())]),
        ("key echoed", [STREAM + b"".join(delta(piece) for piece in [echo[:4], echo[4:9], echo[9:], " done"]) + END]),
        ("page", [answer(200, b"<html><title>\x1b[2Jproxy</title>", "text/html")]),
        ("wrong length", [answer(200, b"{}", length=chance.choice([0, 1, 10**12]))]),
        ("no JSON", [answer(200, common.damaged(b'{"choices":[{"message":{"content":"x"}}]}', chance))]),
        ("deep", [answer(200, b'{"choices":' + b"[" * 200000)]),
        ("bytes", [STREAM + b'data: {"choices":[{"index":0,"delta":{"content":"' + b"\xff" * 5000 + b'"}}]}\n\n' + END]),
        ("two wholes", [good + good]),
    ])


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True

    def __init__(self, steps):
        super().__init__(("127.0.0.1", 0), Handler)
        self.steps, self.over = steps, threading.Event()
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, request, address):
        """A client that hangs up is no error here."""


class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.settimeout(30)
        head = b""
        while b"\r\n\r\n" not in head:
            piece = self.request.recv(65536)
            if not piece:
                return
            head += piece
        for step in self.server.steps:
            if step is None:
                self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            if isinstance(step, float):
                if self.server.over.wait(step):
                    return
            else:
                self.request.sendall(step)


def holds_key(data):
    runs = {form[i:i + 12] for form in echoes() for i in range(len(form) - 11)}
    text = data.decode(errors="replace")
    return any(text[i:i + 12] in runs for i in range(len(text) - 11)) if "Zx81" in text or any(e[3:15] in text for e in echoes()) else False


def run(bench, end):
    tally, names = common.Tally("failing servers", bench), set()
    # What is sent, as text of one byte a character, a pause, or null for a reset.
    kept = [(case["name"], [step.encode("latin-1") if isinstance(step, str) else step for step in case["steps"]])
            for case in bench.saved("servers")]
    while time.monotonic() < end:
        name, steps = kept.pop(0) if kept else modes(bench.random)
        names.add(name)
        home, server = bench.home(), Server(steps)
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        args = ["run", "--tasks", "first=1", "--max-steps", "2", "--out", "results.jsonl", "--method", "few-shot", "--model", "m", "--base-url", url]
        for setting in ["retries=1", "retry_cap_s=1", "idle_timeout_s=2", "answer_timeout_s=4", "max_tokens=64", "record=tape.jsonl"]:
            args += ["--set", f"model.{setting}"]
        ran = bench.run(args, home=home, patience=90, env={"OPENAI_API_KEY": KEY})
        server.over.set()
        server.shutdown()
        server.server_close()
        tally.took(ran.seconds)
        trouble = ran.trouble()
        written = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
        if not trouble and holds_key(written + ran.out + ran.err):
            trouble = "the key is shown or kept"
        open_files = [path.name for path in home.rglob("*.jsonl") if path.stat().st_mode & 0o077]
        if not trouble and open_files:
            trouble = f"others may read {open_files}"
        if not trouble and (home / "tape.jsonl").exists() and (home / "tape.jsonl").stat().st_size:
            played = bench.run(["run", "--tasks", "first=1", "--max-steps", "1", "--method", "few-shot", "--model", f"cassette:{home / 'tape.jsonl'}"],
                               home=home, patience=60)
            trouble = played.trouble() or ("the cassette does not open" if b"no recorded exchange" in played.err else None)
        if trouble:
            # The first line belongs into kept/servers.json.
            sent = [step.decode("latin-1") if isinstance(step, bytes) else step for step in steps]
            tally.failed(trouble, name, json.dumps({"name": name, "steps": sent}).encode() + b"\n" + ran.err + ran.out)
    tally.what += f" ({len(names)} ways)"
    return tally
