"""The clients against a real broker, which is killed and started again beside them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import tempfile
import threading
import time
import unittest
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import aclosing
from itertools import islice
from pathlib import Path
from typing import Any

import zmq.auth

from popupbroker import AcknowledgementTimedOut, Admin, Closed, Connection, NoReply, Producer, Refused, Renderer, aio
from tests.broker import BINARY, Broker

LIMIT = 30.0
"""Seconds after which a test has failed."""


class BlockingTests(unittest.TestCase):
    broker: Broker

    @classmethod
    def setUpClass(cls) -> None:
        cls.broker = cls.enterClassContext(Broker())

    def test_a_popup_is_shown_dismissed_and_explained(self) -> None:
        with Connection(**self.broker.endpoints) as connection:
            producer, renderer, admin = Producer(connection), Renderer(connection), Admin(connection)
            events = admin.events("lobby")
            states = renderer.states("lobby")
            self.assertIsNone(next(states).popup)
            admin.settled()
            id = producer.show("lobby", "Hello", priority=5, actions=[{"id": "ok", "label": "OK"}])
            state = next(state for state in states if state.popup)
            assert state.popup is not None
            self.assertEqual((state.popup.id, state.popup.text, state.popup.priority), (id, "Hello", 5))
            self.assertEqual([action.label for action in state.popup.actions], ["OK"])
            self.assertEqual(admin.explain(id).phase, "ACTIVE")
            renderer.dismiss(state, "ok")
            self.assertIsNone(next(states).popup)
            self.assertEqual(admin.explain(id).fields["closed"]["action"], "ok")
            got = [next(events), next(events)]
            self.assertEqual([(event.kind, event.popup) for event in got], [("shown", id), ("closed", id)])
            self.assertEqual(got[1].details["reason"], "DISMISSED")
            self.assertEqual({event.epoch for event in got}, {state.epoch})

    def test_a_refusal_is_raised_with_its_reason(self) -> None:
        with Producer(**self.broker.endpoints) as producer:
            with self.assertRaises(Refused) as caught:
                producer.show("no group/", "Hello")
            self.assertEqual(caught.exception.reason, "INVALID")
            self.assertIn("show.group", caught.exception.detail)
            with self.assertRaises(Refused) as caught:
                producer.update("nobody", text="Hello")
            self.assertEqual(caught.exception.reason, "NOT_FOUND")

    def test_an_answer_to_what_is_not_shown_any_more_is_stale(self) -> None:
        with Connection(**self.broker.endpoints) as connection:
            producer, renderer = Producer(connection), Renderer(connection)
            id = producer.show("stale", "One")
            state = next(state for state in renderer.states("stale") if state.popup)
            producer.update(id, text="Two")
            with self.assertRaises(Refused) as caught:
                renderer.dismiss(state)
            self.assertEqual(caught.exception.reason, "STALE")

    def test_the_same_id_counts_once(self) -> None:
        with Admin(**self.broker.endpoints) as admin:
            for _ in range(3):
                admin.show("once", "Hello", id="once-1")
            self.assertEqual(admin.count(group="once"), 1)

    def test_many_popups_come_in_their_order(self) -> None:
        with Admin(**self.broker.endpoints) as admin:
            futures = [admin.submit("many", id=f"many-{number:04}") for number in range(2000)]
            admin.flush(LIMIT)
            self.assertTrue(all(future.result(LIMIT) is None for future in futures))
            self.assertEqual(admin.count(group="many"), 2000)
            self.assertEqual([popup.id for popup in admin.peek("many")[:3]], [f"many-{n:04}" for n in range(3)])

    def test_queries_selectors_policies_and_suspensions(self) -> None:
        with Admin(**self.broker.endpoints) as admin:
            admin.set_policy("desk/*", preset="FIFO", max_waiting=1)
            admin.suspend("desk/1", "lunch", min_priority=9)
            admin.show("desk/1", "Later", id="later", priority=1)
            self.assertEqual(admin.explain("later").fields["blockers"], ["lunch"])
            self.assertEqual(admin.list(group="desk/*")[0].phase, "WAITING")
            admin.resume("lunch")
            self.assertEqual(admin.explain("later").phase, "ACTIVE")
            admin.show("desk/1", "Next", id="next")
            # There is no room: it is sent again until there is.
            crowded = Producer(admin.connection, timeout=0.5)
            with self.assertRaisesRegex(AcknowledgementTimedOut, "it was last refused OVERLOAD"):
                crowded.show("desk/1", "No room", id="crowded")
            admin.advance("desk/1")
            self.assertEqual(admin.explain("next").phase, "ACTIVE")
            self.wait_for(lambda: admin.explain("crowded").phase == "WAITING")
            admin.clear(group="desk/*")
            self.assertEqual(admin.count(group="desk/*"), 0)
            self.assertGreater(admin.stats().commands, 0)

    def test_what_the_broker_knows(self) -> None:
        with Admin(**self.broker.endpoints) as admin:
            admin.set_policy("table/*", preset="LIFO")
            self.assertIn("CLIENT", [policy.source for policy in admin.policies()])
            self.assertEqual([policy.policy["preset"] for policy in admin.policies("table/1")], ["LIFO"])
            admin.unset_policy("table/*")
            self.assertEqual([policy.source for policy in admin.policies("table/1")], ["DEFAULT"])
            admin.show("table/1", "First", id="first")
            admin.show("table/1", "Second", id="second")
            admin.cancel("first", "ok")
            self.assertEqual([popup.id for popup in admin.history("table/1")], ["first"])
            self.assertEqual(admin.history("table/*", limit=1)[0].closed.action, "ok")
            self.assertEqual([group.active for group in admin.groups("table/*")], ["second"])
            self.assertGreater(len(admin.producers()), 0)
            admin.suspend("table/*", "dinner")
            self.assertEqual([one.group for one in admin.suspensions() if one.token == "dinner"], ["table/*"])
            self.assertEqual([one.token for one in admin.suspensions("table/1")], ["dinner"])
            self.assertEqual(admin.suspensions("desk/1"), [])
            admin.resume("dinner")
            screen = Renderer(admin.connection, name="screen-table")
            states = screen.states("table/1")
            next(states)
            self.wait_for(lambda: [one.client for one in admin.renderers("table/*")] == ["screen-table"])
            self.assertIn("screen-table", [one.client for one in admin.renderers()])
            self.assertEqual([one.client for one in admin.renderers("elsewhere")], [])
            admin.clear(group="table/*")

    def test_replies_have_numbers_and_zeros(self) -> None:
        with Broker() as broker, Admin(**broker.endpoints) as admin:
            id = admin.show("lobby", "Hello", presentation={"title": "News"})
            stats = admin.stats()
            self.assertEqual((stats.refused, stats.popups, stats.commands), (0, 1, 1))
            self.assertEqual({count.kind: count.count for count in stats.commands_by_kind}["show"], 1)
            self.assertEqual({count.reason: count.count for count in stats.refused_by_reason}["INVALID"], 0)
            self.assertGreater(next(use.most for use in stats.limits if use.limit == "limits.groups"), 0)
            group = admin.groups()[0]
            self.assertEqual((group.group, group.active, group.waiting, group.paused), ("lobby", id, 0, 0))
            self.assertEqual(admin.producers()[0].popups, 1)
            popup = admin.list()[0]
            self.assertEqual((popup.priority, popup.title, popup.excerpt), (0, "News", "Hello"))
            self.assertEqual((popup.attempt, popup.remaining_ms), (1, None))
            admin.suspend("*", "night")
            self.assertIsNone(admin.suspensions()[0].min_priority)
            before = int(time.time() * 1000) - 60_000
            self.assertGreater(admin.suspensions()[0].since, before)
            admin.cancel(id, "ok")
            closed = admin.history()[0]
            self.assertEqual((closed.id, closed.closed.reason, closed.closed.action), (id, "DISMISSED", "ok"))
            self.assertGreater(closed.time, before)

    def test_a_policy_is_set_for_another_group_as_it_is(self) -> None:
        with Admin(**self.broker.endpoints) as admin:
            admin.set_policy("copy/from", preset="FIFO", gap_ms=100, caps=[{"most": 3, "per_ms": 60_000}])
            original = admin.policies("copy/from")[0]
            self.assertEqual((original.source, original.group), ("CLIENT", "copy/from"))
            self.assertEqual(original.policy["gap_ms"], 100)
            self.assertNotIn("max_waiting", original.policy)
            admin.set_policy("copy/to", **original.policy)
            self.assertEqual(admin.policies("copy/to")[0].policy, original.policy)

    def test_a_list_that_is_longer_than_a_reply_says_so(self) -> None:
        with Broker("limits: {queryResults: 2}\n") as broker, Admin(**broker.endpoints) as admin:
            for number in range(3):
                admin.show("lobby", str(number), id=f"p-{number}")
                admin.show(f"hall/{number}", str(number), id=f"h-{number}", collapse_key="hall")
            for found in (admin.list(), admin.peek("lobby")):
                self.assertEqual((len(found), found.truncated), (2, True))
            self.assertEqual([popup.id for popup in admin.peek("lobby")], ["p-0", "p-1"])
            self.assertEqual(admin.count(), 6)
            for found in (admin.list(group="hall/1"), admin.peek("hall/1")):
                self.assertEqual(([popup.id for popup in found], found.truncated), (["h-1"], False))
            # These come page by page, all of them.
            self.assertEqual(len(admin.groups()), 4)
            admin.clear(collapse_key="hall")
            self.assertEqual((len(admin.history()), admin.history().truncated), (2, True))
            self.assertEqual((len(admin.history(limit=1)), admin.history("hall/1").truncated), (1, False))
            producers = []
            for number in range(5):
                with Connection(**broker.endpoints) as connection:
                    Producer(connection).show("lobby", str(number))
                producers.append(admin.latest_producers(limit=1)[0].producer)
            self.assertEqual(len({one.producer for one in admin.producers()}), len(admin.producers()))
            self.assertLessEqual(set(producers), {one.producer for one in admin.producers()})
            self.assertEqual([one.producer for one in admin.latest_producers()], producers[:-3:-1])
            self.assertTrue(admin.latest_producers().truncated)

    def test_pages(self) -> None:
        with Admin(**self.broker.endpoints) as admin:
            admin.open_page("app", "home", "home")
            admin.open_page("app", "cart", "cart", parent="home")
            admin.enter_page("app", "cart")
            self.assertEqual(admin.path("app"), ["home", "cart"])

    def test_an_offer_is_accepted(self) -> None:
        with Connection(**self.broker.endpoints) as connection:
            admin, renderer = Admin(connection), Renderer(connection)
            states = renderer.states("offers")
            next(states)
            admin.show("offers", "May I?", offer_ms=60_000)
            state = next(state for state in states if state.offered)
            self.assertIsNone(state.popup)
            renderer.accept(state)
            self.assertIsNotNone(next(state for state in states if state.popup))

    def test_a_popup_that_is_shown_is_reported(self) -> None:
        with Connection(**self.broker.endpoints) as connection:
            admin, renderer = Admin(connection), Renderer(connection, name="screen-1")
            admin.set_policy("reports", display_timeout_ms=500, undisplayed="CLOSE")
            states = renderer.states("reports")
            next(states)
            id = admin.show("reports", "Seen")
            next(state for state in states if state.popup)
            with self.assertRaises(AssertionError):
                # It would close UNDISPLAYED after 0.5 s.
                self.wait_for(lambda: admin.explain(id).phase == "CLOSED", limit=1.5)

    def test_without_a_broker_a_call_says_so(self) -> None:
        with Connection("tcp://127.0.0.1:9", "tcp://127.0.0.1:9") as connection:
            with self.assertRaisesRegex(AcknowledgementTimedOut, "no broker is reached at tcp://127.0.0.1:9"):
                Producer(connection, timeout=0.3).show("lobby", "Hello")
            with self.assertRaisesRegex(NoReply, "no broker is reached"):
                Admin(connection, timeout=0.3).stats()
            with self.assertRaisesRegex(TimeoutError, "no broker at"):
                connection.connected(timeout=0.1)
            connection.close(linger=0)
            with self.assertRaises(Closed):
                Producer(connection).show("lobby", "Hello")

    def test_closing_ends_what_other_threads_wait_for(self) -> None:
        connection = Connection(**self.broker.endpoints)
        renderer, admin = Renderer(connection), Admin(connection, timeout=None)
        nowhere = Connection("tcp://127.0.0.1:9", "tcp://127.0.0.1:9")
        states = renderer.states("closing")
        self.assertIsNone(next(states).popup)
        with ThreadPoolExecutor(4) as threads:
            waiting: list[Future[object]] = [
                threads.submit(next, states),
                threads.submit(next, admin.events("closing")),
                threads.submit(Admin(nowhere, timeout=None).stats),
                threads.submit(Producer(nowhere, timeout=None).show, "lobby"),
            ]
            time.sleep(0.2)  # All of them wait, or begin to in a moment: both are to end.
            connection.close()
            nowhere.close(linger=0)
            for call in waiting:
                self.assertIsInstance(call.exception(LIMIT), Closed)
        with self.assertRaises(Closed):
            admin.stats()
        with self.assertRaises(Closed):
            renderer.states("closing")
        with self.assertRaises(Closed):
            admin.submit("closing")

    def test_events_of_overlapping_groups_come_once(self) -> None:
        with Admin(**self.broker.endpoints) as admin:
            events = admin.events("*", "overlap", "overlap/*")
            admin.settled()
            for id in ("overlap-1", "overlap-2"):
                admin.show("overlap", id=id)
                admin.clear(group="overlap")
            here = (event for event in events if event.group == "overlap")
            seen = [(event.kind, event.popup) for event in islice(here, 4)]
            self.assertEqual(
                seen,
                [("shown", "overlap-1"), ("closed", "overlap-1"), ("shown", "overlap-2"), ("closed", "overlap-2")],
            )

    def test_a_renderer_that_follows_nothing_sends_nothing(self) -> None:
        with Broker() as broker, Connection(**broker.endpoints) as connection:
            renderer, admin = Renderer(connection), Admin(connection)
            states = renderer.states("idle")
            next(states)
            states.close()  # type: ignore[attr-defined]
            self.wait_for(lambda: not renderer._client._groups)
            time.sleep(1.5)  # The lease has ended by then.
            batches = admin.stats().batches
            time.sleep(2.5)
            self.assertEqual(admin.stats().batches, batches)

    def test_threads_share_a_connection(self) -> None:
        with Admin(**self.broker.endpoints) as admin, ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda number: admin.show(f"threads/{number % 8}", id=f"t-{number}"), range(200)))
            self.assertEqual(admin.count(group="threads/*"), 200)

    def wait_for(self, condition: object, limit: float = LIMIT) -> None:
        end = time.monotonic() + limit
        while not condition():  # type: ignore[operator]
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)


class KilledBrokerTests(unittest.TestCase):
    def test_every_command_counts_once_over_kills(self) -> None:
        kills, count = 3, 3000
        with Broker() as broker, Admin(**broker.endpoints, timeout=LIMIT) as admin:
            done = threading.Event()

            def kill() -> None:
                for _ in range(kills):
                    done.wait(0.3)
                    broker.kill()
                    done.wait(0.2)
                    broker.start()

            killer = threading.Thread(target=kill)
            killer.start()
            try:
                # Without ids of their own, a command that counted twice would be two popups.
                futures = [admin.connection._submit(_show(admin, number)) for number in range(count)]
                killer.join()
                for future in futures:
                    future.result(LIMIT)
            finally:
                done.set()
                killer.join()
            self.assertEqual(admin.count(group="kills/*"), count)

    def test_a_renderer_is_right_again_after_a_restart(self) -> None:
        with Broker() as broker, Connection(**broker.endpoints) as connection:
            producer, renderer = Producer(connection), Renderer(connection)
            states = renderer.states("screen")
            self.assertIsNone(next(states).popup)
            producer.show("screen", "Before", id="before")
            before = next(state for state in states if state.popup)
            broker.kill()
            broker.start()
            producer.show("screen", "After", id="after", priority=9)
            after = next(state for state in states if state.popup and state.popup.id == "after")
            self.assertGreater(after.epoch, before.epoch)
            self.assertEqual(after.paused, 1)

    def test_what_a_renderer_displays_is_reported_again_after_a_restart(self) -> None:
        with Broker() as broker, Connection(**broker.endpoints) as connection:
            admin, renderer = Admin(connection), Renderer(connection)
            admin.set_policy("screen", clock="VISIBLE")
            states = renderer.states("screen")
            next(states)
            id = admin.show("screen", "Hello", duration_ms=4000)
            next(state for state in states if state.popup)
            broker.kill()
            broker.start()
            # Its display time goes on only while a renderer says that it is visible.
            end = time.monotonic() + LIMIT
            while admin.explain(id).phase != "CLOSED":
                self.assertLess(time.monotonic(), end)
                time.sleep(0.1)

    def test_what_was_reported_as_hidden_stays_so_over_a_restart(self) -> None:
        with Broker() as broker, Connection(**broker.endpoints) as connection:
            admin, renderer = Admin(connection), Renderer(connection, reports=False)

            def visible() -> list[bool]:
                """Whether each popup that the renderer displays is visible there."""
                end = time.monotonic() + LIMIT
                while not (renderers := admin.renderers()):
                    self.assertLess(time.monotonic(), end)
                return [popup.visible for popup in renderers[0].displays]

            states = renderer.states("screen")
            admin.show("screen", "Hello")
            state = next(state for state in states if state.popup)
            renderer.report(state, "visible")
            renderer.report(state, "hidden")
            renderer.set_visible(False)
            renderer.set_visible(True)  # Not that popup.
            renderer.flush(LIMIT)
            self.assertEqual(visible(), [False])
            broker.kill()
            broker.start()
            end = time.monotonic() + LIMIT
            while not any(count.kind == "report" and count.count for count in admin.stats().commands_by_kind):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.02)
            # Whatever it reports was sent at once.
            renderer.flush(LIMIT)
            self.assertEqual(visible(), [False])


class RightsTests(unittest.TestCase):
    """Clients without a key that may follow some groups only."""

    broker: Broker

    @classmethod
    def setUpClass(cls) -> None:
        grants = [{"groups": ["lobby", "desk/*"], "may": ["watch", "render"]}, {"groups": ["hall"], "may": ["events"]}]
        security = {"roles": {"some": grants}, "anonymous": ["some"]}
        cls.broker = cls.enterClassContext(Broker(json.dumps({"security": security})))

    def test_who_may_not_see_a_group_is_told_so(self) -> None:
        # A subscription to the groups below `desk` also matches `desk`.
        for group in ("hall", "desk", "desk/*", "*"):
            with self.subTest(group), Renderer(**self.broker.endpoints) as renderer:
                with self.assertRaises(Refused) as caught:
                    # The states of the other group come nevertheless.
                    list(renderer.states("lobby", group))
                self.assertEqual(caught.exception.reason, "PERMISSION_DENIED")
                self.assertIn(f'needs the right watch for "{group}"', caught.exception.detail)

    def test_who_may_not_follow_events_is_told_so(self) -> None:
        with Admin(**self.broker.endpoints) as admin:
            with self.assertRaises(Refused) as caught:
                next(admin.events("hall", "lobby"))
            self.assertIn('needs the right events for "lobby"', caught.exception.detail)

    def test_who_may_see_a_group_sees_it(self) -> None:
        with Renderer(**self.broker.endpoints) as renderer:
            self.assertIsNone(next(renderer.states("lobby/left")).popup)
            self.assertIsNone(next(renderer.states("desk/1")).popup)


class KeysTests(unittest.TestCase):
    def test_who_has_a_key_gets_in_and_nobody_else(self) -> None:
        directory = tempfile.mkdtemp(prefix="popupbroker-keys-")
        for name in ("broker", "kiosk", "stranger"):
            subprocess.run([BINARY, "keys", "new", "--output", f"{directory}/{name}"], check=True, capture_output=True)
        public = subprocess.run(
            [BINARY, "keys", "public", f"{directory}/broker"], check=True, capture_output=True, text=True
        ).stdout
        Path(f"{directory}/broker.pub").write_text(public)
        kiosk = zmq.auth.load_certificate(f"{directory}/kiosk")[0].decode()
        security = {
            "curve": {"secretKeyFile": f"{directory}/broker"},
            "users": [{"name": "kiosk", "publicKey": kiosk}],
        }
        with Broker(json.dumps({"security": security}), directory) as broker:
            endpoints = (broker.ingress, broker.egress)
            keys = {"key": f"{directory}/kiosk", "server_key": f"{directory}/broker.pub"}
            with Connection(*endpoints, **keys) as connection, Admin(connection) as admin:
                id = admin.show("lobby", "Hello")
                self.assertEqual(admin.explain(id).phase, "ACTIVE")
            stranger = {**keys, "key": f"{directory}/stranger"}
            with Connection(*endpoints, **stranger) as connection, self.assertRaises(TimeoutError):
                connection.connected(timeout=1)
            with Connection(*endpoints) as connection, self.assertRaises(TimeoutError):
                connection.connected(timeout=1)
            with self.assertRaisesRegex(ValueError, "both keys"):
                Connection(*endpoints, key=keys["key"])
            Path(keys["key"]).chmod(0o640)
            with self.assertRaisesRegex(PermissionError, "chmod 600"):
                Connection(*endpoints, **keys)


async def _show(admin: Admin, number: int) -> None:
    await admin._client.connection.submit({"show": {"group": f"kills/{number % 50}", "text": str(number)}})


class PagedAdmin(aio.Admin):
    """A client whose broker sends these pages in turn, and the last one again and again."""

    def __init__(self, *pages: list[str]) -> None:
        super().__init__()
        self.pages = list(pages)
        self.asked: list[str] = []

    async def _ask(self, query: dict[str, Any], kind: str, timeout: float | None = None) -> dict[str, Any]:
        self.asked.append(query[kind]["after"])
        names = self.pages.pop(0) if len(self.pages) > 1 else self.pages[0]
        entries = [{key: name for key in ("group", "token", "client", "producer")} for name in names]
        return {kind: [{**entry, "policy": {"group": entry["group"]}} for entry in entries], "truncated": bool(names)}


class PagesTests(unittest.IsolatedAsyncioTestCase):
    KINDS = ("policies", "suspensions", "renderers", "groups", "producers")

    async def test_pages_that_do_not_advance_are_refused(self) -> None:
        for kind in self.KINDS:
            # The broker ignores `after`; or it goes back.
            for pages, asked in (([["a", "é"]], ["", "é"]), ([["b"], ["a"]], ["", "b"])):
                with self.subTest(kind, pages=pages):
                    admin = PagedAdmin(*pages)
                    with self.assertRaisesRegex(Refused, "its pages have no end") as caught:
                        await getattr(admin, kind)()
                    self.assertEqual(caught.exception.reason, "UNSUPPORTED")
                    self.assertEqual(admin.asked, asked)

    async def test_pages_that_advance_are_put_together(self) -> None:
        for kind in self.KINDS:
            with self.subTest(kind):
                admin = PagedAdmin(["a", "b"], ["c"], [])
                self.assertEqual(len(await getattr(admin, kind)()), 3)
                self.assertEqual(admin.asked, ["", "b", "c"])


class AsyncTests(unittest.IsolatedAsyncioTestCase):
    async def test_a_producer_and_a_renderer(self) -> None:
        with Broker() as broker:
            async with (
                asyncio.timeout(LIMIT),
                aio.Producer(**broker.endpoints) as producer,
                aio.Renderer(**broker.endpoints) as renderer,
            ):
                id = await producer.show("lobby", "Hello")
                async with aclosing(renderer.states("lobby")) as states:
                    async for state in states:
                        if state.popup is None:
                            break
                        self.assertEqual(state.popup.id, id)
                        await renderer.dismiss(state, "ok")

    async def test_a_call_that_is_cancelled_leaves_the_connection_whole(self) -> None:
        with Broker() as broker:
            async with asyncio.timeout(LIMIT), aio.Admin(**broker.endpoints) as admin:
                task = asyncio.create_task(admin.show("lobby", "One", id="one"))
                await asyncio.sleep(0)
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                await admin.show("lobby", "Two", id="two")
                self.assertEqual(await admin.count(group="lobby"), 2)

    async def test_a_slow_loop_misses_states_and_never_goes_back(self) -> None:
        with Broker() as broker:
            async with asyncio.timeout(LIMIT), aio.Admin(**broker.endpoints) as admin:
                states = admin.states("lobby")
                self.assertIsNone((await anext(states)).popup)
                for number in range(300):
                    admin.submit("lobby", str(number), id=f"p-{number}", priority=number)
                await admin.flush()
                seen = [await anext(states)]
                while seen[-1].popup is None or seen[-1].popup.id != "p-299":
                    seen.append(await anext(states))
                self.assertLess(len(seen), 300)
                self.assertEqual(sorted(state.version for state in seen), [state.version for state in seen])


if __name__ == "__main__":
    unittest.main()
