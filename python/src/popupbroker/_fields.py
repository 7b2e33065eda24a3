"""The fields of commands, with the names of the protocol in snake_case: ``durationMs`` is ``duration_ms``."""

from __future__ import annotations

import base64
import difflib
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict


class ActionFields(TypedDict, total=False):
    id: str
    label: str


class PresentationFields(TypedDict, total=False):
    scene: str
    animation: str
    dismiss_on_outside: bool
    countdown: bool
    backdrop: bool
    corner_radius: int
    title: str
    icon: str
    style: str


class RequirementFields(TypedDict, total=False):
    popup: str
    action: str


class FlowFields(TypedDict, total=False):
    key: str
    stage: int
    requires: RequirementFields
    hold_ms: int


class PageFields(TypedDict, total=False):
    tree: str
    value: str
    scope: str


class PopupFields(TypedDict, total=False):
    """The optional fields of a popup."""

    priority: int
    duration_ms: int
    ttl_ms: int
    delay_ms: int
    min_display_ms: int
    exclusive: str
    collapse_key: str
    interruptible: bool
    data: bytes
    content_type: str
    actions: Sequence[ActionFields]
    presentation: PresentationFields
    flow: FlowFields
    page: PageFields
    session: str
    surface: str
    offer_ms: int
    quorum: int
    quorum_all: bool
    cap_key: str
    language: str


class UpdateFields(TypedDict, total=False):
    """The fields of a popup that can be changed."""

    priority: int
    duration_ms: int
    restart_timer: bool
    text: str
    data: bytes
    content_type: str
    actions: Sequence[ActionFields]
    presentation: PresentationFields
    interruptible: bool
    group: str


class SelectorFields(TypedDict, total=False):
    """The popups that a command or query selects."""

    group: str
    surface: str
    collapse_key: str
    producer: str
    priority_below: int
    priority_above: int
    active: bool
    waiting: bool
    paused: bool


class CapFields(TypedDict, total=False):
    cap_key: str
    most: int
    per_ms: int


# `from` is a word of Python.
QuietWindowFields = TypedDict(
    "QuietWindowFields", {"from": str, "to": str, "time_zone": str, "min_priority": int}, total=False
)


class PolicyFields(TypedDict, total=False):
    """The fields of a policy; an absent one has its value from the preset."""

    preset: str
    higher: str
    peers: str
    lower: str
    ignore_priority: bool
    resume: str
    gap_ms: int
    gap_min_ms: int
    gap_max_ms: int
    gather_ms: int
    default_duration_ms: int
    max_duration_ms: int
    clock: str
    offer_ms: int
    offer_default: str
    retry_ms: int
    display_timeout_ms: int
    undisplayed: str
    renderer_lost: str
    max_attempts: int
    quorum: int
    caps: Sequence[CapFields]
    quiet: Sequence[QuietWindowFields]
    max_waiting: int
    overflow: str
    aging_ms: int
    page_tree: str
    quorum_all: bool


_NESTED: dict[str, Any] = {
    "actions": ActionFields,
    "presentation": PresentationFields,
    "flow": FlowFields,
    "requires": RequirementFields,
    "page": PageFields,
    "caps": CapFields,
    "quiet": QuietWindowFields,
}


def to_json(fields: Mapping[str, Any], kind: Any, path: str = "") -> dict[str, Any]:
    """Returns the fields as a message of the protocol in JSON.

    :raises TypeError: for a name that the kind does not have. The broker would skip it without a word.
    """
    message: dict[str, Any] = {}
    for name, value in fields.items():
        if name not in kind.__annotations__:
            near = difflib.get_close_matches(name, kind.__annotations__, 1)
            hint = f"did you mean {path}{near[0]}?" if near else f"use one of {', '.join(kind.__annotations__)}"
            raise TypeError(f"there is no field {path}{name}; {hint}")
        if value is not None:
            message[camel_case(name)] = _to_json(name, value, path)
    return message


def _to_json(name: str, value: Any, path: str) -> Any:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Mapping):
        return to_json(value, _NESTED[name], f"{path}{name}.") if name in _NESTED else dict(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_to_json(name, item, path) for item in value]
    return value


def from_json(message: Mapping[str, Any], kind: Any) -> dict[str, Any]:
    """Returns the fields of a message of the protocol in JSON that the kind has: what :func:`to_json` made one from."""
    names = {camel_case(name): name for name in kind.__annotations__}
    return {names[key]: _from_json(names[key], value) for key, value in message.items() if key in names}


def _from_json(name: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return from_json(value, _NESTED[name])
    if isinstance(value, list):
        return [_from_json(name, item) for item in value]
    return value


def camel_case(name: str) -> str:
    """Returns the name of a field in the protocol's JSON."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
