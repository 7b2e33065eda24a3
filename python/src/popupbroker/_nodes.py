"""The nodes of a fleet, without sockets: lists of endpoints, and the newest epoch.

``Documentation/Protocol.md``, *What a subscriber may rely on*, defines the rule.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from ._following import parse_heartbeat


def endpoint_list(endpoints: str | Sequence[str]) -> tuple[str, ...]:
    """Returns the endpoints of a list, or of a text that separates them by commas.

    :raises ValueError: when there is none.
    """
    parts = endpoints.split(",") if isinstance(endpoints, str) else endpoints
    found = tuple(part.strip() for part in parts if part.strip())
    if not found:
        raise ValueError(
            f'{endpoints!r} names no endpoint; use "tcp://10.0.0.1:5570", or a list with one for each node'
        )
    return found


def epoch_of(topic: str, body: bytes) -> int | None:
    """Returns the epoch that a message names; ``None`` if it names none.

    Those are a part of an answer to ``sync`` that has no states, and an event or a reply of a broker that does not name it yet.
    """
    if topic == "heartbeat/":
        return parse_heartbeat(body)[0]
    message = json.loads(body)
    if topic.startswith("sync+json/"):
        message = message.get("end") or next(iter(message.get("states", [])), None)
        if message is None:
            return None
    return int(message.get("epoch", 0)) or None


class NewestEpoch:
    """The newest epoch that a node has named. What an owner says that was overtaken counts no more, for all groups."""

    def __init__(self) -> None:
        self._newest = 0

    def accepts(self, epoch: int | None) -> bool:
        """Whether a message that names this epoch is to be taken."""
        return epoch is None or epoch >= self._newest

    def hear(self, epoch: int | None) -> bool:
        """Notes an epoch that was accepted, and returns whether it is that of another owner than the one before."""
        if epoch is None or epoch <= self._newest:
            return False
        is_first, self._newest = self._newest == 0, epoch
        return not is_first
