"""A small endpoint on this machine that speaks Gemini's and OpenAI's chat API, well or badly."""

import json
import threading
import time
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HIRE = '{"action_type": "hire_support", "magnitude": 0.8}'
NEGOTIATE = '{"action_type": "negotiate_contracts", "magnitude": 0.9}'
CRUNCH = '{"crisis_type": "CASH_CRUNCH", "severity": 1.0, "description": "The bank calls."}'
SERVED = "gemini-3.8-flash-001"
USAGE = {
    "promptTokenCount": 700,
    "candidatesTokenCount": 20,
    "thoughtsTokenCount": 100,
    "cachedContentTokenCount": 200,
    "totalTokenCount": 820,
}


class Asked:
    """A request that came in."""

    def __init__(self, path, headers, body):
        self.path, self.headers, self.body = path, headers, body
        self.is_gemini = ":generateContent" in path
        self.model = path.split("/models/")[-1].split(":")[0] if self.is_gemini else body["model"]

    @property
    def messages(self):
        """(role, text) pairs, the system message first."""
        if not self.is_gemini:
            return [(each["role"], each["content"]) for each in self.body["messages"]]
        parts = [("system", self.body.get("systemInstruction"))] + [
            (each["role"], each) for each in self.body["contents"]
        ]
        return [(role, "".join(p["text"] for p in c["parts"])) for role, c in parts if c]

    @property
    def text(self):
        """The last message."""
        return self.messages[-1][1]

    @property
    def is_crisis(self):
        return "crisis engine" in self.messages[0][1]


class Canned:
    """What goes back: a status, a body, and what is done with the connection."""

    def __init__(self, body, status=200, kind="application/json", headers=(), hang=0.0, drip=0.0):
        self.body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.status, self.kind, self.headers = status, kind, dict(headers)
        self.hang, self.drip = hang, drip


def gemini(text, finish="STOP", thought=None, usage=USAGE):
    """A proper answer of Gemini."""
    parts = [{"text": thought, "thought": True}] if thought else []
    parts += [{"text": text}] if text is not None else []
    content = {"role": "model", "parts": parts} if parts else {"role": "model"}
    return Canned(
        {
            "candidates": [{"content": content, "finishReason": finish, "index": 0}],
            "usageMetadata": usage,
            "modelVersion": SERVED,
        }
    )


def blocked_prompt():
    return Canned({"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": SERVED})


def rate_limited(delay="0.05s", status=429):
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]
    error = {"code": status, "message": "Slow down", "status": "RESOURCE_EXHAUSTED"}
    return Canned({"error": {**error, "details": details}}, status=status)


def server_error(status=500):
    return Canned({"error": {"code": status, "message": "Oops", "status": "INTERNAL"}}, status)


def html(status=200):
    return Canned(b"<html><body>A proxy says hello</body></html>", status, "text/html")


def redirect():
    """Points to another place, which nobody shall follow."""
    return Canned({}, 307, headers={"Location": "http://127.0.0.1:9/elsewhere"})


def hang(seconds=30.0):
    return Canned(b"", hang=seconds)


def drip(seconds=0.05):
    """An answer that never ends: a byte now and then keeps a client's read timeout from ending."""
    return Canned(b" " * 10_000, drip=seconds)


def openai(text, finish="stop", model="local-1"):
    """A proper answer of an OpenAI-compatible endpoint."""
    message = {"role": "assistant", "content": text}
    usage = {
        "prompt_tokens": 700,
        "completion_tokens": 120,
        "total_tokens": 820,
        "completion_tokens_details": {"reasoning_tokens": 100},
        "prompt_tokens_details": {"cached_tokens": 200},
    }
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return Canned(
        {"id": "1", "object": "chat.completion", "created": 0, "model": model}
        | {"choices": [choice], "usage": usage}
    )


def well(asked):
    """Answer everybody properly."""
    text = CRUNCH if asked.is_crisis else NEGOTIATE
    return gemini(text) if asked.is_gemini else openai(text)


class Endpoint(ThreadingHTTPServer):
    """Answers with what `answer(asked)` gives; remembers who asked."""

    request_queue_size = 128
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, answer=well):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.asked = []
        self.sent = Counter()
        self.lock = threading.Lock()
        self.closing = threading.Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request, client_address):
        """Clients that give up are no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self):
        size = int(self.headers.get("Content-Length", 0))
        asked = Asked(self.path, dict(self.headers), json.loads(self.rfile.read(size)))
        with self.server.lock:
            self.server.asked.append(asked)
            canned = self.server.answer(asked)
        if canned.hang:
            self.server.closing.wait(canned.hang)
            self.close_connection = True
            return
        self.send_response(canned.status)
        self.send_header("Content-Type", canned.kind)
        self.send_header("Content-Length", str(len(canned.body)))
        for name, value in canned.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if canned.drip:
            self._drip(canned)
        else:
            self.wfile.write(canned.body)
            self.wfile.flush()

    def _drip(self, canned):
        for byte in canned.body:
            if self.server.closing.is_set():
                break
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            time.sleep(canned.drip)
        self.close_connection = True

    def log_message(self, *_):
        pass


@contextmanager
def serving(answer=well):
    """Run an endpoint in the background."""
    server = Endpoint(answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
