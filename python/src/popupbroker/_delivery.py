"""The producer's contract of the protocol, without sockets and clocks.

The caller passes times in seconds, sends the frames that :meth:`Delivery.next_frame` returns, and passes on the
acknowledgements. ``Documentation/Protocol.md``, *The producer's contract*, defines the rules.
"""

from __future__ import annotations

import base64
import json
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ._errors import QueueFull, Refused

WINDOW = 256
"""Sequences that one acknowledgement describes."""
SHORTEST_REPEAT = 0.25
LONGEST_REPEAT = 5.0
PATIENCE = 2.0
"""The time for which acknowledgements of one epoch may contradict earlier ones before the producer starts over."""

Token = TypeVar("Token")


def covers(ack: Mapping[str, Any], sequence: int) -> bool:
    """Whether an acknowledgement settles a sequence."""
    cumulative = int(ack.get("cumulative", 0))
    if sequence <= cumulative:
        return True
    bits = base64.b64decode(ack.get("selective", ""))
    n = sequence - cumulative - 2
    return 0 <= n < 8 * len(bits) and bits[n // 8] >> (n % 8) & 1 == 1


@dataclass
class _InFlight(Generic[Token]):
    command: dict[str, Any]
    token: Token
    frame: bytes = b""
    due: float = 0.0
    interval: float = 0.0
    sent_at: float = 0.0
    sends: int = 0
    is_postponed: bool = False
    overload: Refused | None = None


class Delivery(Generic[Token]):
    """The commands of one producer, from their submission until the broker has settled them."""

    def __init__(self, max_queued: int = 100_000, new_name: Callable[[], str] = lambda: uuid.uuid4().hex) -> None:
        self._new_name = new_name
        self._max_queued = max_queued
        self._in_flight: dict[int, _InFlight[Token]] = {}
        self._queue: deque[_InFlight[Token]] = deque()
        self._next = 1
        self._epoch = 0
        self._contradicted_since: float | None = None
        self._timeout = SHORTEST_REPEAT
        self.producer = new_name()
        """The present name. Subscribe to its acknowledgements; it changes when the broker has forgotten it."""

    def __len__(self) -> int:
        """The number of commands that are not settled."""
        return len(self._in_flight) + len(self._queue)

    def submit(self, command: dict[str, Any], token: Token) -> None:
        """Takes a command. ``token`` comes back when it is settled.

        :raises QueueFull: when as many commands wait as the limit allows.
        """
        if len(self._queue) >= self._max_queued:
            raise QueueFull(f"{self._max_queued} commands wait to be sent; send more slowly, or wait with flush()")
        self._queue.append(_InFlight(command, token))
        self._fill_window()

    def next_frame(self, now: float) -> tuple[int, bytes] | None:
        """Returns the next frame that is due, with its sequence. Call :meth:`sent` when it was sent."""
        for sequence, command in self._in_flight.items():
            if command.due <= now:
                return sequence, command.frame
        return None

    def sent(self, sequence: int, now: float) -> None:
        """Notes that a frame was sent, and when it is due again."""
        command = self._in_flight[sequence]
        command.interval = min(command.interval * 2 or self._timeout, LONGEST_REPEAT)
        command.due = now + command.interval
        command.sent_at, command.sends, command.is_postponed = now, command.sends + 1, False

    def next_due(self) -> float | None:
        """Returns when the next frame is due."""
        return min((command.due for command in self._in_flight.values()), default=None)

    def connected(self) -> None:
        """Makes all commands in flight due: the broker is there, or back."""
        for command in self._in_flight.values():
            command.due, command.interval = 0.0, 0.0

    def receive(self, ack: Mapping[str, Any], now: float) -> list[tuple[Token, Refused | None]]:
        """Returns what an acknowledgement settles: the token of each command, and its refusal or ``None``."""
        epoch = int(ack["epoch"])
        if epoch < self._epoch:
            return []
        is_new_epoch, self._epoch = epoch > self._epoch, epoch
        must_start_over = self._contradicts(ack, is_new_epoch, now)
        refusals = {int(refusal["sequence"]): refusal for refusal in ack.get("refusals", [])}
        settled: list[tuple[Token, Refused | None]] = []
        for sequence, command in list(self._in_flight.items()):
            refusal = refusals.get(sequence)
            is_overload = refusal is not None and refusal["reason"] == "OVERLOAD"
            if (refusal is not None and not is_overload) or covers(ack, sequence):
                del self._in_flight[sequence]
                if command.sends == 1:
                    self._timeout = min(max(2 * (now - command.sent_at), SHORTEST_REPEAT), LONGEST_REPEAT)
                settled.append((command.token, None if is_overload or refusal is None else _refused(refusal)))
            elif refusal is not None and not command.is_postponed:
                command.is_postponed, command.overload = True, _refused(refusal)
                command.due = now + int(refusal.get("retryAfterMs", 0)) / 1000
        if must_start_over:
            self._start_over()
        self._fill_window()
        return settled

    def overload(self, token: Token) -> Refused | None:
        """Returns why the broker has no room for a command now, if it said so."""
        return next((command.overload for command in self._in_flight.values() if command.token is token), None)

    def take_all(self) -> list[Token]:
        """Returns the tokens of all commands that are not settled, and forgets them."""
        tokens = [command.token for command in (*self._in_flight.values(), *self._queue)]
        self._in_flight.clear()
        self._queue.clear()
        return tokens

    def _fill_window(self) -> None:
        while self._queue and self._next - min(self._in_flight, default=self._next) < WINDOW:
            self._number(self._queue.popleft())

    def _number(self, command: _InFlight[Token]) -> None:
        # A repetition must have the same bytes: they are made once for a name and a sequence.
        numbered = {"producer": self.producer, "sequence": self._next, **command.command}
        command.frame = json.dumps(numbered, separators=(",", ":")).encode()
        command.due, command.interval, command.sends, command.is_postponed = 0.0, 0.0, 0, False
        self._in_flight[self._next] = command
        self._next += 1

    def _contradicts(self, ack: Mapping[str, Any], is_new_epoch: bool, now: float) -> bool:
        """Whether the broker has forgotten what it acknowledged, or knows what was never sent."""
        cumulative = int(ack.get("cumulative", 0))
        oldest = min(self._in_flight, default=self._next)
        settled = (sequence for sequence in range(oldest, self._next) if sequence not in self._in_flight)
        if cumulative + 1 >= oldest and all(covers(ack, sequence) for sequence in settled):
            self._contradicted_since = None
            return cumulative >= self._next
        if self._contradicted_since is None:
            self._contradicted_since = now
        return is_new_epoch or now - self._contradicted_since >= PATIENCE

    def _start_over(self) -> None:
        """Goes on under a new name. A ``show`` that was accepted under the old one has no effect then."""
        self.producer, self._contradicted_since, self._next = self._new_name(), None, 1
        commands = [command for _, command in sorted(self._in_flight.items())]
        self._in_flight = {}
        for command in commands:
            self._number(command)


def _refused(refusal: Mapping[str, Any]) -> Refused:
    return Refused(refusal["reason"], refusal.get("detail", ""), int(refusal.get("retryAfterMs", 0)) / 1000)
