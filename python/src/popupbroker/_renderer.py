"""Renderers for asyncio."""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ._client import without_none
from ._connection import Connection
from ._follower import Follower
from ._values import GroupState, Popup, activation

LEASE_INTERVAL = 1.0
"""Seconds between two renewals of a lease."""


class Renderer(Follower):
    """Shows the popups of groups and reports back."""

    def __init__(
        self,
        connection: Connection | None = None,
        *,
        name: str | None = None,
        ingress: str | Sequence[str] | None = None,
        egress: str | Sequence[str] | None = None,
        timeout: float | None = 10.0,
        reports: bool = True,
    ) -> None:
        """:param name: identifies this renderer; give each screen one that stays the same. If absent, one is made.
        :param reports: whether a popup is reported as displayed when the loop receives its state. If not, call
            :meth:`report` when it is on the screen.
        """
        super().__init__(connection, ingress=ingress, egress=egress, timeout=timeout)
        self.name = name or f"python-{uuid.uuid4().hex}"
        self._reports = reports
        self._is_visible = True
        self._groups: Counter[str] = Counter()
        self._reported: dict[str, GroupState] = {}
        self._hidden: set[str] = set()
        """The groups whose popup was reported as hidden, whatever else is visible."""
        self._lease: asyncio.Task[None] | None = None
        self._lease_changed = asyncio.Event()

    async def dismiss(self, state: GroupState, action: str = "") -> None:
        """Tells that the user is done with the popup that a state shows.

        :raises Refused: with ``STALE`` when the popup has changed since, or another one is shown.
        """
        popup = _popup_of(state.popup, "shows")
        await self._perform(
            {
                "dismiss": without_none(
                    id=popup.id,
                    action=action or None,
                    revision=popup.since_revision,
                    client=self.name,
                    group=state.group,
                )
            }
        )

    async def accept(self, state: GroupState) -> None:
        """Agrees to show the popup that a state offers.

        :raises Refused: with ``STALE`` when it is not offered any more.
        """
        await self._answer(state, accept={})

    async def veto(self, state: GroupState) -> None:
        """Closes the popup that a state offers.

        :raises Refused: with ``STALE`` when it is not offered any more.
        """
        await self._answer(state, veto={})

    async def postpone(self, state: GroupState, retry_ms: int | None = None) -> None:
        """Asks to offer the popup again later.

        :param retry_ms: after which time; if absent, the group's policy decides.
        :raises Refused: with ``STALE`` when it is not offered any more.
        """
        await self._answer(state, later=without_none(retryMs=retry_ms))

    def report(self, state: GroupState, what: str) -> None:
        """Reports that the popup of a state is ``displayed``, ``visible`` or ``hidden``. Returns at once.

        It is sent again when the connection was lost. Report again when the loop receives the popup after an update, a
        pause or a restart of the broker: its ``since_revision`` or the state's ``epoch`` is another one.
        """
        if what not in ("displayed", "visible", "hidden"):
            raise ValueError(f"{what!r} cannot be reported; use displayed, visible or hidden")
        _popup_of(state.popup, "shows")
        self._reported[state.group] = state
        if what == "hidden":
            self._hidden.add(state.group)
        else:
            self._hidden.discard(state.group)
        self._report(state, what)

    def set_visible(self, is_visible: bool) -> None:
        """Tells whether the user can see what this renderer shows; it can unless said otherwise."""
        if is_visible == self._is_visible:
            return
        self._is_visible = is_visible
        for state in self._reported.values():
            if state.group not in self._hidden:
                self._report(state, "visible" if is_visible else "hidden")

    async def close(self, linger: float = 5.0) -> None:
        """Ends the lease, and closes the connection unless it is shared."""
        if self._lease is not None:
            self._lease.cancel()
            self._lease = None
            if not self.connection.is_closed:
                self.connection.submit({"lease": {"client": self.name}})
        await super().close(linger)

    async def _answer(self, state: GroupState, **answer: Any) -> None:
        popup = _popup_of(state.offered, "offers")
        await self._perform({"answer": {"id": popup.id, "client": self.name, "group": state.group, **answer}})

    def _report(self, state: GroupState, what: str) -> None:
        if state.popup is not None and not self.connection.is_closed:
            self.connection.submit(
                {"report": {"id": state.popup.id, "client": self.name, "group": state.group, what: {}}}
            )

    def _report_displayed(self, state: GroupState) -> None:
        self._report(state, "displayed")
        if self._is_visible and state.group not in self._hidden:
            self._report(state, "visible")

    def _joined(self, groups: Sequence[str]) -> None:
        self._groups.update(groups)
        self._lease_changed.set()
        if self._lease is None:
            self._lease = self.connection.spawn(self._renew())

    def _left(self, groups: Sequence[str]) -> None:
        self._groups -= Counter(groups)
        self._lease_changed.set()

    def _taken(self, state: GroupState) -> None:
        before = self._reported.get(state.group)
        if before is not None and activation(before) != activation(state):
            self._hidden.discard(state.group)
        if state.popup is None:
            self._reported.pop(state.group, None)
        elif before is None or activation(before) != activation(state):
            # The same popup again after a pause or a restart is displayed again.
            if self._reports:
                self._reported[state.group] = state
                self._report_displayed(state)
            else:
                self._reported.pop(state.group, None)

    async def _renew(self) -> None:
        loop = asyncio.get_running_loop()
        is_held, renewed_at, connections = False, 0.0, 0
        while True:
            self._lease_changed.clear()
            if not self.connection.is_connected:
                await self.connection.connected()
            if self._groups or is_held:
                # The broker forgets what a renderer displays when its lease has run out.
                is_interrupted = is_held and (
                    loop.time() - renewed_at > 2 * LEASE_INTERVAL or connections != self.connection.connections
                )
                self.connection.send_unacknowledged({"lease": {"client": self.name, "groups": sorted(self._groups)}})
                is_held, renewed_at, connections = bool(self._groups), loop.time(), self.connection.connections
                if is_interrupted:
                    for state in self._reported.values():
                        self._report_displayed(state)
            try:
                async with asyncio.timeout(LEASE_INTERVAL):
                    await self._lease_changed.wait()
            except TimeoutError:
                pass


def _popup_of(popup: Popup | None, does: str) -> Popup:
    if popup is None:
        raise ValueError(f"the state {does} no popup")
    return popup
