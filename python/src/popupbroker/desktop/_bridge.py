"""The notification service of a session: each notification becomes a popup, and its end goes back."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dbus_fast import DBusError, NameFlag, RequestNameReply
from dbus_fast.aio import MessageBus

from .._errors import PopupBrokerError, QueueFull, Refused
from .._fields import ActionFields, PopupFields, PresentationFields, UpdateFields
from .._replies import Explanation, PopupClosed
from .._values import Event
from ..aio import Admin
from ._notifications import BUS_NAME, INTERFACE, NEVER, PATH, STYLES, CloseReason, Notification, Urgency, one_line
from ._service import Service

log = logging.getLogger(__name__)

MAX_LIVE = 1000
"""Notifications that are not closed at most; a further one is an error."""
CLOSED_BY_CALL = "closed-by-program"
"""The action of a popup that ``CloseNotification`` closes."""
MAX_LABEL, MAX_ID, MAX_ACTIONS = 1000, 200, 32
"""Limits of the protocol."""


@dataclass(frozen=True)
class Settings:
    """The rules by which a bridge turns notifications into popups."""

    group: str = "desktop"
    """The group of the popups. ``{app}`` stands for the name of the program."""
    priorities: tuple[int, int, int] = (0, 5, 9)
    """The priority of low, normal and critical urgency."""
    timeout_ms: int = 8000
    """The display time of notifications that leave it to the service; one of critical urgency stays."""


@dataclass
class _Live:
    popup: str
    group: str
    actions: frozenset[str]
    is_accepted: bool = False


class Bridge:
    """Turns notifications into popups, and tells programs what became of them."""

    def __init__(self, admin: Admin, settings: Settings | None = None) -> None:
        self._admin = admin
        self._settings = settings or Settings()
        self._run = uuid.uuid4().hex
        self._live: dict[int, _Live] = {}
        self._ids: dict[str, int] = {}
        self._last_id = 0
        self._popups = 0
        self._service = Service(self)
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self, bus: MessageBus, *, replaces: bool = False, ready: Callable[[], None] = lambda: None) -> None:
        """Serves until it is cancelled or the bus is gone.

        :param replaces: whether it takes the place of a service that allows it.
        :raises RuntimeError: when another service has the name.
        """
        events = self._admin.events(_followed(self._settings.group))
        bus.export(PATH, self._service)
        flags = NameFlag.DO_NOT_QUEUE | NameFlag.ALLOW_REPLACEMENT
        reply = await bus.request_name(BUS_NAME, flags | NameFlag.REPLACE_EXISTING if replaces else flags)
        if reply not in (RequestNameReply.PRIMARY_OWNER, RequestNameReply.ALREADY_OWNER):
            raise RuntimeError(f"another program is the notification service ({BUS_NAME}); end it, or use --replace")
        ready()
        reconcile = asyncio.create_task(self._reconcile())
        lost = asyncio.create_task(bus.wait_for_disconnect())  # type: ignore[no-untyped-call]
        follow = asyncio.create_task(self._follow(events))
        try:
            done, _ = await asyncio.wait({reconcile, lost, follow}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            raise RuntimeError("the connection to the session bus is gone")
        finally:
            for task in (reconcile, lost, follow, *self._tasks):
                task.cancel()
            await asyncio.gather(reconcile, lost, follow, *self._tasks, return_exceptions=True)

    def notify(self, notification: Notification, replaces: int) -> int:
        """Requests or updates a popup. Returns the id of the notification at once."""
        live = self._live.get(replaces)
        if live is not None:
            live.actions = frozenset(key for key, _ in notification.actions)
            self._start(self._update(replaces, live, notification))
            return replaces
        if len(self._live) >= MAX_LIVE:
            raise DBusError(
                f"{INTERFACE}.Error.ExcessNotificationGeneration", f"{MAX_LIVE} notifications are open; close some"
            )
        # A notification that replaces one which is gone keeps its id, as the specification asks for.
        id = replaces or self._new_id()
        self._show(id, notification)
        return id

    def close(self, id: int) -> None:
        """Closes a notification; one that is not open is an error of the caller."""
        live = self._live.get(id)
        if live is None:
            raise DBusError(f"{INTERFACE}.Error.NotFound", f"no notification has the id {id}")
        self._start(self._cancel(live))

    def _new_id(self) -> int:
        while True:
            self._last_id = self._last_id % 0xFFFF_FFFF + 1
            if self._last_id not in self._live:
                return self._last_id

    def _show(self, id: int, notification: Notification) -> None:
        self._popups += 1
        group = self._settings.group.replace("{app}", _segment(notification.app))
        live = _Live(f"desktop-{self._run}-{self._popups}", group, frozenset(key for key, _ in notification.actions))
        self._live[id] = live
        self._ids[live.popup] = id
        self._start(self._request(id, live, notification))

    async def _request(self, id: int, live: _Live, notification: Notification) -> None:
        fields: PopupFields = {
            "priority": self._settings.priorities[notification.urgency],
            "duration_ms": self._duration(notification),
            "actions": _actions(notification),
            "presentation": _presentation(notification),
        }
        if notification.stack_tag:
            fields["collapse_key"] = one_line(notification.stack_tag, MAX_ID)
        try:
            await self._admin.submit(live.group, notification.text, id=live.popup, **fields)
            live.is_accepted = True
        except (Refused, QueueFull) as error:
            log.warning("a notification of %s is not shown: %s", notification.app, error)
            self._closed(live.popup, CloseReason.UNDEFINED)

    async def _update(self, id: int, live: _Live, notification: Notification) -> None:
        fields: UpdateFields = {
            "priority": self._settings.priorities[notification.urgency],
            "duration_ms": self._duration(notification),
            "restart_timer": True,
            "text": notification.text,
            "presentation": _presentation(notification),
            "actions": _actions(notification),
        }
        try:
            await self._admin.update(live.popup, **fields)
        except Refused as error:
            if error.reason != "NOT_FOUND":
                log.warning("a notification of %s is not updated: %s", notification.app, error)
                return
            # It has closed in the meantime. The program's newer one takes its id, unless another one has it already.
            present = self._live.get(id)
            if present is not None and present is not live:
                return await self._update(id, present, notification)
            self._ids.pop(live.popup, None)
            self._show(id, notification)

    async def _cancel(self, live: _Live) -> None:
        try:
            await self._admin.cancel(live.popup, CLOSED_BY_CALL)
        except Refused:
            pass  # It has closed by itself: its event says why.

    def _duration(self, notification: Notification) -> int:
        if notification.timeout_ms == NEVER:
            return 0
        if notification.timeout_ms > 0:
            return notification.timeout_ms
        return 0 if notification.urgency == Urgency.CRITICAL else self._settings.timeout_ms

    async def _follow(self, events: Any) -> None:
        async for event in events:
            self._receive(event)

    def _receive(self, event: Event) -> None:
        if event.kind == "closed" and event.popup in self._ids:
            self._end(event.popup, event.details.get("reason", ""), event.details.get("action", ""))

    def _end(self, popup: str, reason: str, action: str) -> None:
        id = self._ids[popup]
        if reason == "DISMISSED" and action == CLOSED_BY_CALL:
            self._closed(popup, CloseReason.CLOSED_BY_CALL)
        elif reason == "DISMISSED":
            live = self._live.get(id)
            if live is not None and action in live.actions:
                self._service.ActionInvoked(id, action)
            self._closed(popup, CloseReason.DISMISSED)
        else:
            self._closed(popup, CloseReason.EXPIRED if reason in ("TIMED_OUT", "EXPIRED") else CloseReason.UNDEFINED)

    def _closed(self, popup: str, reason: CloseReason) -> None:
        id = self._ids.pop(popup, None)
        live = None if id is None else self._live.get(id)
        if id is not None and live is not None and live.popup == popup:
            del self._live[id]
            self._service.NotificationClosed(id, int(reason))

    async def _reconcile(self) -> None:
        """Finds out what closed while events were lost: whenever the broker is back, and now and then."""
        connection = self._admin.connection
        connections, ticks = connection.connections, 0
        while True:
            await asyncio.sleep(1)
            ticks += 1
            if not connection.is_connected or (connections == connection.connections and ticks % 30 != 0):
                continue
            connections = connection.connections
            for popup in [live.popup for live in self._live.values() if live.is_accepted]:
                try:
                    self._compare(await self._admin.explain(popup))
                except PopupBrokerError:
                    break

    def _compare(self, explanation: Explanation) -> None:
        if explanation.id not in self._ids:
            return
        if explanation.phase == "CLOSED":
            closed = explanation.closed or PopupClosed()
            self._end(explanation.id, closed.reason, closed.action)
        elif explanation.phase == "UNKNOWN":
            self._closed(explanation.id, CloseReason.UNDEFINED)

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _actions(notification: Notification) -> list[ActionFields]:
    return [
        {"id": one_line(key, MAX_ID), "label": one_line(label, MAX_LABEL) or key}
        for key, label in notification.actions[:MAX_ACTIONS]
        if one_line(key, MAX_ID)
    ]


def _presentation(notification: Notification) -> PresentationFields:
    presentation: PresentationFields = {"style": STYLES[notification.urgency]}
    if title := one_line(notification.summary, MAX_LABEL):
        presentation["title"] = title
    if image := one_line(notification.image, MAX_LABEL):
        presentation["icon"] = image
    return presentation


def _followed(group: str) -> str:
    """Returns the group that has all groups of the setting below it; ``*`` if there is none."""
    above, brace, _ = group.partition("{app}")
    if not brace:
        return group
    return above.rpartition("/")[0] or "*"


def _segment(app: str) -> str:
    """Returns the name of a program as a segment of a group's name."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in app)[:64] or "unknown"
