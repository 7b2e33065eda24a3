"""The interface ``org.freedesktop.Notifications`` on the session bus."""

# Without `from __future__ import annotations`: dbus-fast reads the annotations.
from typing import Annotated, Protocol

from dbus_fast import Variant
from dbus_fast.annotations import DBusInt32, DBusSignature, DBusStr, DBusUInt32
from dbus_fast.service import ServiceInterface, dbus_method, dbus_signal

from .. import __version__
from ._notifications import INTERFACE, Notification

Strings = Annotated[list[str], DBusSignature("as")]
Hints = Annotated[dict[str, Variant], DBusSignature("a{sv}")]
Closed = Annotated[list[int], DBusSignature("uu")]
Invoked = Annotated[tuple[int, str], DBusSignature("us")]
Server = Annotated[list[str], DBusSignature("ssss")]


class Handler(Protocol):
    """The receiver of the calls."""

    def notify(self, notification: Notification, replaces: int) -> int:
        """Shows a notification, and returns its id."""

    def close(self, id: int) -> None:
        """Closes a notification."""


class Service(ServiceInterface):
    """The object that programs call. Its methods have the names of the specification."""

    def __init__(self, handler: Handler) -> None:
        super().__init__(INTERFACE)
        self._handler = handler

    @dbus_method()
    def Notify(
        self,
        app_name: DBusStr,
        replaces_id: DBusUInt32,
        app_icon: DBusStr,
        summary: DBusStr,
        body: DBusStr,
        actions: Strings,
        hints: Hints,
        expire_timeout: DBusInt32,
    ) -> DBusUInt32:
        values = {name: hint.value for name, hint in hints.items()}
        return self._handler.notify(
            Notification.from_call(app_name, app_icon, summary, body, actions, values, expire_timeout), replaces_id
        )

    @dbus_method()
    def CloseNotification(self, id: DBusUInt32) -> None:
        self._handler.close(id)

    @dbus_method()
    def GetCapabilities(self) -> Strings:
        return ["actions", "body", "icon-static", "persistence"]

    @dbus_method()
    def GetServerInformation(self) -> Server:
        return ["popup-desktop", "PopupBroker", __version__, "1.2"]

    @dbus_signal()
    def NotificationClosed(self, id: int, reason: int) -> Closed:
        return [id, reason]

    @dbus_signal()
    def ActionInvoked(self, id: int, action_key: str) -> Invoked:
        return [id, action_key]  # type: ignore[return-value]
