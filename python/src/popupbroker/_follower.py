"""What renderers and administration clients of asyncio have in common: states of groups, and queries."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from ._client import Client
from ._errors import NoReply, Refused
from ._following import SYNC_TIMEOUT, Following, covers
from ._stream import Stream
from ._values import GroupState

FIRST_REPEATED_QUERY, LONGEST_REPEATED_QUERY = 0.25, 5.0
"""Seconds after which a query without a reply is sent again: at first, and at most."""


class Follower(Client):
    """The common part of renderers and administration clients."""

    def states(self, *groups: str) -> Stream[GroupState]:
        """Follows groups: the newest state of each, and never an older one after it.

        The first states are the present ones; of a group that is followed by its name there is always one. If the loop
        is slow it misses intermediate states. Lost messages are noticed and asked for again.

        :param groups: names, patterns such as ``desk/*``, or ``*``.
        :raises Refused: by the loop, with ``PERMISSION_DENIED`` when the user lacks the right ``watch`` for a group. It
            is noticed after some seconds, because the broker does not answer.
        """
        loop = asyncio.get_running_loop()
        following = Following(groups, self.connection.client)
        pending: dict[str, GroupState] = {}
        has_news = asyncio.Event()
        syncs: list[str] = []

        def receive(topic: str, body: bytes) -> None:
            take(following.receive(topic, body, loop.time()))
            follow_syncs()
            has_news.set()

        def take(states: list[GroupState]) -> None:
            for state in states:
                pending[state.group] = state

        def follow_syncs() -> None:
            nonlocal syncs
            before, syncs = syncs, following.sync_topics
            for topic in set(syncs) - set(before):
                self.connection.subscribe(topic, receive)
            for topic in set(before) - set(syncs):
                self.connection.unsubscribe(topic, receive)

        def release() -> None:
            self._left(groups)
            for topic in (*following.topics, *syncs):
                self.connection.unsubscribe(topic, receive)

        async def states() -> AsyncGenerator[GroupState, None]:
            while True:
                while pending:
                    state = pending.pop(next(iter(pending)))
                    self._taken(state)
                    yield state
                has_news.clear()
                deadline = following.deadline
                try:
                    async with asyncio.timeout(None if deadline is None else max(0.0, deadline - loop.time())):
                        await self.connection.wait(has_news)
                except TimeoutError:
                    is_unanswered = bool(syncs) and self.connection.is_connected
                    take(following.expire(loop.time(), self.connection.is_connected))
                    follow_syncs()
                    if is_unanswered and not pending:
                        # The broker sends nothing to who lacks the right, also no refusal.
                        await self._check_right("watch", groups)

        # The order matters: when a request is answered, the subscriptions before it are in force.
        for topic in following.topics:
            self.connection.subscribe(topic, receive)
        following.begin(loop.time())
        follow_syncs()
        self._joined(groups)
        return Stream(states(), release)

    async def _ask(self, query: dict[str, Any], kind: str, timeout: float | None = None) -> dict[str, Any]:
        timeout = self.timeout if timeout is None else timeout
        replies: list[dict[str, Any]] = []
        is_answered = asyncio.Event()
        asked: set[str] = set()

        def receive(topic: str, body: bytes) -> None:
            message = json.loads(body)
            if message.get("nonce") in asked:
                replies.append(message.get("reply", {}))
                is_answered.set()

        topic = f"replies+json/{self.connection.client}/"
        self.connection.subscribe(topic, receive)
        try:
            async with asyncio.timeout(timeout):
                interval = FIRST_REPEATED_QUERY
                while True:
                    nonce = uuid.uuid4().hex
                    asked.add(nonce)
                    if self.connection.is_connected:
                        command = {"client": self.connection.client, "nonce": nonce, **query}
                        self.connection.send_unacknowledged({"query": command})
                    try:
                        async with asyncio.timeout(interval):
                            await self.connection.wait(is_answered)
                        return _result(replies[0], kind)
                    except TimeoutError:
                        pass
                    interval = min(interval * 2, LONGEST_REPEATED_QUERY)
        except TimeoutError:
            raise NoReply(f"no reply within {timeout} s; {self.connection.whereabouts}") from None
        finally:
            self.connection.unsubscribe(topic, receive)

    async def _check_right(self, right: str, groups: Sequence[str]) -> None:
        """Checks that the broker lets this client follow groups, as far as it answers.

        :raises Refused: with ``PERMISSION_DENIED`` when the right is missing.
        """
        try:
            identity = await self._ask({"whoami": {}}, "whoami", SYNC_TIMEOUT)
        except (NoReply, Refused):
            return
        granted = [
            pattern
            for grant in identity.get("grants", [])
            if right in grant.get("rights", [])
            for pattern in grant.get("groups", [])
        ]
        for group in groups:
            if not identity.get("unrestricted") and not any(covers(pattern, group) for pattern in granted):
                user = f"the user `{identity['user']}`" if identity.get("user") else "a client without a key"
                raise Refused("PERMISSION_DENIED", f'{user} needs the right {right} for "{group}"; no role gives it')

    def _joined(self, groups: Sequence[str]) -> None:
        pass

    def _left(self, groups: Sequence[str]) -> None:
        pass

    def _taken(self, state: GroupState) -> None:
        pass


def _result(reply: Mapping[str, Any], kind: str) -> dict[str, Any]:
    refused = reply.get("refused")
    if refused is not None:
        raise Refused(refused.get("reason", "UNSPECIFIED"), refused.get("detail", ""))
    return dict(reply.get(kind, {}))
