"""The vocabulary of the Desktop Notifications Specification 1.2 (specifications.freedesktop.org)."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

BUS_NAME = INTERFACE = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"

DEFAULT_TIMEOUT = -1
NEVER = 0


class Urgency(IntEnum):
    """The urgency of a notification."""

    LOW = 0
    NORMAL = 1
    CRITICAL = 2


class CloseReason(IntEnum):
    """The reason why a notification was closed."""

    EXPIRED = 1
    DISMISSED = 2
    CLOSED_BY_CALL = 3
    UNDEFINED = 4


STYLES = {Urgency.LOW: "info", Urgency.NORMAL: "info", Urgency.CRITICAL: "error"}


@dataclass(frozen=True)
class Notification:
    """The arguments of a ``Notify`` call, with its hints as Python values."""

    app: str
    icon: str
    summary: str
    body: str
    actions: Sequence[tuple[str, str]]
    """Key and label of each action; the key ``default`` is that of the notification itself."""
    hints: Mapping[str, Any]
    timeout_ms: int
    """``NEVER``, ``DEFAULT_TIMEOUT``, or milliseconds."""

    @classmethod
    def from_call(
        cls,
        app: str,
        icon: str,
        summary: str,
        body: str,
        actions: Sequence[str],
        hints: Mapping[str, Any],
        timeout: int,
    ) -> Notification:
        """Creates a notification from the arguments of a call. A last action without a label is left out."""
        return cls(app, icon, summary, body, list(zip(actions[::2], actions[1::2], strict=False)), hints, timeout)

    @property
    def urgency(self) -> Urgency:
        """The urgency; one that the specification does not know is normal."""
        value = self.hints.get("urgency", Urgency.NORMAL)
        return Urgency(value) if value in list(Urgency) else Urgency.NORMAL

    @property
    def stack_tag(self) -> str | None:
        """The tag under which a newer notification replaces this one, as several programs send it."""
        for hint in ("x-canonical-private-synchronous", "x-dunst-stack-tag"):
            tag = self.hints.get(hint)
            if isinstance(tag, str) and tag:
                return tag
        return None

    @property
    def image(self) -> str:
        """The name or address of its picture, by the specification's order of precedence."""
        for value in (self.hints.get("image-path"), self.hints.get("image_path"), self.icon):
            if isinstance(value, str) and value:
                return value
        return ""

    @property
    def text(self) -> str:
        """The body without markup. Programs send some although the service does not announce ``body-markup``."""
        if not re.search(r"</?[abiu][ >]|<img |&(?:amp|lt|gt|quot|apos|#\d+);", self.body):
            return self.body
        return html.unescape(re.sub(r"</?(?:[abiu]|img)(?:\s[^>]*)?/?>", "", self.body))


def one_line(text: str, most_bytes: int) -> str:
    """Returns text as one line without control characters, of at most so many bytes."""
    line = " ".join("".join(c if c.isprintable() or c.isspace() else " " for c in text).split())
    return line.encode()[:most_bytes].decode(errors="ignore")
