"""The replies to queries as Python values. Their fields are those of the schema, in snake_case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, is_dataclass
from functools import cache, partial
from types import UnionType
from typing import Any, Self, TypeVar, cast, get_args, get_origin, get_type_hints

from ._fields import PolicyFields, camel_case, from_json

Item = TypeVar("Item")


class Results(list[Item]):
    """A list of what was asked for, which can be incomplete."""

    def __init__(self, items: Iterable[Item] = (), *, truncated: bool = False) -> None:
        super().__init__(items)
        self.truncated = truncated
        """Whether there are more, or may be more, than a reply contains."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """A message of the protocol. What the broker does not send is 0, empty or ``None``."""

    fields: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The message as it was sent, with the names of the protocol: also what this version does not know."""

    @classmethod
    def from_json(cls, message: Mapping[str, Any]) -> Self:
        """Creates a value from a message of the protocol."""
        kind: Any = cls
        present = {name: read(message[key]) for name, key, read in _readers(kind) if message.get(key) is not None}
        return cls(fields=message, **present)


@cache
def _readers(kind: type[Message]) -> list[tuple[str, str, Callable[[Any], Any]]]:
    """Returns the fields of a kind: the name, that of the protocol, and what reads the value."""
    hints = get_type_hints(kind)
    return [(name, camel_case(name), _reader(hint)) for name, hint in hints.items() if name != "fields"]


def _reader(hint: Any) -> Callable[[Any], Any]:
    if get_origin(hint) is UnionType:
        return _reader(get_args(hint)[0])
    if get_origin(hint) is tuple:
        return partial(_read_all, _reader(get_args(hint)[0]))
    if is_dataclass(hint):
        return cast(type[Message], hint).from_json
    # Numbers of 64 bits are text in JSON.
    return cast(Callable[[Any], Any], hint)


def _read_all(read: Callable[[Any], Any], items: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(map(read, items))


@dataclass(frozen=True, kw_only=True)
class PopupSummary(Message):
    """A live popup, as lists tell it."""

    id: str = ""
    group: str = ""
    priority: int = 0
    phase: str = "UNKNOWN"
    """``DELAYED``, ``WAITING``, ``OFFERED``, ``ACTIVE`` or ``PAUSED``."""
    surface: str = ""
    collapse_key: str = ""
    producer: str = ""
    attempt: int = 0
    """The number of times it has been shown."""
    remaining_ms: int | None = None
    """While it is active or paused: the display time left; ``None``: it stays until it is dismissed."""
    delay_ms: int = 0
    """While it is delayed: the time until it arrives."""
    by: str = ""
    """The user that requested it."""
    title: str = ""
    """The title, shortened to 120 bytes."""
    excerpt: str = ""
    """The beginning of the text, at most 120 bytes."""
    expires_ms: int | None = None
    """The time until it closes if it is not shown before; ``None``: it does not, or was shown already."""


@dataclass(frozen=True, kw_only=True)
class PopupClosed(Message):
    """The end of a popup."""

    reason: str = "UNSPECIFIED"
    """A word of the protocol, such as ``DISMISSED`` or ``TIMED_OUT``."""
    action: str = ""
    displayed_ms: int = 0
    """The time for which it was shown."""


@dataclass(frozen=True, kw_only=True)
class PopupRequirement(Message):
    """The member of a flow that has to close first."""

    popup: str = ""
    action: str = ""
    """The action with which it must have closed; empty: any."""


@dataclass(frozen=True, kw_only=True)
class PopupCap(Message):
    """A limit of showings."""

    cap_key: str = ""
    """The cap key of the popups that count; empty: all popups of the group."""
    most: int = 0
    per_ms: int = 0


@dataclass(frozen=True, kw_only=True)
class PageBinding(Message):
    """The page on which a popup may be shown."""

    tree: str = ""
    value: str = ""
    scope: str = "SCOPE_UNSPECIFIED"
    """``CURRENT`` or ``WITHIN``."""


@dataclass(frozen=True, kw_only=True)
class HoldingRule(Message):
    """A rule that holds a popup back."""

    rule: str = ""
    """A word of the protocol, such as ``queue`` or ``suspended``."""
    blockers: tuple[str, ...] = ()
    """The popups or suspension tokens that hold it back."""
    text: str = ""
    """The same in a sentence."""
    remaining_ms: int | None = None
    """The time until the rule may end without a command; ``None``: no time is set for that."""
    ahead: int = 0
    """With the rule ``queue``: the number of popups ahead of it."""
    requirement: PopupRequirement | None = None
    cap: PopupCap | None = None
    page: PageBinding | None = None
    session: str = ""


@dataclass(frozen=True, kw_only=True)
class Explanation(Message):
    """The reason why a popup is where it is, or why it closed."""

    id: str = ""
    phase: str = "UNKNOWN"
    """As in :class:`PopupSummary`, or ``CLOSED``; ``UNKNOWN``: no popup has the id, or it was forgotten."""
    rule: str = ""
    """The rule that keeps it there: a word of the protocol, such as ``queue``."""
    blockers: tuple[str, ...] = ()
    """The popups or suspension tokens that hold it back."""
    text: str = ""
    """A sentence for humans."""
    closed: PopupClosed | None = None
    """How it closed, if it has."""
    group: str = ""
    by: str = ""
    """The popup that closed it, or the member whose end made its requirement fail, if there is one."""
    closed_at: int = 0
    """The time of its end, in milliseconds since 1970-01-01T00:00:00Z."""
    remaining_ms: int | None = None
    """The time until the rule may end without a command; ``None``: no time is set for that."""
    ahead: int = 0
    """With the rule ``queue``: the number of popups ahead of it."""
    requirement: PopupRequirement | None = None
    cap: PopupCap | None = None
    page: PageBinding | None = None
    session: str = ""
    rules: tuple[HoldingRule, ...] = ()
    """All rules that hold it back now, the decisive one first."""
    user: str = ""
    """The user that requested it, while it is live."""
    title: str = ""
    excerpt: str = ""
    expires_ms: int | None = None
    """While it is live: the time until it expires, as in :class:`PopupSummary`."""


@dataclass(frozen=True, kw_only=True)
class ClosedPopup(Message):
    """A popup that has closed."""

    id: str = ""
    group: str = ""
    time: int = 0
    """The time of its end, in milliseconds since 1970-01-01T00:00:00Z."""
    closed: PopupClosed = PopupClosed()
    cause: str = ""
    """The popup because of which it closed: the one that replaced or superseded it, or that it required."""
    title: str = ""
    excerpt: str = ""
    by: str = ""
    """The user that requested it."""


@dataclass(frozen=True, kw_only=True)
class GroupCounts(Message):
    """A group and the numbers of its popups."""

    group: str = ""
    revision: int = 0
    active: str = ""
    """The popup that has the slot; empty: none."""
    offered: bool = False
    """Whether this popup is offered, and not shown yet."""
    waiting: int = 0
    """The number of waiting popups, delayed ones included."""
    paused: int = 0
    delayed: int = 0
    session: str = ""


@dataclass(frozen=True, kw_only=True)
class PopupSuspension(Message):
    """A suspension in force."""

    token: str = ""
    group: str = ""
    """The group or pattern."""
    min_priority: int | None = None
    """The priority below which popups are held back; ``None``: all popups are."""
    since: int = 0
    """The time at which it was set, in milliseconds since 1970-01-01T00:00:00Z; 0: not known."""
    by: str = ""
    """The user that set it."""


@dataclass(frozen=True, kw_only=True)
class DisplayedPopup(Message):
    """A popup that a renderer displays."""

    id: str = ""
    group: str = ""
    visible: bool = False
    """Whether the renderer reports that users can see it."""


@dataclass(frozen=True, kw_only=True)
class RendererSummary(Message):
    """A renderer with a lease."""

    client: str = ""
    """The name of the renderer."""
    groups: tuple[str, ...] = ()
    """The groups and patterns of its lease that the query is about; at most 100."""
    displays: tuple[DisplayedPopup, ...] = ()
    """The popups in these groups that it displays, as it reported, the latest first; at most 100."""
    silent_ms: int = 0
    """The time since the last renewal of its lease."""


@dataclass(frozen=True, kw_only=True)
class ProducerSequences(Message):
    """A producer whose sequences are remembered."""

    producer: str = ""
    cumulative: int = 0
    """All sequences up to this one are settled."""
    highest: int = 0
    """The highest settled sequence."""
    popups: int = 0
    """The number of its live popups."""
    silent_ms: int = 0
    """The time since one of its sequences was settled."""
    by: str = ""
    """The user that owns its id."""


@dataclass(frozen=True, kw_only=True)
class PolicyInForce(Message):
    """A policy in force. ``admin.set_policy(group, **policy.policy)`` sets the same one for another group."""

    source: str = "UNSPECIFIED"
    """``DEFAULT``, ``CONFIGURATION`` or ``CLIENT``."""
    group: str = ""
    """The group or pattern for which it was set."""
    policy: PolicyFields = field(default_factory=PolicyFields, hash=False)
    """All rules that result from its preset and fields, with the names of ``set_policy``; an absent ``max_waiting`` or
    ``page_tree`` means none, and absent ``caps`` or ``quiet`` too."""

    @classmethod
    def from_json(cls, message: Mapping[str, Any]) -> Self:
        """Creates a policy from a message of the protocol."""
        policy = dict(message.get("policy", {}))
        return cls(
            source=message.get("source", "UNSPECIFIED"),
            group=policy.get("group", ""),
            policy=cast(PolicyFields, from_json(policy, PolicyFields)),
            fields=message,
        )


@dataclass(frozen=True, kw_only=True)
class TurnTimes(Message):
    """The durations of turns of the broker's loop in µs. Quantiles are exact within an eighth."""

    count: int = 0
    median_us: int = 0
    p99_us: int = 0
    longest_us: int = 0
    long: int = 0
    """The number of turns that took longer than 20 ms."""
    buckets: tuple[HistogramBucket, ...] = ()
    """The turns by duration, as in :class:`Histogram`."""
    sum_us: int = 0


@dataclass(frozen=True, kw_only=True)
class DeniedCount(Message):
    """The number of denials of a user for one missing right."""

    user: str = ""
    right: str = ""
    count: int = 0


@dataclass(frozen=True, kw_only=True)
class CommandCount(Message):
    """The number of committed commands of one kind."""

    kind: str = ""
    count: int = 0


@dataclass(frozen=True, kw_only=True)
class EventCount(Message):
    """The number of events of one kind."""

    kind: str = ""
    count: int = 0


@dataclass(frozen=True, kw_only=True)
class ClosedCount(Message):
    """The number of popups that closed for one reason."""

    reason: str = "UNSPECIFIED"
    count: int = 0


@dataclass(frozen=True, kw_only=True)
class RefusedCount(Message):
    """The number of commands and frames that were refused for one reason."""

    reason: str = "UNSPECIFIED"
    count: int = 0


@dataclass(frozen=True, kw_only=True)
class HistogramBucket(Message):
    """The durations of one size."""

    up_to_us: int | None = None
    """The longest duration of the bucket in µs; ``None``: any."""
    count: int = 0
    """The number of durations in this bucket alone."""


@dataclass(frozen=True, kw_only=True)
class Histogram(Message):
    """Durations by size."""

    buckets: tuple[HistogramBucket, ...] = ()
    count: int = 0
    sum_us: int = 0


@dataclass(frozen=True, kw_only=True)
class LimitUse(Message):
    """The use of a limit."""

    limit: str = ""
    """Its key in the configuration, such as ``limits.groups``."""
    used: int = 0
    most: int = 0


@dataclass(frozen=True, kw_only=True)
class BrokerStatistics(Message):
    """The counters of the broker. Those without another note count since its start."""

    epoch: int = 0
    protocol: int = 0
    version: str = ""
    uptime_ms: int = 0
    groups: int = 0
    """The number of known groups."""
    popups: int = 0
    """The number of live popups."""
    remembered: int = 0
    """The number of remembered ids of closed popups."""
    commands: int = 0
    refused: int = 0
    events: int = 0
    batches: int = 0
    """The number of commits."""
    subscriptions: int = 0
    """The number of current subscriptions."""
    producers: int = 0
    """The number of producers whose sequences are remembered."""
    repetitions: int = 0
    """The number of commands that repeated a settled sequence."""
    sequences_reused: int = 0
    """The number of different commands with a sequence that was settled already."""
    connections_cut: int = 0
    remembered_window_ms: int = 0
    """The time for which closed popups are remembered."""
    turns: TurnTimes = TurnTimes()
    late_reports: int = 0
    """The number of reports dropped because their popup was not active, or not any more."""
    journal_findings: int = 0
    """The number of damaged and missing parts of the journal that the start found."""
    denied: tuple[DeniedCount, ...] = ()
    waiting: int = 0
    """The number of waiting popups, delayed ones included."""
    paused: int = 0
    """The number of paused popups."""
    renderers: int = 0
    """The number of known renderers."""
    commands_by_kind: tuple[CommandCount, ...] = ()
    events_by_kind: tuple[EventCount, ...] = ()
    closed: tuple[ClosedCount, ...] = ()
    refused_by_reason: tuple[RefusedCount, ...] = ()
    commit_times: Histogram = Histogram()
    waiting_times: Histogram = Histogram()
    """The times from the arrival of popups to their first showing."""
    timer_lateness: Histogram = Histogram()
    limits: tuple[LimitUse, ...] = ()
    journal_bytes: int | None = None
    """The size of the journal's files; ``None``: the journal is in memory."""
    snapshots: int = 0
    last_snapshot_at: int | None = None
    """The time when the last snapshot was begun, in milliseconds since 1970-01-01T00:00:00Z; ``None``: there is none."""
    slow_subscribers: int = 0
    """The part of ``connections_cut`` that did not read while memory was exhausted."""
