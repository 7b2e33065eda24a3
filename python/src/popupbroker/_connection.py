"""The connection of asyncio clients to a broker or a fleet: sockets, acknowledgements, subscriptions."""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from collections import deque
from collections.abc import Callable, Coroutine, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import zmq
import zmq.asyncio
import zmq.auth

from ._delivery import Delivery
from ._errors import AcknowledgementTimedOut, Closed, NoReply, Refused
from ._following import SYNC_TIMEOUT
from ._nodes import NewestEpoch, endpoint_list, epoch_of

MAX_UNSENT = 1000
"""Frames without an acknowledgement that wait for the broker at most: leases and queries, which come again."""
MAX_UNSENT_SUBSCRIPTIONS = 100_000
"""Subscriptions and cancellations that wait for the broker at most. libzmq drops those beyond it without an error, also
when it repeats all subscriptions on a new connection (libzmq issue 2258); its default is 1000. Without a limit, what a
stream asks while the broker is away would pile up."""
FULL_PAUSE = 0.005
"""Seconds before the next attempt after a full queue: its socket does not signal when it has room again."""

Handler = Callable[[str, bytes], None]
"""Takes a message: its topic and its body."""


class _IngressConnection:
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
        self.is_ready = False
        """Whether the node's subscription to everything has arrived, and was not cancelled."""

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
        self._nodes: list[_IngressConnection] = []
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
            for node in self._nodes:
                node.socket.close(linger=0)
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
        self._broadcast.setsockopt(zmq.SNDHWM, MAX_UNSENT_SUBSCRIPTIONS)
        _set_keys(self._broadcast, self._keys)
        for endpoint in self._egress:
            self._broadcast.connect(endpoint)
        self._nodes = [_IngressConnection(self._context, endpoint, self._keys) for endpoint in self._ingress]
        self._follow_acks()
        for work in (*map(self._watch, self._nodes), self._receive(), self._send()):
            self.spawn(work)

    def _follow_acks(self) -> None:
        topic = f"acks+json/{self._delivery.producer}/"
        if topic != self._acks:
            self._broadcast.subscribe(topic)
            if self._acks:
                self._broadcast.unsubscribe(self._acks)
            self._acks = topic

    async def _watch(self, node: _IngressConnection) -> None:
        while True:
            message = await node.socket.recv()
            if message[:1] == b"\1":
                node.is_ready = True
                self._is_connected.set()
                self._send_again()
            elif message == b"\0":
                node.is_ready = False
                if not any(node.is_ready for node in self._nodes):
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
        """Sends a frame to each node that receives commands: one, or two for a moment. Returns whether one takes it."""
        is_taken = False
        for node in self._nodes:
            if node.is_ready and await node.try_to_send(frame):
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
