"""Administration for asyncio."""

from __future__ import annotations

import asyncio
import builtins
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import Any, TypeVar, Unpack

from ._client import without_none
from ._errors import Refused
from ._fields import PolicyFields, SelectorFields, to_json
from ._follower import Follower
from ._following import SYNC_TIMEOUT
from ._producer import Producer
from ._replies import (
    BrokerStatistics,
    ClosedPopup,
    Explanation,
    GroupCounts,
    Message,
    PolicyInForce,
    PopupSummary,
    PopupSuspension,
    ProducerSequences,
    RendererSummary,
    Results,
)
from ._stream import Stream
from ._values import Event

MAX_QUEUED_EVENTS = 100_000
"""Events that wait for a slow reader at most."""

Reply = TypeVar("Reply", bound=Message)


class Admin(Producer, Follower):
    """Sends queries, changes rules, and does what producers do."""

    async def advance(self, group: str) -> None:
        """Closes the popup that a group shows, and goes on to the next.

        :raises Refused: when the broker refuses it.
        """
        await self._perform({"advance": {"group": group}})

    async def suspend(self, group: str, token: str, min_priority: int | None = None) -> None:
        """Holds back the popups of a group or pattern until the token is released.

        :raises Refused: when the broker refuses it.
        """
        await self._perform({"suspend": without_none(group=group, token=token, minPriority=min_priority)})

    async def resume(self, token: str) -> None:
        """Releases a token; an unknown one has no effect.

        :raises Refused: when the broker refuses it.
        """
        await self._perform({"resume": {"token": token}})

    async def set_policy(self, group: str, **policy: Unpack[PolicyFields]) -> None:
        """Replaces the policy of a group or pattern.

        :raises Refused: when the broker refuses it.
        """
        await self._perform({"setPolicy": {"group": group, **to_json(policy, PolicyFields)}})

    async def unset_policy(self, group: str) -> None:
        """Removes the policy of a group or pattern. That of the configuration, if there is one, is in force again.

        :raises Refused: when the broker refuses it.
        """
        await self._perform({"unsetPolicy": {"group": group}})

    async def policies(self, group: str | None = None) -> builtins.list[PolicyInForce]:
        """Returns the policies in force.

        :param group: a group or pattern: only the one in force for it.
        """
        if group is not None:
            return await self._page(PolicyInForce, "policies", "policies", group=group)
        return await self._pages(PolicyInForce, "policies", lambda last: last.group)

    async def suspensions(self, group: str | None = None) -> builtins.list[PopupSuspension]:
        """Returns the suspensions in force.

        :param group: a group or pattern: only those that hold popups back in it.
        """
        return await self._pages(PopupSuspension, "suspensions", lambda last: last.token, **without_none(group=group))

    async def renderers(self, group: str | None = None) -> builtins.list[RendererSummary]:
        """Returns the renderers with a lease.

        :param group: a group or pattern: only those with a lease for it.
        """
        return await self._pages(RendererSummary, "renderers", lambda last: last.client, **without_none(group=group))

    async def groups(self, group: str = "*") -> builtins.list[GroupCounts]:
        """Returns the groups of a name or pattern, with the numbers of their popups."""
        return await self._pages(GroupCounts, "groups", lambda last: last.group, group=group)

    async def producers(self) -> builtins.list[ProducerSequences]:
        """Returns the producers whose sequences are remembered, in byte order of their ids."""
        return await self._pages(ProducerSequences, "producers", lambda last: last.producer)

    async def latest_producers(self, limit: int = 0) -> Results[ProducerSequences]:
        """Returns the producers that sent last, the last one first.

        :param limit: at most so many; 0: as many as a reply holds.
        :returns: The producers; ``truncated`` says whether there are more.
        """
        return await self._page(ProducerSequences, "producers", "producers", limit=limit)

    async def history(self, group: str = "*", limit: int = 0) -> Results[ClosedPopup]:
        """Returns the popups that closed last, the last one first.

        :param limit: at most so many; 0: as many as a reply holds.
        :returns: The popups; ``truncated`` says whether there may be more.
        """
        return await self._page(ClosedPopup, "history", "popups", group=group, limit=limit)

    async def list(self, **selector: Unpack[SelectorFields]) -> Results[PopupSummary]:
        """Returns the live popups that are selected: as many as a reply holds (``limits.queryResults`` of the broker).

        :returns: The popups; ``truncated`` says whether there are more. :meth:`count` counts all of them.
        """
        return await self._page(PopupSummary, "list", "popups", selector=to_json(selector, SelectorFields))

    async def count(self, **selector: Unpack[SelectorFields]) -> int:
        """Returns how many live popups are selected."""
        result = await self._ask({"count": {"selector": to_json(selector, SelectorFields)}}, "count")
        return int(result.get("popups", 0))

    async def peek(self, group: str) -> Results[PopupSummary]:
        """Returns the active popup of a group, then its queue in order, then its delayed popups: as many as a reply holds.

        :returns: The popups; ``truncated`` says whether there are more.
        """
        return await self._page(PopupSummary, "peek", "popups", group=group)

    async def explain(self, id: str) -> Explanation:
        """Returns what keeps a popup where it is, or why it closed."""
        return Explanation.from_json(await self._ask({"explain": {"id": id}}, "explain"))

    async def path(self, tree: str, node: str | None = None) -> builtins.list[str]:
        """Returns the values on the path to a page, or to the current one."""
        return list((await self._ask({"path": without_none(tree=tree, node=node)}, "path")).get("values", []))

    async def stats(self) -> BrokerStatistics:
        """Returns the counters of the broker."""
        return BrokerStatistics.from_json(await self._ask({"stats": {}}, "stats"))

    def events(self, *groups: str) -> Stream[Event]:
        """Follows what happens in groups and those below them, from the time when the subscription is in force.

        Every event is sent once. One that is lost with a connection is not repeated. To miss no event of a command of
        your own, call this, await :meth:`settled`, and then send the command.

        :param groups: names, or ``*`` for all.
        :raises BufferError: when the loop is so much slower than the events that too many wait.
        :raises Refused: by the loop, with ``PERMISSION_DENIED`` when the user lacks the right ``events`` for a group.
        """
        prefixes = {"events+json/" if group == "*" else f"events+json/{group.removesuffix('/*')}/" for group in groups}
        queued: deque[Event] = deque()
        has_news = asyncio.Event()

        def receive(topic: str, body: bytes) -> None:
            event = Event.from_json(json.loads(body))
            if event is not None and len(queued) <= MAX_QUEUED_EVENTS:
                queued.append(event)
            has_news.set()

        def release() -> None:
            for prefix in prefixes:
                self.connection.unsubscribe(prefix, receive)

        async def events() -> AsyncGenerator[Event, None]:
            try:
                async with asyncio.timeout(SYNC_TIMEOUT):
                    await self.connection.wait(has_news)
            except TimeoutError:
                # The broker sends nothing to who lacks the right, also no refusal.
                await self._check_right("events", groups)
            while True:
                await self.connection.wait(has_news)
                has_news.clear()
                while queued:
                    if len(queued) > MAX_QUEUED_EVENTS:
                        raise BufferError(f"more than {MAX_QUEUED_EVENTS} events wait; the loop is too slow for them")
                    yield queued.popleft()

        for prefix in prefixes:
            self.connection.subscribe(prefix, receive)
        return Stream(events(), release)

    async def settled(self) -> None:
        """Waits until the streams that were opened before are in force.

        :raises NoReply: when the broker does not say so in time.
        """
        await self.connection.settled(self.timeout)

    async def _page(self, kind: type[Reply], query: str, entries: str, **fields: Any) -> Results[Reply]:
        """Asks, and returns the entries of the reply."""
        result = await self._ask({query: fields}, query)
        return Results(map(kind.from_json, result.get(entries, [])), truncated=bool(result.get("truncated", False)))

    async def _pages(
        self, kind: type[Reply], query: str, name: Callable[[Reply], str], **fields: str
    ) -> builtins.list[Reply]:
        """Asks page by page, and returns all entries.

        :raises Refused: with ``UNSUPPORTED`` when a page does not end after the page before: such pages have no end.
        """
        found: builtins.list[Reply] = []
        after = ""
        while True:
            page = await self._page(kind, query, query, **fields, after=after)
            found += page
            if not page.truncated or not page:
                return found
            # Python compares code points, which is the byte order of UTF-8.
            if name(page[-1]) <= after:
                raise Refused(
                    "UNSUPPORTED",
                    "the broker has sent a page that does not end after the page before, so its pages have no end; "
                    "check which program answers at the egress endpoint",
                )
            after = name(page[-1])
