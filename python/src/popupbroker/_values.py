"""The messages of the broker as Python values."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Action:
    """An answer that the user can choose."""

    id: str
    label: str


@dataclass(frozen=True)
class Popup:
    """A popup that a group shows or offers."""

    id: str
    group: str
    priority: int
    text: str | None
    data: bytes | None
    content_type: str
    title: str
    actions: tuple[Action, ...]
    attempt: int
    """The number of times it has been shown, this time included."""
    remaining_ms: int | None
    """The display time that was left when the state was sent; ``None``: it stays until it is dismissed."""
    since_revision: int
    """The revision that made it active or last updated it: what a dismissal answers."""
    fields: Mapping[str, Any] = field(repr=False, compare=False)
    """All fields of the message, with the names of the protocol."""

    @classmethod
    def from_json(cls, message: Mapping[str, Any]) -> Popup:
        """Creates a popup from a message of the protocol."""
        remaining = message.get("remainingMs")
        data = message.get("data")
        return cls(
            id=message.get("id", ""),
            group=message.get("group", ""),
            priority=int(message.get("priority", 0)),
            text=message.get("text"),
            data=None if data is None else base64.b64decode(data),
            content_type=message.get("contentType", ""),
            title=message.get("presentation", {}).get("title", ""),
            actions=tuple(
                Action(action.get("id", ""), action.get("label", "")) for action in message.get("actions", [])
            ),
            attempt=int(message.get("attempt", 0)),
            remaining_ms=None if remaining is None else int(remaining),
            since_revision=int(message.get("sinceRevision", 0)),
            fields=message,
        )


@dataclass(frozen=True)
class GroupState:
    """The state of a group: always complete, never a difference."""

    group: str
    epoch: int
    revision: int
    popup: Popup | None
    """The popup on screen; ``None``: none."""
    offered: Popup | None
    """The popup that is offered to the renderers and not on screen yet."""
    waiting: int
    paused: int
    cause: Mapping[str, Any]
    """The event that led to this state, with the names of the protocol; empty in a repetition."""
    is_confirmed: bool = True
    """Whether the broker was heard in the last 5 seconds. Otherwise the group may show something else by now: the
    screen stays as it is, and may say that the connection is lost. A state comes again when this changes."""

    @property
    def version(self) -> tuple[int, int]:
        """The order of the states of one group: a greater one replaces a smaller one."""
        return (self.epoch, self.revision)

    @classmethod
    def from_json(cls, message: Mapping[str, Any]) -> GroupState:
        """Creates a state from a message of the protocol."""
        active = Popup.from_json(message["active"]) if "active" in message else None
        is_offered = bool(message.get("offered", False))
        return cls(
            group=message.get("group", ""),
            epoch=int(message.get("epoch", 0)),
            revision=int(message.get("revision", 0)),
            popup=None if is_offered else active,
            offered=active if is_offered else None,
            waiting=int(message.get("waiting", 0)),
            paused=int(message.get("paused", 0)),
            cause=message.get("cause", {}),
        )

    @classmethod
    def empty(cls, group: str, epoch: int) -> GroupState:
        """Creates the state of a group that the broker no longer knows."""
        return cls(group, epoch, 0, None, None, 0, 0, {})


def activation(state: GroupState) -> tuple[int, str, int] | None:
    """Returns what identifies one time that a popup is active, and its last update in this time."""
    return None if state.popup is None else (state.epoch, state.popup.id, state.popup.since_revision)


@dataclass(frozen=True)
class Event:
    """An event in the life of a popup, or a refused command."""

    kind: str
    """``queued``, ``offered``, ``shown``, ``paused``, ``resumed``, ``updated``, ``closed`` or ``refused``."""
    group: str
    popup: str
    revision: int
    time_ms: int
    """Milliseconds since 1970-01-01T00:00:00Z by the broker's wall clock."""
    details: Mapping[str, Any]
    """The fields of this kind, with the names of the protocol: ``reason`` and ``action`` of ``closed``, for example."""
    epoch: int = 0
    """The epoch of the broker that sent it."""

    KINDS = ("queued", "offered", "shown", "paused", "resumed", "updated", "closed", "refused")

    @classmethod
    def from_json(cls, message: Mapping[str, Any]) -> Event | None:
        """Creates an event from a message of the protocol; ``None`` for a kind that this version does not know."""
        kind = next((kind for kind in cls.KINDS if kind in message), None)
        if kind is None:
            return None
        return cls(
            kind=kind,
            group=message.get("group", ""),
            popup=message.get("popup", ""),
            revision=int(message.get("revision", 0)),
            time_ms=int(message.get("time", 0)),
            details=message[kind],
            epoch=int(message.get("epoch", 0)),
        )
