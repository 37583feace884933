"""A local stand-in for the chat completions of OpenAI's HTTP API, which counts what would be paid."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = dict[str, Any] | int
"""A message of the assistant, or a status."""


class FakeOpenAI:
    """Answers request number N, from 1, with `answer(N, messages)`."""

    def __init__(self, answer: Callable[[int, list[dict[str, Any]]], Reply]) -> None:
        self.requests: list[list[dict[str, Any]]] = []
        self._lock = threading.Lock()
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with fake._lock:
                    fake.requests.append(body["messages"])
                    number = len(fake.requests)
                reply = answer(number, body["messages"])
                status = reply if isinstance(reply, int) else 200
                text = {"error": {"message": "no"}} if isinstance(reply, int) else completion(reply)
                sent = json.dumps(text).encode()
                try:
                    self.send_response(status)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(sent)))
                    self.end_headers()
                    self.wfile.write(sent)
                except OSError:
                    # The one who asked was killed.
                    return

            def log_message(self, *_: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self) -> FakeOpenAI:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def call_of(tool: str, **args: Any) -> dict[str, Any]:
    function = {"name": tool, "arguments": json.dumps(args)}
    return {"tool_calls": [{"id": f"call-{tool}", "type": "function", "function": function}]}


def completion(message: dict[str, Any]) -> dict[str, Any]:
    reason = "tool_calls" if "tool_calls" in message else "stop"
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": None, **message},
        "finish_reason": reason,
    }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "fake-1",
        "choices": [choice],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }
