"""The view of a subscriber, without sockets and clocks: the newest state of each group, and lost messages noticed.

``Documentation/Protocol.md``, *What a subscriber may rely on*, defines the rules.
"""

from __future__ import annotations

import json
import uuid
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ._values import GroupState

SYNC_TIMEOUT = 2.0
"""Seconds without an answer after which the states are asked for again."""
MAX_SYNCS = 256
"""Requests for states at once; others follow after the answers. The broker limits the subscriptions of a connection."""
CONFIRMATION_TIMEOUT = 5.0
"""Seconds without any message after which the states are not confirmed any more."""


@dataclass
class _Sync:
    """One request for the present states of a group and those below it, or of all groups (``*``)."""

    target: str
    topic: str
    deadline: float
    states: int = 0
    groups: set[str] = field(default_factory=set)


class Following:
    """The states of some groups, as one subscriber knows them."""

    def __init__(self, patterns: Iterable[str], client: str) -> None:
        self.patterns = tuple(dict.fromkeys(patterns))
        """Group names, patterns such as ``desk/*``, or ``*``."""
        if not self.patterns:
            raise ValueError('follow at least one group, such as "lobby", or "*" for all')
        self._client = client
        self._newest: dict[str, GroupState] = {}
        self._heard: float | None = None
        self._is_confirmed = True
        self._syncs: list[_Sync] = []
        self._unasked: deque[str] = deque()
        """What is asked for after the answers to other requests."""
        self._epoch = 0
        self._behind: dict[str, int] = {}

    @property
    def topics(self) -> list[str]:
        """The topics to subscribe to for as long as the groups are followed."""
        return ["heartbeat/", *(f"state+json/{_below(pattern)}" for pattern in self.patterns)]

    @property
    def sync_topics(self) -> list[str]:
        """The topics of the requests that are not answered yet: subscribe to them, and to no others of ``sync``."""
        return [sync.topic for sync in self._syncs]

    @property
    def deadline(self) -> float | None:
        """When :meth:`expire` is to be called."""
        deadlines = [sync.deadline for sync in self._syncs]
        if self._heard is not None and self._is_confirmed:
            deadlines.append(self._heard + CONFIRMATION_TIMEOUT)
        return min(deadlines, default=None)

    def begin(self, now: float) -> None:
        """Asks for the present states."""
        self._behind = {}
        self._syncs = []
        self._unasked = deque(self._targets)
        self._ask(now)

    def expire(self, now: float, is_connected: bool = True) -> list[GroupState]:
        """Asks again where no answer came in time: with a connection, since without one the requests would pile up.
        Returns the states that are not confirmed any more.
        """
        for index, sync in enumerate(self._syncs):
            if sync.deadline <= now:
                if is_connected:
                    self._syncs[index] = self._sync(sync.target, now)
                else:
                    sync.deadline = now + SYNC_TIMEOUT
        if self._heard is None or not self._is_confirmed or self._heard + CONFIRMATION_TIMEOUT > now:
            return []
        self._is_confirmed = False
        return [replace(state, is_confirmed=False) for state in self._newest.values()]

    def receive(self, topic: str, body: bytes, now: float) -> list[GroupState]:
        """Returns the states that a message brings and that are newer than those before, and those that it confirms."""
        before = [] if self._is_confirmed else list(self._newest.values())
        # What cannot be read confirms nothing.
        brought = self._read(topic, body, now)
        self._heard = now
        self._is_confirmed = True
        groups = {state.group for state in brought}
        return [state for state in before if state.group not in groups] + brought

    def _read(self, topic: str, body: bytes, now: float) -> list[GroupState]:
        if topic == "heartbeat/":
            self._note_heartbeat(body, now)
            return []
        if topic.startswith("state+json/"):
            state = GroupState.from_json(json.loads(body))
            self._note_epoch(state.epoch, now)
            return self._accept([state])
        for sync in self._syncs:
            if sync.topic == topic:
                return self._receive(sync, json.loads(body), now)
        return []

    def matches(self, group: str) -> bool:
        """Whether a group is followed."""
        return any(_matches(pattern, group) for pattern in self.patterns)

    @property
    def _targets(self) -> set[str]:
        return {_target(pattern) for pattern in self.patterns}

    def _ask(self, now: float) -> None:
        while self._unasked and len(self._syncs) < MAX_SYNCS:
            self._syncs.append(self._sync(self._unasked.popleft(), now))

    def _sync(self, target: str, now: float) -> _Sync:
        return _Sync(target, f"sync+json/{self._client}/{uuid.uuid4().hex}/{target}/", now + SYNC_TIMEOUT)

    def _receive(self, sync: _Sync, message: Mapping[str, Any], now: float) -> list[GroupState]:
        sync.deadline = now + SYNC_TIMEOUT
        states = [GroupState.from_json(state) for state in message.get("states", [])]
        sync.states += len(states)
        sync.groups.update(state.group for state in states)
        accepted = self._accept(states)
        if "end" not in message:
            return accepted
        end = message["end"]
        if int(end.get("states", 0)) != sync.states:
            self._syncs[self._syncs.index(sync)] = self._sync(sync.target, now)
            return accepted
        self._syncs.remove(sync)
        epoch = int(end.get("epoch", 0))
        if epoch > self._epoch > 0:
            # What an older broker has answered, too.
            self._unasked = deque(self._targets - {sync.target, *(other.target for other in self._syncs)})
        self._epoch = max(self._epoch, epoch)
        self._ask(now)
        # What the broker does not know, or no longer knows, is not shown.
        unknown = [
            group
            for group in dict.fromkeys([*self._newest, *self.patterns])
            if not group.endswith("*")
            and group not in sync.groups
            and self._version(group)[0] < epoch
            and _is_of(sync.target, group)
        ]
        return accepted + self._accept([GroupState.empty(group, epoch) for group in unknown])

    def _accept(self, states: Iterable[GroupState]) -> list[GroupState]:
        accepted = []
        for state in states:
            if self.matches(state.group) and state.version > self._version(state.group):
                self._newest[state.group] = state
                accepted.append(state)
        return accepted

    def _version(self, group: str) -> tuple[int, int]:
        newest = self._newest.get(group)
        return (-1, -1) if newest is None else newest.version

    def _note_epoch(self, epoch: int, now: float) -> None:
        is_new, self._epoch = epoch > self._epoch > 0, max(self._epoch, epoch)
        if is_new:
            self.begin(now)

    def _note_heartbeat(self, body: bytes, now: float) -> None:
        epoch, revisions = parse_heartbeat(body)
        self._note_epoch(epoch, now)
        is_lost = False
        # If many groups have changed, a heartbeat comes in several messages, each about other groups.
        for group, revision in revisions.items():
            if self.matches(group) and (epoch, revision) > self._version(group):
                # A state may be on its way: it is lost if it is missing at two heartbeats.
                is_lost = is_lost or self._behind.get(group, revision + 1) <= revision
                self._behind[group] = revision
            else:
                self._behind.pop(group, None)
        if is_lost and not self._syncs:
            self.begin(now)


def _target(pattern: str) -> str:
    return pattern if pattern == "*" else pattern.removesuffix("/*")


def _below(pattern: str) -> str:
    return "" if pattern == "*" else f"{_target(pattern)}/"


def _is_of(target: str, group: str) -> bool:
    return target == "*" or group == target or group.startswith(f"{target}/")


def _matches(pattern: str, group: str) -> bool:
    if pattern.endswith("/*"):
        return group.startswith(pattern[:-1])
    return pattern in ("*", group)


def covers(granted: str, pattern: str) -> bool:
    """Whether a right in the groups of one pattern is one to follow those of another: all topics that begin so."""
    beginning = _below(pattern)
    if granted.endswith("/*"):
        return beginning.startswith(granted[:-1]) and len(beginning) >= len(granted)
    return granted == "*" or beginning.startswith(f"{granted}/")


def parse_heartbeat(body: bytes) -> tuple[int, dict[str, int]]:
    """Returns the epoch and the revisions of a ``Heartbeat``, the only message without an encoding in JSON."""
    epoch, revisions = 0, {}
    for number, value in _fields(body):
        if number == 1 and isinstance(value, int):
            epoch = value
        elif number == 2 and isinstance(value, bytes):
            group = dict(_fields(value))
            name, revision = group.get(1, b""), group.get(2, 0)
            if isinstance(name, bytes) and isinstance(revision, int):
                revisions[name.decode()] = revision
    return epoch, revisions


def _fields(message: bytes) -> Iterable[tuple[int, int | bytes]]:
    """Reads protobuf's wire format (protobuf.dev, *Encoding*): numbers and length-delimited fields."""
    position = 0

    def varint() -> int:
        nonlocal position
        value = shift = 0
        while True:
            byte = message[position]
            position += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while position < len(message):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
        elif kind == 2:
            length = varint()
            yield key >> 3, message[position : position + length]
            position += length
        else:
            position += {1: 8, 5: 4}[kind]
