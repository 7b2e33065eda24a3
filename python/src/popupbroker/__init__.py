"""PopupBroker's client for Python: producers, renderers and administration, with nothing but pyzmq.

::

    from popupbroker import Producer

    with Producer() as producer:
        producer.show("lobby", "Hello", priority=5, duration_ms=8000)

:mod:`popupbroker.aio` has the same for asyncio. ``Documentation/Protocol.md`` of PopupBroker defines the wire.
"""

from ._blocking import Admin, Connection, Producer, Renderer
from ._errors import AcknowledgementTimedOut, Closed, NoReply, PopupBrokerError, QueueFull, Refused
from ._values import Action, Event, Explanation, GroupState, Popup, PopupSummary

__version__ = "0.2.0"

__all__ = [
    "AcknowledgementTimedOut",
    "Action",
    "Admin",
    "Closed",
    "Connection",
    "Event",
    "Explanation",
    "GroupState",
    "NoReply",
    "Popup",
    "PopupBrokerError",
    "PopupSummary",
    "Producer",
    "QueueFull",
    "Refused",
    "Renderer",
]
