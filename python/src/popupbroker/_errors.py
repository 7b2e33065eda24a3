"""The errors, each with one sentence that says what to do."""

from __future__ import annotations


class PopupBrokerError(Exception):
    """The base of all errors of this package."""


class Refused(PopupBrokerError):
    """The broker refused a command. It changed nothing, and repeating it does not help, except after ``OVERLOAD``."""

    def __init__(self, reason: str, detail: str = "", retry_after: float = 0.0) -> None:
        super().__init__(f"refused {reason}: {detail}" if detail else f"refused {reason}")
        self.reason = reason
        """A word of the protocol, such as ``INVALID`` or ``STALE``."""
        self.detail = detail
        """A sentence for humans: what is wrong, where, and what to do."""
        self.retry_after = retry_after
        """With ``OVERLOAD``: after how many seconds it may be sent again."""


class AcknowledgementTimedOut(PopupBrokerError, TimeoutError):
    """No acknowledgement arrived in time. The command may or may not be accepted; it is still sent again."""


class NoReply(PopupBrokerError, TimeoutError):
    """No reply to a query arrived in time."""


class QueueFull(PopupBrokerError):
    """More commands wait to be sent than the limit allows."""


class Closed(PopupBrokerError):
    """The connection was closed. A command in flight may or may not be accepted: send it again with the same id."""
