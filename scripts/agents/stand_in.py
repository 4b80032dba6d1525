"""A stand-in for the model of an agent that has a shell: it looks, is about to delete in haste, and writes. It answers at the port that it prints."""

import http.server
import json

END = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
WANTED = ["ls", "rm notes", "cat notes", "echo tidy > done", END]


class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        calls = [c for m in asked["messages"] for c in m.get("tool_calls") or []]
        done = [json.loads(c["function"]["arguments"])["command"] for c in calls]
        # Nothing is deleted any more that was read: a deletion may have been rejected.
        left = [c for c in WANTED if c not in done and not (c == "rm notes" and "cat notes" in done)]
        # What somebody wrote otherwise is written.
        if any(c.startswith("echo") and c.endswith("> done") for c in done):
            left = [END]
        call = {"id": f"call_{len(done)}_{len(asked['messages'])}", "type": "function", "function": {"name": "bash", "arguments": json.dumps({"command": left[0] if left else END})}}
        message = {"role": "assistant", "content": "I go on.", "tool_calls": [call]}
        body = json.dumps({"id": f"x{len(done)}", "object": "chat.completion", "created": 1, "model": "stand-in",
                           "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
                           "usage": {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_address[1], flush=True)
server.serve_forever()
