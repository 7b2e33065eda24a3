"""PopupBroker's client for Python: producers, renderers and administration, with nothing but pyzmq.

::

    from popupbroker import Producer

    with Producer() as producer:
        producer.show("lobby", "Hello", priority=5, duration_ms=8000)

:mod:`popupbroker.aio` has the same for asyncio. ``Documentation/Protocol.md`` of PopupBroker defines the wire.
"""

from ._blocking import Admin, Connection, Producer, Renderer
from ._errors import AcknowledgementTimedOut, Closed, NoReply, PopupBrokerError, QueueFull, Refused
from ._replies import (
    BrokerStatistics,
    ClosedCount,
    ClosedPopup,
    CommandCount,
    DeniedCount,
    DisplayedPopup,
    EventCount,
    Explanation,
    GroupCounts,
    Histogram,
    HistogramBucket,
    HoldingRule,
    LimitUse,
    PageBinding,
    PolicyInForce,
    PopupCap,
    PopupClosed,
    PopupRequirement,
    PopupSummary,
    PopupSuspension,
    ProducerSequences,
    RefusedCount,
    RendererSummary,
    Results,
    TurnTimes,
)
from ._values import Action, Event, GroupState, Popup

__version__ = "0.2.0"

__all__ = [
    "AcknowledgementTimedOut",
    "Action",
    "Admin",
    "BrokerStatistics",
    "Closed",
    "ClosedCount",
    "ClosedPopup",
    "CommandCount",
    "Connection",
    "DeniedCount",
    "DisplayedPopup",
    "Event",
    "EventCount",
    "Explanation",
    "GroupCounts",
    "GroupState",
    "Histogram",
    "HistogramBucket",
    "HoldingRule",
    "LimitUse",
    "NoReply",
    "PageBinding",
    "PolicyInForce",
    "Popup",
    "PopupBrokerError",
    "PopupCap",
    "PopupClosed",
    "PopupRequirement",
    "PopupSummary",
    "PopupSuspension",
    "Producer",
    "ProducerSequences",
    "QueueFull",
    "Refused",
    "RefusedCount",
    "Renderer",
    "RendererSummary",
    "Results",
    "TurnTimes",
]
