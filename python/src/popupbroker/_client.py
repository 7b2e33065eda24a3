"""What producers, renderers and administration clients of asyncio have in common."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

from ._connection import Connection
from ._errors import AcknowledgementTimedOut


class Client:
    """The common part of producers, renderers and administration clients."""

    def __init__(
        self,
        connection: Connection | None = None,
        *,
        ingress: str | Sequence[str] | None = None,
        egress: str | Sequence[str] | None = None,
        timeout: float | None = 10.0,
    ) -> None:
        """:param connection: a connection to share; otherwise it opens one of its own.
        :param timeout: how many seconds a call waits for the broker; ``None``: for ever.
        """
        self._owns_connection = connection is None
        self.connection = connection or Connection(ingress, egress)
        self.timeout = timeout

    async def __aenter__(self) -> Self:
        self.connection._start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self, linger: float = 5.0) -> None:
        """Closes the connection, unless it is shared. See :meth:`Connection.close`."""
        if self._owns_connection:
            await self.connection.close(linger)

    async def flush(self, timeout: float | None = None) -> None:
        """Waits until all commands of the connection are settled. See :meth:`Connection.flush`."""
        await self.connection.flush(timeout)

    async def _perform(self, command: dict[str, Any]) -> None:
        future = self.connection.submit(command)
        try:
            async with asyncio.timeout(self.timeout):
                await asyncio.shield(future)
        except TimeoutError:
            if future.done():
                return future.result()
            overload = self.connection.overload(future)
            why = f"it was last {overload}" if overload else self.connection.whereabouts
            raise AcknowledgementTimedOut(
                f"no acknowledgement within {self.timeout} s; {why}. The command is sent again until the connection is "
                "closed"
            ) from None

    async def set_session(self, group: str, session: str) -> None:
        """Changes the session of a group.

        :raises Refused: when the broker refuses it.
        """
        await self._perform({"setSession": {"group": group, "session": session}})

    async def open_page(self, tree: str, node: str, value: str, parent: str | None = None) -> None:
        """Adds a page to a tree, below ``parent``, or as its root.

        :raises Refused: when the broker refuses it.
        """
        page = {"node": node, "value": value, **({"parent": parent} if parent else {})}
        await self._perform({"page": {"tree": tree, "open": page}})

    async def enter_page(self, tree: str, node: str) -> None:
        """Makes a page current.

        :raises Refused: when the broker refuses it.
        """
        await self._perform({"page": {"tree": tree, "enter": {"node": node}}})

    async def close_page(self, tree: str, node: str) -> None:
        """Removes a page and what is below it.

        :raises Refused: when the broker refuses it.
        """
        await self._perform({"page": {"tree": tree, "close": {"node": node}}})


def without_none(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
