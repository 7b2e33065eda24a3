"""Producers for asyncio."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any, Unpack

from ._client import Client, without_none
from ._fields import PopupFields, SelectorFields, UpdateFields, to_json


class Producer(Client):
    """Requests popups. Each command is sent until the broker has acknowledged it, and takes effect once."""

    async def show(
        self, group: str, text: str | None = None, *, id: str | None = None, **fields: Unpack[PopupFields]
    ) -> str:
        """Requests a popup and waits until the broker has accepted it.

        :param id: identifies the popup permanently: a second ``show`` with it has no effect. If absent, one is made.
        :returns: The id of the popup.
        :raises Refused: when the broker refuses it.
        :raises AcknowledgementTimedOut: when no acknowledgement arrives in time.
        """
        command, id = _show(group, text, id, fields)
        await self._perform(command)
        return id

    def submit(
        self, group: str, text: str | None = None, *, id: str | None = None, **fields: Unpack[PopupFields]
    ) -> asyncio.Future[None]:
        """Requests a popup and returns at once: for many popups.

        :returns: A future that ends when the popup is accepted, or fails with :class:`Refused`.
        :raises QueueFull: when too many commands wait.
        """
        return self.connection.submit(_show(group, text, id, fields)[0])

    async def update(self, id: str, **fields: Unpack[UpdateFields]) -> None:
        """Changes a live popup in place.

        :raises Refused: when the broker refuses it, with ``NOT_FOUND`` when no live popup has the id.
        """
        await self._perform({"update": {"id": id, **to_json(fields, UpdateFields)}})

    async def cancel(self, id: str, action: str = "cancelled", *, group: str | None = None) -> None:
        """Closes a popup, as an administrator would.

        :raises Refused: when the broker refuses it.
        """
        await self._perform({"dismiss": without_none(id=id, action=action, group=group)})

    async def clear(self, **selector: Unpack[SelectorFields]) -> None:
        """Closes all selected popups.

        :raises Refused: when the broker refuses it, with ``INVALID`` when the selector is empty.
        """
        await self._perform({"clear": {"selector": to_json(selector, SelectorFields)}})


def _show(group: str, text: str | None, id: str | None, fields: PopupFields) -> tuple[dict[str, Any], str]:
    id = id or uuid.uuid4().hex
    return {"show": {**without_none(id=id, group=group, text=text), **to_json(fields, PopupFields)}}, id
