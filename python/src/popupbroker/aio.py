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

from __future__ import annotations

import asyncio
import builtins
import json
import os
import uuid
from collections import Counter, deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

import zmq
import zmq.asyncio
import zmq.auth

from ._delivery import Delivery
from ._errors import AcknowledgementTimedOut, Closed, NoReply, Refused
from ._fields import PolicyFields, PopupFields, SelectorFields, UpdateFields, to_json
from ._following import SYNC_TIMEOUT, Following, covers
from ._nodes import NewestEpoch, endpoint_list, epoch_of
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
from ._values import Event, GroupState, Popup, activation

__all__ = ["Admin", "Connection", "Producer", "Renderer"]

LEASE_INTERVAL = 1.0
FIRST_REPEATED_QUERY, LONGEST_REPEATED_QUERY = 0.25, 5.0
MAX_QUEUED_EVENTS = 100_000
MAX_UNSENT = 1000
"""Frames without an acknowledgement that wait for the broker at most: leases and queries, which come again."""
FULL_PAUSE = 0.005
"""Seconds before the next attempt after a full queue: its socket does not signal when it has room again."""

Item = TypeVar("Item")
Reply = TypeVar("Reply", bound=Message)
Handler = Callable[[str, bytes], None]
"""Takes a message: its topic and its body."""


class _Gate:
    """The socket for commands to one node.

    Each node has one of its own: a socket for several would not send to the others while one of them does not read.
    """

    def __init__(self, context: zmq.asyncio.Context, endpoint: str, keys: tuple[bytes, bytes, bytes] | None) -> None:
        # An XPUB is a PUB that reads the node's subscription: nothing is sent before it is there.
        self.socket = context.socket(zmq.XPUB)
        self.socket.setsockopt(zmq.IMMEDIATE, 1)
        self.socket.setsockopt(zmq.XPUB_NODROP, 1)
        _set_keys(self.socket, keys)
        self.socket.connect(endpoint)
        self.is_open = False
        """Whether the node's subscription to everything has arrived, and was not taken back."""

    async def try_to_send(self, frame: bytes) -> bool:
        """Sends a frame, and returns whether the node's queue had room for it."""
        try:
            await self.socket.send(frame, zmq.NOBLOCK)
        except zmq.Again:
            return False
        return True


class Connection:
    """A connection to a broker, or to all nodes of a fleet, which is made again by itself.

    Producers, renderers and administration clients can share one: pass it to each of them.
    """

    def __init__(
        self,
        ingress: str | Sequence[str] | None = None,
        egress: str | Sequence[str] | None = None,
        *,
        key: str | None = None,
        server_key: str | None = None,
    ) -> None:
        """:param ingress: where commands go; else the environment's ``POPUP_BROKER_INGRESS``, or the standard port.
            With a fleet, the endpoints of all nodes: a list, or a text that separates them by commas.
        :param egress: where states, events and replies come from; else ``POPUP_BROKER_EGRESS``, or the standard port.
        :param key: the file of this client's key, made with ``popup-broker keys new``; else ``POPUP_BROKER_KEY``.
        :param server_key: the file of the broker's public key; else ``POPUP_BROKER_SERVER_KEY``.
        :raises ValueError: when only one of the two keys is there, a file holds no key, or a list has no endpoint.
        """
        self._ingress = endpoint_list(ingress or os.environ.get("POPUP_BROKER_INGRESS", "tcp://127.0.0.1:5570"))
        self._egress = endpoint_list(egress or os.environ.get("POPUP_BROKER_EGRESS", "tcp://127.0.0.1:5571"))
        self._keys = _read_keys(
            key or os.environ.get("POPUP_BROKER_KEY"), server_key or os.environ.get("POPUP_BROKER_SERVER_KEY")
        )
        self.client = f"python-{uuid.uuid4().hex}"
        """The name under which it sends queries."""
        self._delivery: Delivery[asyncio.Future[None]] = Delivery()
        self._unsent: deque[bytes] = deque(maxlen=MAX_UNSENT)
        self._gates: list[_Gate] = []
        # With one broker, nothing is dropped.
        self._newest_epoch = NewestEpoch() if len(self._egress) > 1 else None
        self._handlers: dict[str, list[Handler]] = {}
        self._acks = ""
        self._is_connected = asyncio.Event()
        self._connections = 0
        self._is_settled = asyncio.Event()
        self._has_work = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._waiting: set[asyncio.Event] = set()
        self._context: zmq.asyncio.Context | None = None
        self._is_closed = False

    @property
    def ingress(self) -> str:
        """The endpoints to which commands go, separated by commas."""
        return ",".join(self._ingress)

    @property
    def egress(self) -> str:
        """The endpoints from which states, events and replies come, separated by commas."""
        return ",".join(self._egress)

    async def __aenter__(self) -> Self:
        self._start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def is_closed(self) -> bool:
        """Whether it was closed for good."""
        return self._is_closed

    @property
    def is_connected(self) -> bool:
        """Whether the broker takes commands now."""
        return self._is_connected.is_set() and not self._is_closed

    @property
    def connections(self) -> int:
        """The number of times that a broker was reached, or another node took over. When it grows, messages may have been
        lost."""
        return self._connections

    @property
    def whereabouts(self) -> str:
        """Whether the broker is reached, for the message of an error."""
        return "the broker is connected" if self.is_connected else f"no broker is reached at {self.ingress}"

    def overload(self, future: asyncio.Future[None]) -> Refused | None:
        """Returns why the broker has no room for a command that was submitted, if it said so."""
        return self._delivery.overload(future)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Runs work that ends with the connection."""
        self._start()
        task = asyncio.create_task(work)
        task.add_done_callback(self._fail)
        self._tasks.append(task)
        return task

    def _fail(self, task: asyncio.Task[None]) -> None:
        """Ends the connection when work for it failed: nothing would be sent or received from then on."""
        if not task.cancelled() and (error := task.exception()) is not None and not self._is_closed:
            asyncio.get_running_loop().call_exception_handler({"message": "the connection failed", "exception": error})
            self._closing = asyncio.create_task(self.close(linger=0))

    async def connected(self, timeout: float | None = None) -> None:
        """Waits until the broker takes commands.

        :raises TimeoutError: when it does not within ``timeout`` seconds.
        """
        self._start()
        try:
            async with asyncio.timeout(timeout):
                await self.wait(self._is_connected)
        except TimeoutError:
            raise TimeoutError(
                f"no broker at {self.ingress} within {timeout} s; start one, or check the address"
            ) from None

    def submit(self, command: dict[str, Any]) -> asyncio.Future[None]:
        """Sends a command, again until the broker has settled it, and returns at once.

        :returns: A future that ends when the command is accepted, or fails with :class:`Refused`.
        :raises QueueFull: when too many commands wait.
        """
        self._start()
        future = asyncio.get_running_loop().create_future()
        self._delivery.submit(command, future)
        self._is_settled.clear()
        self._has_work.set()
        return future

    async def flush(self, timeout: float | None = None) -> None:
        """Waits until all commands are settled; their own futures tell what was refused.

        :raises AcknowledgementTimedOut: when that takes longer than ``timeout`` seconds.
        """
        if not len(self._delivery):
            return
        try:
            async with asyncio.timeout(timeout):
                await self.wait(self._is_settled)
        except TimeoutError:
            raise AcknowledgementTimedOut(
                f"{len(self._delivery)} commands are not acknowledged within {timeout} s"
            ) from None

    async def close(self, linger: float = 5.0) -> None:
        """Waits at most ``linger`` seconds for the commands in flight, then closes the sockets.

        The futures of commands that are not settled by then fail with :class:`Closed`.
        """
        if self._is_closed:
            return
        if linger > 0 and self._context is not None:
            try:
                await self.flush(linger)
            except AcknowledgementTimedOut:
                pass
        self._is_closed = True
        for event in self._waiting:
            event.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for future in self._delivery.take_all():
            if not future.done():
                future.set_exception(
                    Closed("the connection was closed before the acknowledgement; send it again with the same id")
                )
                future.exception()  # Read here, so that Python does not warn of it.
        if self._context is not None:
            for gate in self._gates:
                gate.socket.close(linger=0)
            self._broadcast.close(linger=0)
            self._context.term()

    async def wait(self, event: asyncio.Event) -> None:
        """Waits for an event, or for the end of the connection.

        :raises Closed: when the connection is closed.
        """
        if not self._is_closed:
            self._waiting.add(event)
            try:
                await event.wait()
            finally:
                self._waiting.discard(event)
        if self._is_closed:
            raise Closed("the connection is closed; open another")

    def send_unacknowledged(self, command: Mapping[str, Any]) -> None:
        """Sends a command once; it may be lost with the connection."""
        self._start()
        self._unsent.append(json.dumps(command, separators=(",", ":")).encode())
        self._has_work.set()

    def subscribe(self, topic: str, handler: Handler) -> None:
        """Subscribes to the topics that begin so; the handler takes their messages."""
        self._start()
        handlers = self._handlers.setdefault(topic, [])
        handlers.append(handler)
        if len(handlers) == 1:
            self._broadcast.subscribe(topic)

    def unsubscribe(self, topic: str, handler: Handler) -> None:
        """Takes a subscription back."""
        if self._is_closed:
            return
        handlers = self._handlers[topic]
        handlers.remove(handler)
        if not handlers:
            del self._handlers[topic]
            self._broadcast.unsubscribe(topic)

    async def settled(self, timeout: float | None = None) -> None:
        """Waits until all subscriptions so far are in force.

        :raises NoReply: when the broker does not say so within ``timeout`` seconds.
        """
        is_answered = asyncio.Event()

        def receive(topic: str, body: bytes) -> None:
            if "end" in json.loads(body):
                is_answered.set()

        try:
            async with asyncio.timeout(timeout):
                while not is_answered.is_set():
                    # No group has this name: the answer consists of its end.
                    topic = f"sync+json/{self.client}/{uuid.uuid4().hex}/{self.client}/"
                    self.subscribe(topic, receive)
                    try:
                        async with asyncio.timeout(SYNC_TIMEOUT):
                            await self.wait(is_answered)
                    except TimeoutError:
                        continue
                    finally:
                        self.unsubscribe(topic, receive)
        except TimeoutError:
            raise NoReply(f"no broker answered at {self.egress} within {timeout} s; check the address") from None

    def _start(self) -> None:
        if self._is_closed:
            raise Closed("the connection is closed; open another")
        if self._context is not None:
            return
        self._context = zmq.asyncio.Context()
        self._broadcast = self._context.socket(zmq.SUB)
        _set_keys(self._broadcast, self._keys)
        for endpoint in self._egress:
            self._broadcast.connect(endpoint)
        self._gates = [_Gate(self._context, endpoint, self._keys) for endpoint in self._ingress]
        self._follow_acks()
        for work in (*map(self._watch, self._gates), self._receive(), self._send()):
            self.spawn(work)

    def _follow_acks(self) -> None:
        topic = f"acks+json/{self._delivery.producer}/"
        if topic != self._acks:
            self._broadcast.subscribe(topic)
            if self._acks:
                self._broadcast.unsubscribe(self._acks)
            self._acks = topic

    async def _watch(self, gate: _Gate) -> None:
        while True:
            message = await gate.socket.recv()
            if message[:1] == b"\1":
                gate.is_open = True
                self._is_connected.set()
                self._send_again()
            elif message == b"\0":
                gate.is_open = False
                if not any(gate.is_open for gate in self._gates):
                    self._is_connected.clear()

    def _send_again(self) -> None:
        """Sends everything that is not settled again: what was sent may be lost with a node."""
        self._connections += 1
        self._delivery.connected()
        self._has_work.set()

    def _is_current(self, topic: str, body: bytes) -> bool:
        """Whether a message is of the newest epoch that was heard."""
        if self._newest_epoch is None:
            return True
        epoch = epoch_of(topic, body)
        if not self._newest_epoch.accepts(epoch):
            return False
        if self._newest_epoch.hear(epoch):
            self._send_again()
        return True

    async def _receive(self) -> None:
        while True:
            message = await self._broadcast.recv_multipart()
            if len(message) != 2:
                continue
            topic, body = message[0].decode(errors="replace"), message[1]
            if not self._is_current(topic, body):
                continue
            if topic == self._acks:
                self._settle(json.loads(body))
            matching = [handlers for prefix, handlers in self._handlers.items() if topic.startswith(prefix)]
            for handler in dict.fromkeys(handler for handlers in matching for handler in handlers):
                handler(topic, body)

    def _settle(self, ack: Mapping[str, Any]) -> None:
        for future, refusal in self._delivery.receive(ack, asyncio.get_running_loop().time()):
            if future.done():
                continue
            if refusal is None:
                future.set_result(None)
            else:
                future.set_exception(refusal)
                future.exception()
        self._follow_acks()
        if not len(self._delivery):
            self._is_settled.set()
        self._has_work.set()

    async def _send(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._has_work.clear()
            await self._is_connected.wait()
            is_full = False
            while not is_full and self._is_connected.is_set():
                if self._unsent:
                    is_full = not await self._try_to_send(self._unsent[0])
                    if not is_full:
                        self._unsent.popleft()
                    continue
                due = self._delivery.next_frame(loop.time())
                if due is None:
                    break
                is_full = not await self._try_to_send(due[1])
                if not is_full:
                    self._delivery.sent(due[0], loop.time())
            if is_full:
                await asyncio.sleep(FULL_PAUSE)
                continue
            next_due = self._delivery.next_due()
            try:
                async with asyncio.timeout(None if next_due is None else max(0.0, next_due - loop.time())):
                    await self._has_work.wait()
            except TimeoutError:
                pass

    async def _try_to_send(self, frame: bytes) -> bool:
        """Sends a frame to each node whose gate is open: one, or two for a moment. Returns whether a node takes it."""
        is_taken = False
        for gate in self._gates:
            if gate.is_open and await gate.try_to_send(frame):
                is_taken = True
        return is_taken


def _set_keys(socket: zmq.asyncio.Socket, keys: tuple[bytes, bytes, bytes] | None) -> None:
    if keys is not None:
        socket.curve_publickey, socket.curve_secretkey, socket.curve_serverkey = keys


def _read_keys(key: str | None, server_key: str | None) -> tuple[bytes, bytes, bytes] | None:
    """Returns the client's public and secret key and the broker's public key; ``None`` without keys."""
    if key is None and server_key is None:
        return None
    if key is None or server_key is None:
        raise ValueError("CURVE needs both keys: this client's (key) and the broker's public one (server_key)")
    if os.name == "posix" and os.stat(key).st_mode & 0o077:
        raise PermissionError(f"others can read or write {key}, a secret key; `chmod 600 {key}` ends that")
    public, secret = zmq.auth.load_certificate(key)
    if secret is None:
        raise ValueError(f"{key} has only a public key; name the file of the secret key")
    return public, secret, _read_public_key(server_key)


def _read_public_key(path: str) -> bytes:
    """Returns the key that ``popup-broker keys public`` printed into a file, or that of a certificate."""
    with open(path, "rb") as file:
        text = file.read(16384).strip()
    return text if len(text) == 40 and b"\n" not in text else zmq.auth.load_certificate(path)[0]


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


class _Client:
    """The common part of producers, renderers and administration clients."""

    def __init__(
        self,
        connection: Connection | None = None,
        *,
        ingress: str | Sequence[str] | None = None,
        egress: str | Sequence[str] | None = None,
        timeout: float | None = 10.0,
    ) -> None:
        """:param connection: a connection to share; otherwise it opens one of its own.
        :param timeout: how many seconds a call waits for the broker; ``None``: for ever.
        """
        self._owns_connection = connection is None
        self.connection = connection or Connection(ingress, egress)
        self.timeout = timeout

    async def __aenter__(self) -> Self:
        self.connection._start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self, linger: float = 5.0) -> None:
        """Closes the connection, unless it is shared. See :meth:`Connection.close`."""
        if self._owns_connection:
            await self.connection.close(linger)

    async def flush(self, timeout: float | None = None) -> None:
        """Waits until all commands of the connection are settled. See :meth:`Connection.flush`."""
        await self.connection.flush(timeout)

    async def _perform(self, command: dict[str, Any]) -> None:
        future = self.connection.submit(command)
        try:
            async with asyncio.timeout(self.timeout):
                await asyncio.shield(future)
        except TimeoutError:
            if future.done():
                return future.result()
            overload = self.connection.overload(future)
            why = f"it was last {overload}" if overload else self.connection.whereabouts
            raise AcknowledgementTimedOut(
                f"no acknowledgement within {self.timeout} s; {why}. The command is sent again until the connection is "
                "closed"
            ) from None

    async def set_session(self, group: str, session: str) -> None:
        """Changes the session of a group.

        :raises Refused: when the broker refuses it.
        """
        await self._perform({"setSession": {"group": group, "session": session}})

    async def open_page(self, tree: str, node: str, value: str, parent: str | None = None) -> None:
        """Adds a page to a tree, below ``parent``, or as its root.

        :raises Refused: when the broker refuses it.
        """
        page = {"node": node, "value": value, **({"parent": parent} if parent else {})}
        await self._perform({"page": {"tree": tree, "open": page}})

    async def enter_page(self, tree: str, node: str) -> None:
        """Makes a page current.

        :raises Refused: when the broker refuses it.
        """
        await self._perform({"page": {"tree": tree, "enter": {"node": node}}})

    async def close_page(self, tree: str, node: str) -> None:
        """Removes a page and what is below it.

        :raises Refused: when the broker refuses it.
        """
        await self._perform({"page": {"tree": tree, "close": {"node": node}}})


class Producer(_Client):
    """Requests popups. Each command is sent until the broker has acknowledged it, and takes effect once."""

    async def show(
        self, group: str, text: str | None = None, *, id: str | None = None, **fields: Unpack[PopupFields]
    ) -> str:
        """Requests a popup and waits until the broker has accepted it.

        :param id: identifies the popup permanently: a second ``show`` with it has no effect. If absent, one is made.
        :returns: The id of the popup.
        :raises Refused: when the broker refuses it.
        :raises AcknowledgementTimedOut: when no acknowledgement arrives in time.
        """
        command, id = _show(group, text, id, fields)
        await self._perform(command)
        return id

    def submit(
        self, group: str, text: str | None = None, *, id: str | None = None, **fields: Unpack[PopupFields]
    ) -> asyncio.Future[None]:
        """Requests a popup and returns at once: for many popups.

        :returns: A future that ends when the popup is accepted, or fails with :class:`Refused`.
        :raises QueueFull: when too many commands wait.
        """
        return self.connection.submit(_show(group, text, id, fields)[0])

    async def update(self, id: str, **fields: Unpack[UpdateFields]) -> None:
        """Changes a live popup in place.

        :raises Refused: when the broker refuses it, with ``NOT_FOUND`` when no live popup has the id.
        """
        await self._perform({"update": {"id": id, **to_json(fields, UpdateFields)}})

    async def cancel(self, id: str, action: str = "cancelled", *, group: str | None = None) -> None:
        """Closes a popup, as an administrator would.

        :raises Refused: when the broker refuses it.
        """
        await self._perform({"dismiss": _without_none(id=id, action=action, group=group)})

    async def clear(self, **selector: Unpack[SelectorFields]) -> None:
        """Closes all selected popups.

        :raises Refused: when the broker refuses it, with ``INVALID`` when the selector is empty.
        """
        await self._perform({"clear": {"selector": to_json(selector, SelectorFields)}})


class _Follower(_Client):
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
                    take(following.expire(loop.time()))
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


class Renderer(_Follower):
    """Shows the popups of groups and reports back."""

    def __init__(
        self,
        connection: Connection | None = None,
        *,
        name: str | None = None,
        ingress: str | Sequence[str] | None = None,
        egress: str | Sequence[str] | None = None,
        timeout: float | None = 10.0,
        reports: bool = True,
    ) -> None:
        """:param name: identifies this renderer; give each screen one that stays the same. If absent, one is made.
        :param reports: whether a popup is reported as displayed when the loop receives its state. If not, call
            :meth:`report` when it is on the screen.
        """
        super().__init__(connection, ingress=ingress, egress=egress, timeout=timeout)
        self.name = name or f"python-{uuid.uuid4().hex}"
        self._reports = reports
        self._is_visible = True
        self._groups: Counter[str] = Counter()
        self._reported: dict[str, GroupState] = {}
        self._hidden: set[str] = set()
        """The groups whose popup was reported as hidden, whatever else is visible."""
        self._lease: asyncio.Task[None] | None = None
        self._lease_changed = asyncio.Event()

    async def dismiss(self, state: GroupState, action: str = "") -> None:
        """Tells that the user is done with the popup that a state shows.

        :raises Refused: with ``STALE`` when the popup has changed since, or another one is shown.
        """
        popup = _popup_of(state.popup, "shows")
        await self._perform(
            {
                "dismiss": _without_none(
                    id=popup.id,
                    action=action or None,
                    revision=popup.since_revision,
                    client=self.name,
                    group=state.group,
                )
            }
        )

    async def accept(self, state: GroupState) -> None:
        """Agrees to show the popup that a state offers.

        :raises Refused: with ``STALE`` when it is not offered any more.
        """
        await self._answer(state, accept={})

    async def veto(self, state: GroupState) -> None:
        """Closes the popup that a state offers.

        :raises Refused: with ``STALE`` when it is not offered any more.
        """
        await self._answer(state, veto={})

    async def postpone(self, state: GroupState, retry_ms: int | None = None) -> None:
        """Asks to offer the popup again later.

        :param retry_ms: after which time; if absent, the group's policy decides.
        :raises Refused: with ``STALE`` when it is not offered any more.
        """
        await self._answer(state, later=_without_none(retryMs=retry_ms))

    def report(self, state: GroupState, what: str) -> None:
        """Reports that the popup of a state is ``displayed``, ``visible`` or ``hidden``. Returns at once.

        It is sent again when the connection was lost. Report again when the loop receives the popup after an update, a
        pause or a restart of the broker: its ``since_revision`` or the state's ``epoch`` is another one.
        """
        if what not in ("displayed", "visible", "hidden"):
            raise ValueError(f"{what!r} cannot be reported; use displayed, visible or hidden")
        _popup_of(state.popup, "shows")
        self._reported[state.group] = state
        if what == "hidden":
            self._hidden.add(state.group)
        else:
            self._hidden.discard(state.group)
        self._report(state, what)

    def set_visible(self, is_visible: bool) -> None:
        """Tells whether the user can see what this renderer shows; it can unless said otherwise."""
        if is_visible == self._is_visible:
            return
        self._is_visible = is_visible
        for state in self._reported.values():
            if state.group not in self._hidden:
                self._report(state, "visible" if is_visible else "hidden")

    async def close(self, linger: float = 5.0) -> None:
        """Ends the lease, and closes the connection unless it is shared."""
        if self._lease is not None:
            self._lease.cancel()
            self._lease = None
            if not self.connection.is_closed:
                self.connection.submit({"lease": {"client": self.name}})
        await super().close(linger)

    async def _answer(self, state: GroupState, **answer: Any) -> None:
        popup = _popup_of(state.offered, "offers")
        await self._perform({"answer": {"id": popup.id, "client": self.name, "group": state.group, **answer}})

    def _report(self, state: GroupState, what: str) -> None:
        if state.popup is not None and not self.connection.is_closed:
            self.connection.submit(
                {"report": {"id": state.popup.id, "client": self.name, "group": state.group, what: {}}}
            )

    def _report_displayed(self, state: GroupState) -> None:
        self._report(state, "displayed")
        if self._is_visible and state.group not in self._hidden:
            self._report(state, "visible")

    def _joined(self, groups: Sequence[str]) -> None:
        self._groups.update(groups)
        self._lease_changed.set()
        if self._lease is None:
            self._lease = self.connection.spawn(self._renew())

    def _left(self, groups: Sequence[str]) -> None:
        self._groups -= Counter(groups)
        self._lease_changed.set()

    def _taken(self, state: GroupState) -> None:
        before = self._reported.get(state.group)
        if before is not None and activation(before) != activation(state):
            self._hidden.discard(state.group)
        if state.popup is None:
            self._reported.pop(state.group, None)
        elif before is None or activation(before) != activation(state):
            # The same popup again after a pause or a restart is displayed again.
            if self._reports:
                self._reported[state.group] = state
                self._report_displayed(state)
            else:
                self._reported.pop(state.group, None)

    async def _renew(self) -> None:
        loop = asyncio.get_running_loop()
        is_held, renewed_at, connections = False, 0.0, 0
        while True:
            self._lease_changed.clear()
            if not self.connection.is_connected:
                await self.connection.connected()
            if self._groups or is_held:
                # The broker forgets what a renderer displays when its lease has run out.
                is_interrupted = is_held and (
                    loop.time() - renewed_at > 2 * LEASE_INTERVAL or connections != self.connection.connections
                )
                self.connection.send_unacknowledged({"lease": {"client": self.name, "groups": sorted(self._groups)}})
                is_held, renewed_at, connections = bool(self._groups), loop.time(), self.connection.connections
                if is_interrupted:
                    for state in self._reported.values():
                        self._report_displayed(state)
            try:
                async with asyncio.timeout(LEASE_INTERVAL):
                    await self._lease_changed.wait()
            except TimeoutError:
                pass


class Admin(Producer, _Follower):
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
        await self._perform({"suspend": _without_none(group=group, token=token, minPriority=min_priority)})

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
        return await self._pages(PopupSuspension, "suspensions", lambda last: last.token, **_without_none(group=group))

    async def renderers(self, group: str | None = None) -> builtins.list[RendererSummary]:
        """Returns the renderers with a lease.

        :param group: a group or pattern: only those with a lease for it.
        """
        return await self._pages(RendererSummary, "renderers", lambda last: last.client, **_without_none(group=group))

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
        return list((await self._ask({"path": _without_none(tree=tree, node=node)}, "path")).get("values", []))

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


def _result(reply: Mapping[str, Any], kind: str) -> dict[str, Any]:
    refused = reply.get("refused")
    if refused is not None:
        raise Refused(refused.get("reason", "UNSPECIFIED"), refused.get("detail", ""))
    return dict(reply.get(kind, {}))


def _show(group: str, text: str | None, id: str | None, fields: PopupFields) -> tuple[dict[str, Any], str]:
    id = id or uuid.uuid4().hex
    return {"show": {**_without_none(id=id, group=group, text=text), **to_json(fields, PopupFields)}}, id


def _without_none(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _popup_of(popup: Popup | None, does: str) -> Popup:
    if popup is None:
        raise ValueError(f"the state {does} no popup")
    return popup
