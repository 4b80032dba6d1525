"""An agent in Python whose actions a person approves, edits or rejects before they are used.

    from stepwright import gate

    def act(messages):                                  # the conversation so far, rejections with their reasons among it
        return gate.Call("cancel_order", {"order_id": "W42"}, text="the customer asks for it")

    agent = gate.Agent(act, task="Cancel W42.", tools=[{"name": "cancel_order", "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}}}])
    call = agent.decide()                               # what was decided: perhaps edited, perhaps another call
    agent.saw(shop.cancel_order(**call.arguments))      # what came of it; None where `decide` gave a text

``python -m stepwright.gate my_agent.py`` opens the workbench on it; what `stepwright gate` takes stands before it:
``python -m stepwright.gate --headless -- my_agent.py``. Run by itself, the agent decides alone. Nothing is asked of a language model here: `act` may ask one, plan, or look into a table.

How: `stepwright gate` decides about a model's answers, so each action is put to it as one. `Agent` asks the gate as a client of Chat
Completions does, and the gate asks, where a model would stand, a server within this process that calls `act`.
"""

import json
import os
import secrets
import socket
import sys
import threading
import urllib.request
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from . import program

# Where `act` is asked: set by `main`, so that the gate knows the address before the agent runs.
PORT, SECRET = "STEPWRIGHT_ACT_PORT", "STEPWRIGHT_ACT_SECRET"


@dataclass
class Call:
    """A call of a tool, or, without a name, a text that ends the agent's turn."""

    name: str = ""
    arguments: dict = field(default_factory=dict)
    text: str = ""
    id: str = ""


class Agent:
    """The two ends of the gate: it asks for decisions, and it is asked for actions."""

    def __init__(self, act, task="", tools=(), system=""):
        self.act, self.messages, self.calls = act, [], []
        self.tools = [{"type": "function", "function": dict(tool)} for tool in tools]
        if system:
            self.messages.append({"role": "system", "content": system})
        if task:
            self.messages.append({"role": "user", "content": task})
        self.url = os.environ.get("OPENAI_BASE_URL") if PORT in os.environ else None
        if self.url:
            server = ThreadingHTTPServer(("127.0.0.1", int(os.environ[PORT])), _handler(act))
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def decide(self):
        """The next action, once it is decided about."""
        body = {"model": "agent", "messages": self.messages, **({"tools": self.tools} if self.tools else {})}
        if self.url:
            request = urllib.request.Request(
                self.url.rstrip("/") + "/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"}
            )
            # The gate listens on this machine: no proxy of the network stands between. A person takes as long as it takes.
            answer = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request)
            message = json.load(answer)["choices"][0]["message"]
        else:
            message = _message(self.act(self.messages))
        self.messages.append(message)
        self.calls = [
            Call(call["function"]["name"], json.loads(call["function"]["arguments"] or "{}"), message.get("content") or "", call["id"])
            for call in message.get("tool_calls") or ()
        ]
        return self.calls[0] if self.calls else Call(text=message.get("content") or "")

    def saw(self, *observations):
        """What came of the calls decided about, one observation each, in order; of a text, what is said next."""
        for at, observation in enumerate(observations):
            told = observation if isinstance(observation, str) else json.dumps(observation)
            if at < len(self.calls):
                self.messages.append({"role": "tool", "tool_call_id": self.calls[at].id, "content": told})
            else:
                self.messages.append({"role": "user", "content": told})


def _message(action):
    """An action as the message of an assistant. Several calls at once are a list of them."""
    calls = action if isinstance(action, (list, tuple)) else [action]
    calls = [call if isinstance(call, Call) else Call(text=str(call)) for call in calls]
    message = {"role": "assistant", "content": " ".join(call.text for call in calls if call.text) or None}
    made = [
        {
            "id": call.id or "call_" + secrets.token_hex(12),
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
        }
        for call in calls
        if call.name
    ]
    return {**message, "tool_calls": made} if made else message


def _handler(act):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
            if self.path != f"/{os.environ[SECRET]}/v1/chat/completions":
                return self.send_error(404)
            try:
                message = _message(act(body["messages"]))
            except Exception as why:  # told to the person, who sees it in place of an answer
                return self.say(500, {"error": {"message": f"{type(why).__name__}: {why}", "type": "agent"}})
            finish = "tool_calls" if message.get("tool_calls") else "stop"
            choice = {"index": 0, "finish_reason": finish, "message": message}
            self.say(200, {"id": "chatcmpl-" + secrets.token_hex(8), "object": "chat.completion", "model": "agent", "choices": [choice]})

        def say(self, status, value):
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    return Handler


def main(words):
    """`stepwright gate` on a Python file, or on a module (`-m NAME`); its own options stand before, and `--` between."""
    if words and (words[0] == "-m" or not words[0].startswith("-")):
        words = ["--", *words]
    at = words.index("--") if "--" in words else len(words)
    options, agent = words[:at], words[at + 1 :]
    if not agent:
        sys.exit("usage: python -m stepwright.gate [OPTIONS OF stepwright gate --] AGENT.py [ARGUMENTS]")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    secret = secrets.token_urlsafe(16)
    given = [f"--env={PORT}={port}", f"--env={SECRET}={secret}", f"--upstream=http://127.0.0.1:{port}/{secret}/v1"]
    os.execv(program(), ["stepwright", "gate", *given, *options, "--", sys.executable, *agent])


if __name__ == "__main__":
    main(sys.argv[1:])
