"""A real model behind the OpenAI chat API, with nothing but the standard library around it.

It takes `response_format` as llama.cpp's server does: `json_schema` is an error 500, `json_object`
with a schema binds the answer, anything else does not.
"""

import json
import threading
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from revops_ma.policies.language.protocol import Finish, Message, Request, Settings


class ModelServer(ThreadingHTTPServer):
    """Answers with a provider of this process; `forms` tells how it was asked."""

    daemon_threads = True

    def __init__(self, provider):
        super().__init__(("127.0.0.1", 0), _Handler)
        options = provider.options
        self.free, self.bound = (
            replace(provider, options=options.model_copy(update={"constrained": bound}))
            for bound in (False, True)
        )
        self.forms = []
        self.tokens = [0, 0]
        self.lock = threading.Lock()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def complete(self, body):
        """Status and body of an answer."""
        form = body.get("response_format", {})
        self.forms.append(form.get("type", "plain") + (" with schema" if "schema" in form else ""))
        if form.get("type") == "json_schema":
            return 500, {"error": {"message": "1 validation error: literal_error"}}
        messages = tuple(Message(each["role"], each["content"]) for each in body["messages"])
        settings = Settings(body.get("temperature", 1.0), body["max_tokens"], "off")
        provider = self.bound if "schema" in form else self.free
        (answer,) = provider.complete([Request(messages, form.get("schema", {}), settings)])
        self.tokens[0] += answer.usage.prompt
        self.tokens[1] += answer.usage.output
        return 200, _completion(body["model"], answer)


def _completion(model, answer):
    reason = "length" if answer.finish is Finish.TRUNCATED else "stop"
    message = {"role": "assistant", "content": answer.text}
    prompt, output = answer.usage.prompt, answer.usage.output
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": output,
            "total_tokens": prompt + output,
        },
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            status, found = self.server.complete(body)
        content = json.dumps(found).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@contextmanager
def serving(provider):
    """Run a server of a HuggingFace provider in the background."""
    server = ModelServer(provider)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
