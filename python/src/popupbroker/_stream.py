"""Streams of messages that hold subscriptions."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import TypeVar

Item = TypeVar("Item")


class Stream(AsyncIterator[Item]):
    """Messages that are received from the time when the stream is opened, until it is closed."""

    def __init__(self, items: AsyncGenerator[Item, None], release: Callable[[], None]) -> None:
        self._items = items
        self._release: Callable[[], None] | None = release

    async def __anext__(self) -> Item:
        try:
            return await anext(self._items)
        except BaseException:
            self._end()
            raise

    async def aclose(self) -> None:
        """Takes the subscriptions back."""
        await self._items.aclose()
        self._end()

    def __del__(self) -> None:
        self._end()

    def _end(self) -> None:
        release, self._release = self._release, None
        if release is not None:
            release()
