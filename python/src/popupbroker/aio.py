"""Producers, renderers and administration for asyncio.

::

    import asyncio
    from popupbroker.aio import Producer

    async def main():
        async with Producer() as producer:
            await producer.show("lobby", "Hello", priority=5, duration_ms=8000)

    asyncio.run(main())

The names of :mod:`popupbroker` without ``await`` are the same.
"""

from ._admin import Admin
from ._connection import Connection
from ._producer import Producer
from ._renderer import Renderer
from ._stream import Stream

__all__ = ["Admin", "Connection", "Producer", "Renderer", "Stream"]
