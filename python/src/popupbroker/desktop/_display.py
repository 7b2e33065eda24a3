"""A renderer that shows the popups of groups through the notification service of the session."""

from __future__ import annotations

import asyncio
import contextlib
import html
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from .._errors import PopupBrokerError
from .._values import GroupState, Popup, activation
from ..aio import Renderer
from ._notifications import BUS_NAME, INTERFACE, NEVER, PATH, CloseReason, Urgency

log = logging.getLogger(__name__)

MATCH = f"type='signal',interface='{INTERFACE}',path='{PATH}'"
OWNER_MATCH = f"type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='{BUS_NAME}'"
MAX_REPEATS = 3
"""How many times a popup is shown again at most after the service has ended its notification by itself."""


@dataclass
class _Shown:
    state: GroupState
    id: int = 0
    """The notification; 0: none is on the screen."""
    repeats: int = 0


class Display:
    """Shows each group's popup as one notification, and reports what the user does with it."""

    def __init__(self, renderer: Renderer, *, urgencies: tuple[int, int] = (1, 9)) -> None:
        """:param renderer: one with ``reports=False``: it is reported here what is on the screen.
        :param urgencies: the lowest priorities of normal and of critical urgency."""
        self._renderer = renderer
        self._urgencies = urgencies
        self._shown: dict[str, _Shown] = {}
        self._signals: asyncio.Queue[Message] = asyncio.Queue()
        self._owners = 0
        """The number of times that the service has changed."""
        self._has_markup: bool | None = None
        """Whether the service reads a body as markup; ``None``: it was not asked yet."""

    async def run(self, bus: MessageBus, groups: Sequence[str]) -> None:
        """Shows the popups of groups until it is cancelled or the bus is gone."""
        self._bus = bus
        bus.add_message_handler(self._note)
        for match in (MATCH, OWNER_MATCH):
            await self._call("org.freedesktop.DBus", "/org/freedesktop/DBus", "AddMatch", "s", [match])
        tasks = [
            asyncio.create_task(self._follow(groups)),
            asyncio.create_task(self._answer()),
            asyncio.create_task(bus.wait_for_disconnect()),  # type: ignore[no-untyped-call]
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            raise RuntimeError("the connection to the session bus is gone")
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if bus.connected:
                for group in list(self._shown):
                    await self._withdraw(group)

    async def _follow(self, groups: Sequence[str]) -> None:
        async for state in self._renderer.states(*groups):
            if state.offered is not None and state.is_confirmed:
                with contextlib.suppress(PopupBrokerError):
                    await self._renderer.accept(state)
            if state.popup is None:
                await self._withdraw(state.group)
                continue
            shown = self._shown.get(state.group)
            if shown and shown.state.popup and _look(shown.state.popup) == _look(state.popup):
                # What the user sees stays. The broker may have forgotten what was reported, as after its restart.
                before, shown.state = shown.state, state
                if activation(before) != activation(state):
                    self._report(shown)
                continue
            self._shown[state.group] = _Shown(state, shown.id if shown else 0)
            await self._show(self._shown[state.group])

    async def _show(self, shown: _Shown) -> None:
        popup = shown.state.popup
        if popup is None:
            return
        lowest = [Urgency.LOW, Urgency.NORMAL, Urgency.CRITICAL]
        urgency = lowest[sum(popup.priority >= least for least in self._urgencies)]
        title = popup.title or (popup.text or "").split("\n")[0] or popup.group
        body = "" if popup.text == title else popup.text or ""
        if await self._reads_markup():
            body = html.escape(body, quote=False)
        actions = [part for action in popup.actions for part in (action.id, action.label or action.id)]
        icon = popup.fields.get("presentation", {}).get("icon", "")
        hints = {"urgency": Variant("y", int(urgency)), "desktop-entry": Variant("s", "popup-desktop")}
        reply = await self._call(
            BUS_NAME,
            PATH,
            "Notify",
            "susssasa{sv}i",
            # The broker ends it: the daemon has no time limit of its own.
            [popup.group, shown.id, icon, title, body, actions, hints, NEVER],
        )
        if reply is None:
            log.warning("the popup of %s is not on the screen: there is no notification service", popup.group)
            if self._shown.get(popup.group) is shown:
                self._renderer.report(shown.state, "hidden")
            return
        shown.id = reply.body[0]
        if self._shown.get(popup.group) is not shown:
            # It was withdrawn, or another took its place, before the service had answered.
            await self._close(shown.id)
            return
        self._report(shown)

    async def _reads_markup(self) -> bool:
        """Returns whether the service reads a body as markup. Each service is asked once."""
        while self._has_markup is None:
            owners = self._owners
            reply = await self._call(BUS_NAME, PATH, "GetCapabilities", "", [])
            if reply is None:
                return True  # No text becomes markup, whatever it is.
            if owners == self._owners:
                self._has_markup = "body-markup" in reply.body[0]
        return self._has_markup

    def _report(self, shown: _Shown) -> None:
        """Reports whether the user sees a popup."""
        self._renderer.report(shown.state, "visible" if shown.id else "hidden")

    async def _withdraw(self, group: str) -> None:
        shown = self._shown.pop(group, None)
        if shown is not None and shown.id:
            await self._close(shown.id)

    async def _close(self, id: int) -> None:
        await self._call(BUS_NAME, PATH, "CloseNotification", "u", [id])

    def _note(self, message: Message) -> None:
        if message.message_type is MessageType.SIGNAL:
            if message.member == "NameOwnerChanged" and message.body[0] == BUS_NAME:
                # At once: a call that waits for its reply now must not take the old service for the new one.
                self._owners += 1
                self._has_markup = None
            self._signals.put_nowait(message)

    async def _answer(self) -> None:
        """Handles the signals one by one: an action comes before the end that it causes."""
        while True:
            message = await self._signals.get()
            if message.member == "NameOwnerChanged" and message.body[0] == BUS_NAME:
                await self._replace_service(is_there=bool(message.body[2]))
            elif message.member == "ActionInvoked":
                await self._dismiss(message.body[0], message.body[1])
            elif message.member == "NotificationClosed" and message.body[1] == CloseReason.DISMISSED:
                await self._dismiss(message.body[0], "dismissed", is_gone=True)
            elif message.member == "NotificationClosed":
                await self._show_again(message.body[0])

    async def _replace_service(self, is_there: bool) -> None:
        """Shows everything through another service, which shows nothing yet, or notes that there is none."""
        for group, shown in list(self._shown.items()):
            if self._shown.get(group) is not shown:
                continue
            was_shown, shown.id = shown.id != 0, 0
            if is_there:
                await self._show(shown)
            elif was_shown:
                self._report(shown)

    async def _show_again(self, id: int) -> None:
        """Shows a popup again whose notification the service has ended by itself: the broker decides when it ends."""
        shown = self._find(id)
        if shown is None:
            return
        shown.id = 0
        if shown.repeats < MAX_REPEATS:
            shown.repeats += 1
            await self._show(shown)
        else:
            log.warning("the popup of %s is hidden: the notification service ends it", shown.state.group)
            self._report(shown)

    def _find(self, id: int) -> _Shown | None:
        return next((shown for shown in self._shown.values() if shown.id == id), None)

    async def _dismiss(self, id: int, action: str, is_gone: bool = False) -> None:
        shown = self._find(id)
        if shown is None:
            return
        if is_gone:
            shown.id = 0
        try:
            await self._renderer.dismiss(shown.state, action)
        except PopupBrokerError:
            # The popup had changed before the user answered: what it says now was not seen.
            if is_gone and self._shown.get(shown.state.group) is shown and not shown.id:
                await self._show(shown)

    async def _call(self, name: str, path: str, member: str, signature: str, body: list[Any]) -> Message | None:
        interface = INTERFACE if name == BUS_NAME else name
        reply = await self._bus.call(
            Message(destination=name, path=path, interface=interface, member=member, signature=signature, body=body)
        )
        return reply if reply is not None and reply.message_type is MessageType.METHOD_RETURN else None


def _look(popup: Popup) -> dict[str, Any]:
    """Returns what the user sees of a popup."""
    return {name: popup.fields.get(name) for name in ("id", "text", "priority", "presentation", "actions")}
