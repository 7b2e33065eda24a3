"""A notification service for tests, which writes a line for each call.

``python3 -m tests.notification_service CAPABILITIES [ENDS REASON]``: with the capabilities, separated by commas; it ends
so many notifications by itself as soon as they are there, for this reason.
"""

# Without `from __future__ import annotations`: dbus-fast reads the annotations.
import asyncio
import itertools
import json
import sys

from dbus_fast.aio import MessageBus
from dbus_fast.service import dbus_method

from popupbroker.desktop._notifications import BUS_NAME, PATH, Notification
from popupbroker.desktop._service import Service, Strings


class Screen:
    """The notifications of the service."""

    def __init__(self, capabilities: list[str], ends: int, reason: int) -> None:
        self.service = CapableService(self, capabilities)
        self._ends = ends
        self._reason = reason
        self._ids = itertools.count(1)

    def notify(self, notification: Notification, replaces: int) -> int:
        id = replaces or next(self._ids)
        print(json.dumps({"shown": id, "title": notification.summary, "body": notification.body}), flush=True)
        if self._ends > 0:
            self._ends -= 1
            # After the reply, which the caller needs to know the id.
            asyncio.get_running_loop().call_soon(self.service.NotificationClosed, id, self._reason)
        return id

    def close(self, id: int) -> None:
        print(json.dumps({"closed": id}), flush=True)


class CapableService(Service):
    """A service with other capabilities."""

    def __init__(self, screen: Screen, capabilities: list[str]) -> None:
        super().__init__(screen)
        self._capabilities = capabilities

    @dbus_method()
    def GetCapabilities(self) -> Strings:
        return self._capabilities


async def main(capabilities: str, ends: str = "0", reason: str = "0") -> None:
    bus = await MessageBus().connect()
    screen = Screen(capabilities.split(","), int(ends), int(reason))
    bus.export(PATH, screen.service)
    # Before the name is its own: who waits for the name calls at once.
    print("ready", flush=True)
    await bus.request_name(BUS_NAME)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
