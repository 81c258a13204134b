"""What a server turns down, and why: a word for programs and a sentence for people."""

from __future__ import annotations

from revops_ma.errors import RevopsError

LONGEST = 1_000
"""Characters of a message: some quote what they were given."""


class Problem(RevopsError):
    """A request that was turned down; nothing was played, unless the code says otherwise.

    Codes: `bad_json`, `protocol` (a message that is no move), `unknown_type`, `bad_input`,
    `no_episode`, `episode_over`, `capacity`, `expired`, `deadline` and `opponent_failed` (both end
    the episode without a reward).
    """

    def __init__(self, code: str, message: str) -> None:
        """Name the problem in one word and tell it in a sentence."""
        super().__init__(message)
        self.code = code
        self.message = message if len(message) <= LONGEST else f"{message[:LONGEST]}..."

    def to_json(self) -> dict[str, str]:
        """Give the body that every door sends."""
        return {"code": self.code, "message": self.message}
