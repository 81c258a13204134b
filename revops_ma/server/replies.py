"""JSON answers: strict, in ASCII, and every error a body with a code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from revops_ma.adapters.conversation import write_json
from revops_ma.adapters.problem import Problem

STATUS = {
    "bad_json": 400,
    "no_token": 401,
    "wrong_token": 401,
    "foreign_origin": 403,
    "foreign_host": 403,
    "needs_token": 403,
    "not_found": 404,
    "wrong_method": 405,
    "slow_request": 408,
    "no_episode": 409,
    "episode_over": 409,
    "busy": 429,
    "too_large": 413,
    "bad_input": 422,
    "protocol": 422,
    "unknown_type": 422,
    "internal": 500,
    "opponent_failed": 502,
    "capacity": 503,
    "deadline": 504,
}
"""Code of a problem -> HTTP status."""


class Reply(Response):
    """A JSON answer."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Encode the document."""
        return write_json(content).encode()


def error(problem: Problem, headers: Mapping[str, str] | None = None) -> Reply:
    """The answer that tells a problem."""
    status = STATUS.get(problem.code, 400)
    return Reply({"error": problem.to_json()}, status, dict(headers or {}))


ERROR_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string", "enum": sorted(STATUS)},
                "message": {"type": "string"},
            },
            "required": ["code", "message"],
            "additionalProperties": False,
        }
    },
    "required": ["error"],
    "additionalProperties": False,
}
"""JSON schema of every error."""
