"""The clients of :mod:`popupbroker.aio` without ``await``: a thread runs an event loop for each connection."""

from __future__ import annotations

import asyncio
import builtins
import concurrent.futures
import contextlib
import threading
from collections.abc import Coroutine, Iterator, Sequence
from types import TracebackType
from typing import Any, Generic, Self, TypeVar, Unpack

from . import aio
from ._errors import Closed
from ._fields import PolicyFields, PopupFields, SelectorFields, UpdateFields
from ._replies import (
    BrokerStatistics,
    ClosedPopup,
    Explanation,
    GroupCounts,
    PolicyInForce,
    PopupSummary,
    PopupSuspension,
    ProducerSequences,
    RendererSummary,
    Results,
)
from ._values import Event, GroupState

Result = TypeVar("Result")
Item = TypeVar("Item")
Client = TypeVar("Client", bound=aio.Producer | aio.Renderer | aio.Admin)


class Connection:
    """A connection to a broker, or to all nodes of a fleet, which is made again by itself.

    Producers, renderers and administration clients can share one: pass it to each of them. All threads can use it.
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
        self._connection = aio.Connection(ingress, egress, key=key, server_key=server_key)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="popupbroker", daemon=True)
        self._thread.start()
        self._lock = threading.Lock()
        self._is_closed = False
        self._run(self._connection.__aenter__())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def is_connected(self) -> bool:
        """Whether the broker takes commands now."""
        return self._connection.is_connected

    def connected(self, timeout: float | None = None) -> None:
        """Waits until the broker takes commands.

        :raises TimeoutError: when it does not within ``timeout`` seconds.
        """
        self._run(self._connection.connected(timeout))

    def flush(self, timeout: float | None = None) -> None:
        """Waits until all commands are settled; their own futures tell what was refused.

        :raises AcknowledgementTimedOut: when that takes longer than ``timeout`` seconds.
        """
        self._run(self._connection.flush(timeout))

    def close(self, linger: float = 5.0) -> None:
        """Waits at most ``linger`` seconds for the commands in flight, then closes the sockets.

        The futures of commands that are not settled by then fail with :class:`Closed`.
        """
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            closing = asyncio.run_coroutine_threadsafe(self._end(linger), self._loop)
        closing.result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self, linger: float) -> None:
        """Closes the connection, and ends the calls of other threads that wait for it."""
        await self._connection.close(linger)
        calls = asyncio.all_tasks() - {asyncio.current_task()}
        if calls:
            _, late = await asyncio.wait(calls, timeout=1)
            for call in late:
                call.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _run(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        future = self._submit(coroutine)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            if self._is_closed:
                raise Closed("the connection was closed in the meantime; open another") from None
            raise
        except BaseException:
            # Interrupted by the keyboard: the loop need not go on with it.
            future.cancel()
            raise

    def _submit(self, coroutine: Coroutine[Any, Any, Result]) -> concurrent.futures.Future[Result]:
        with self._lock:
            if self._is_closed:
                coroutine.close()
                raise Closed("the connection is closed; open another")
            return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def _iterate(self, items: aio.Stream[Item]) -> Iterator[Item]:
        try:
            while True:
                # A coroutine of its own: that of a generator is not one that a task takes.
                yield self._run(_next(items))
        finally:
            with contextlib.suppress(Closed):
                self._run(items.aclose())


async def _next(items: aio.Stream[Item]) -> Item:
    return await anext(items)


class _Facade(Generic[Client]):
    """The common part of producers, renderers and administration clients."""

    _kind: type[Client]

    def __init__(
        self,
        connection: Connection | None = None,
        *,
        ingress: str | Sequence[str] | None = None,
        egress: str | Sequence[str] | None = None,
        timeout: float | None = 10.0,
        **options: Any,
    ) -> None:
        """:param connection: a connection to share; otherwise it opens one of its own.
        :param timeout: how many seconds a call waits for the broker; ``None``: for ever.
        """
        self._owns_connection = connection is None
        self.connection = connection or Connection(ingress, egress)
        self._client = self._kind(self.connection._connection, timeout=timeout, **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self, linger: float = 5.0) -> None:
        """Closes the connection, unless it is shared. See :meth:`Connection.close`."""
        if not self.connection._is_closed:
            self.connection._run(self._client.close(linger))
        if self._owns_connection:
            self.connection.close(linger)

    def flush(self, timeout: float | None = None) -> None:
        """Waits until all commands of the connection are settled. See :meth:`Connection.flush`."""
        self.connection.flush(timeout)

    def set_session(self, group: str, session: str) -> None:
        """Changes the session of a group.

        :raises Refused: when the broker refuses it.
        """
        self.connection._run(self._client.set_session(group, session))

    def open_page(self, tree: str, node: str, value: str, parent: str | None = None) -> None:
        """Adds a page to a tree, below ``parent``, or as its root.

        :raises Refused: when the broker refuses it.
        """
        self.connection._run(self._client.open_page(tree, node, value, parent))

    def enter_page(self, tree: str, node: str) -> None:
        """Makes a page current.

        :raises Refused: when the broker refuses it.
        """
        self.connection._run(self._client.enter_page(tree, node))

    def close_page(self, tree: str, node: str) -> None:
        """Removes a page and what is below it.

        :raises Refused: when the broker refuses it.
        """
        self.connection._run(self._client.close_page(tree, node))


class _Producing(_Facade[Client]):
    _client: aio.Producer  # type: ignore[assignment]

    def show(self, group: str, text: str | None = None, *, id: str | None = None, **fields: Unpack[PopupFields]) -> str:
        """Requests a popup and waits until the broker has accepted it.

        :param id: identifies the popup permanently: a second ``show`` with it has no effect. If absent, one is made.
        :returns: The id of the popup.
        :raises Refused: when the broker refuses it.
        :raises AcknowledgementTimedOut: when no acknowledgement arrives in time.
        """
        return self.connection._run(self._client.show(group, text, id=id, **fields))

    def submit(
        self, group: str, text: str | None = None, *, id: str | None = None, **fields: Unpack[PopupFields]
    ) -> concurrent.futures.Future[None]:
        """Requests a popup and returns at once: for many popups.

        :returns: A future that ends when the popup is accepted, or fails with :class:`Refused` or :class:`QueueFull`.
        """

        async def submit() -> None:
            await self._client.submit(group, text, id=id, **fields)

        return self.connection._submit(submit())

    def update(self, id: str, **fields: Unpack[UpdateFields]) -> None:
        """Changes a live popup in place.

        :raises Refused: when the broker refuses it, with ``NOT_FOUND`` when no live popup has the id.
        """
        self.connection._run(self._client.update(id, **fields))

    def cancel(self, id: str, action: str = "cancelled", *, group: str | None = None) -> None:
        """Closes a popup, as an administrator would.

        :raises Refused: when the broker refuses it.
        """
        self.connection._run(self._client.cancel(id, action, group=group))

    def clear(self, **selector: Unpack[SelectorFields]) -> None:
        """Closes all selected popups.

        :raises Refused: when the broker refuses it, with ``INVALID`` when the selector is empty.
        """
        self.connection._run(self._client.clear(**selector))


class _Following(_Facade[Client]):
    def states(self, *groups: str) -> Iterator[GroupState]:
        """Follows groups: the newest state of each, and never an older one after it.

        The first states are the present ones; of a group that is followed by its name there is always one. If the loop
        is slow it misses intermediate states. Lost messages are noticed and asked for again.

        :param groups: names, patterns such as ``desk/*``, or ``*``.
        :raises Refused: by the loop, with ``PERMISSION_DENIED`` when the user lacks the right ``watch`` for a group. It
            is noticed after some seconds, because the broker does not answer.
        """

        async def states() -> aio.Stream[GroupState]:
            return self._client.states(*groups)  # type: ignore[union-attr]

        return self.connection._iterate(self.connection._run(states()))


class Producer(_Producing[aio.Producer]):
    """Requests popups. Each command is sent until the broker has acknowledged it, and takes effect once."""

    _kind = aio.Producer


class Renderer(_Following[aio.Renderer]):
    """Shows the popups of groups and reports back."""

    _kind = aio.Renderer
    _client: aio.Renderer

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
        super().__init__(connection, ingress=ingress, egress=egress, timeout=timeout, name=name, reports=reports)

    def dismiss(self, state: GroupState, action: str = "") -> None:
        """Tells that the user is done with the popup that a state shows.

        :raises Refused: with ``STALE`` when the popup has changed since, or another one is shown.
        """
        self.connection._run(self._client.dismiss(state, action))

    def accept(self, state: GroupState) -> None:
        """Agrees to show the popup that a state offers.

        :raises Refused: with ``STALE`` when it is not offered any more.
        """
        self.connection._run(self._client.accept(state))

    def veto(self, state: GroupState) -> None:
        """Closes the popup that a state offers.

        :raises Refused: with ``STALE`` when it is not offered any more.
        """
        self.connection._run(self._client.veto(state))

    def postpone(self, state: GroupState, retry_ms: int | None = None) -> None:
        """Asks to offer the popup again later.

        :param retry_ms: after which time; if absent, the group's policy decides.
        :raises Refused: with ``STALE`` when it is not offered any more.
        """
        self.connection._run(self._client.postpone(state, retry_ms))

    def report(self, state: GroupState, what: str) -> None:
        """Reports that the popup of a state is ``displayed``, ``visible`` or ``hidden``. Returns at once.

        It is sent again when the connection was lost. Report again when the loop receives the popup after an update, a
        pause or a restart of the broker: its ``since_revision`` or the state's ``epoch`` is another one.
        """

        async def report() -> None:
            self._client.report(state, what)

        self.connection._run(report())

    def set_visible(self, is_visible: bool) -> None:
        """Tells whether the user can see what this renderer shows; it can unless said otherwise."""

        async def set_visible() -> None:
            self._client.set_visible(is_visible)

        self.connection._run(set_visible())


class Admin(_Producing[aio.Admin], _Following[aio.Admin]):
    """Sends queries, changes rules, and does what producers do."""

    _kind = aio.Admin
    _client: aio.Admin

    def advance(self, group: str) -> None:
        """Closes the popup that a group shows, and goes on to the next.

        :raises Refused: when the broker refuses it.
        """
        self.connection._run(self._client.advance(group))

    def suspend(self, group: str, token: str, min_priority: int | None = None) -> None:
        """Holds back the popups of a group or pattern until the token is released.

        :raises Refused: when the broker refuses it.
        """
        self.connection._run(self._client.suspend(group, token, min_priority))

    def resume(self, token: str) -> None:
        """Releases a token; an unknown one has no effect.

        :raises Refused: when the broker refuses it.
        """
        self.connection._run(self._client.resume(token))

    def set_policy(self, group: str, **policy: Unpack[PolicyFields]) -> None:
        """Replaces the policy of a group or pattern.

        :raises Refused: when the broker refuses it.
        """
        self.connection._run(self._client.set_policy(group, **policy))

    def unset_policy(self, group: str) -> None:
        """Removes the policy of a group or pattern. That of the configuration, if there is one, is in force again.

        :raises Refused: when the broker refuses it.
        """
        self.connection._run(self._client.unset_policy(group))

    def policies(self, group: str | None = None) -> builtins.list[PolicyInForce]:
        """Returns the policies in force.

        :param group: a group or pattern: only the one in force for it.
        """
        return self.connection._run(self._client.policies(group))

    def suspensions(self, group: str | None = None) -> builtins.list[PopupSuspension]:
        """Returns the suspensions in force.

        :param group: a group or pattern: only those that hold popups back in it.
        """
        return self.connection._run(self._client.suspensions(group))

    def renderers(self, group: str | None = None) -> builtins.list[RendererSummary]:
        """Returns the renderers with a lease.

        :param group: a group or pattern: only those with a lease for it.
        """
        return self.connection._run(self._client.renderers(group))

    def groups(self, group: str = "*") -> builtins.list[GroupCounts]:
        """Returns the groups of a name or pattern, with the numbers of their popups."""
        return self.connection._run(self._client.groups(group))

    def producers(self) -> builtins.list[ProducerSequences]:
        """Returns the producers whose sequences are remembered, in byte order of their ids."""
        return self.connection._run(self._client.producers())

    def latest_producers(self, limit: int = 0) -> Results[ProducerSequences]:
        """Returns the producers that sent last, the last one first.

        :param limit: at most so many; 0: as many as a reply holds.
        :returns: The producers; ``truncated`` says whether there are more.
        """
        return self.connection._run(self._client.latest_producers(limit))

    def history(self, group: str = "*", limit: int = 0) -> Results[ClosedPopup]:
        """Returns the popups that closed last, the last one first.

        :param limit: at most so many; 0: as many as a reply holds.
        :returns: The popups; ``truncated`` says whether there may be more.
        """
        return self.connection._run(self._client.history(group, limit))

    def list(self, **selector: Unpack[SelectorFields]) -> Results[PopupSummary]:
        """Returns the live popups that are selected: as many as a reply holds (``limits.queryResults`` of the broker).

        :returns: The popups; ``truncated`` says whether there are more. :meth:`count` counts all of them.
        """
        return self.connection._run(self._client.list(**selector))

    def count(self, **selector: Unpack[SelectorFields]) -> int:
        """Returns how many live popups are selected."""
        return self.connection._run(self._client.count(**selector))

    def peek(self, group: str) -> Results[PopupSummary]:
        """Returns the active popup of a group, then its queue in order, then its delayed popups: as many as a reply holds.

        :returns: The popups; ``truncated`` says whether there are more.
        """
        return self.connection._run(self._client.peek(group))

    def explain(self, id: str) -> Explanation:
        """Returns what keeps a popup where it is, or why it closed."""
        return self.connection._run(self._client.explain(id))

    def path(self, tree: str, node: str | None = None) -> builtins.list[str]:
        """Returns the values on the path to a page, or to the current one."""
        return self.connection._run(self._client.path(tree, node))

    def stats(self) -> BrokerStatistics:
        """Returns the counters of the broker."""
        return self.connection._run(self._client.stats())

    def events(self, *groups: str) -> Iterator[Event]:
        """Follows what happens in groups and those below them, from the time when the subscription is in force.

        Every event is sent once. One that is lost with a connection is not repeated. To miss no event of a command of
        your own, call this, then :meth:`settled`, and then send the command.

        :param groups: names, or ``*`` for all.
        :raises BufferError: when the loop is so much slower than the events that too many wait.
        :raises Refused: by the loop, with ``PERMISSION_DENIED`` when the user lacks the right ``events`` for a group.
        """

        async def events() -> aio.Stream[Event]:
            return self._client.events(*groups)

        return self.connection._iterate(self.connection._run(events()))

    def settled(self) -> None:
        """Waits until the streams that were opened before are in force.

        :raises NoReply: when the broker does not say so in time.
        """
        self.connection._run(self._client.settled())
