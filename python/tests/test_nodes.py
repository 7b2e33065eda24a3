"""Clients of several nodes: the rules alone, then two real brokers, of which one has the greater epoch."""

from __future__ import annotations

import json
import tempfile
import time
import unittest
from contextlib import ExitStack
from itertools import takewhile
from typing import Any

import zmq

from popupbroker import Admin, Connection, Producer, Renderer
from popupbroker._nodes import NewestEpoch, endpoint_list, epoch_of
from tests.broker import Broker
from tests.test_following import heartbeat

LIMIT = 30.0
"""Seconds after which a test has failed."""


class EndpointListTests(unittest.TestCase):
    def test_takes_a_text_or_a_list(self) -> None:
        self.assertEqual(endpoint_list("tcp://a:1"), ("tcp://a:1",))
        self.assertEqual(endpoint_list(" tcp://a:1 ,tcp://b:2,"), ("tcp://a:1", "tcp://b:2"))
        self.assertEqual(endpoint_list(["tcp://a:1", "tcp://b:2"]), ("tcp://a:1", "tcp://b:2"))

    def test_needs_an_endpoint(self) -> None:
        nothing: str | list[str]
        for nothing in (",", [], " "):
            with self.assertRaisesRegex(ValueError, "names no endpoint"):
                endpoint_list(nothing)


class NewestEpochTests(unittest.TestCase):
    def of(self, topic: str, **message: Any) -> int | None:
        return epoch_of(topic, json.dumps(message).encode())

    def test_every_message_names_its_epoch(self) -> None:
        for topic in ("state+json/a/", "events+json/a/", "replies+json/me/1/", "acks+json/0a/"):
            self.assertEqual(self.of(topic, epoch="7"), 7)
        self.assertEqual(epoch_of("heartbeat/", heartbeat(7, lobby=3)), 7)
        self.assertEqual(self.of("sync+json/me/1/a/", states=[{"epoch": "7"}, {"epoch": "7"}]), 7)
        self.assertEqual(self.of("sync+json/me/1/a/", end={"epoch": "7", "states": "2"}), 7)
        self.assertIsNone(self.of("sync+json/me/1/a/"))

    def test_a_broker_that_names_none_in_events_and_replies_is_heard(self) -> None:
        for topic in ("events+json/a/", "replies+json/me/1/"):
            self.assertIsNone(self.of(topic))
            self.assertIsNone(self.of(topic, epoch="0"))

    def test_an_older_one_counts_no_more(self) -> None:
        newest = NewestEpoch()
        self.assertFalse(newest.hear(3))
        self.assertTrue(newest.accepts(3))
        self.assertFalse(newest.accepts(2))
        self.assertTrue(newest.accepts(None))

    def test_a_greater_one_is_another_owner(self) -> None:
        newest = NewestEpoch()
        self.assertEqual([newest.hear(epoch) for epoch in (None, 3, 3, None, 5, 5)], [False] * 4 + [True, False])


class SubscriptionTests(unittest.TestCase):
    def test_thousands_of_groups_are_all_followed_and_again_by_a_new_broker(self) -> None:
        groups = [f"hall-{number}" for number in range(3000)]
        wanted = {f"state+json/{group}/".encode() for group in groups}
        directory = self.enterContext(tempfile.TemporaryDirectory())
        egress = f"ipc://{directory}/egress"
        connection = self.enterContext(Connection(f"ipc://{directory}/ingress", egress))
        states = Renderer(connection).states(*groups)
        for _ in range(2):
            with zmq.Context() as context, context.socket(zmq.XPUB) as broker:
                broker.set(zmq.RCVTIMEO, int(LIMIT * 1000))
                broker.bind(egress)
                missing = set(wanted)
                while missing:
                    message = broker.recv()
                    if message[:1] == b"\1":
                        missing.discard(message[1:])
        del states


class TwoNodesTests(unittest.TestCase):
    old: Broker
    new: Broker

    def setUp(self) -> None:
        stack = self.enterContext(ExitStack())
        self.old, self.new = stack.enter_context(Broker()), stack.enter_context(Broker())
        # The epoch of a broker grows with each start.
        self.new.kill()

    def both(self) -> Connection:
        return self.enterContext(
            Connection([self.old.ingress, self.new.ingress], f"{self.old.egress},{self.new.egress}")
        )

    def show_at(self, broker: Broker, group: str, id: str) -> None:
        with Producer(**broker.endpoints) as producer:
            producer.show(group, id, id=id)

    def test_goes_on_with_the_next_node_when_one_is_gone(self) -> None:
        connection = self.both()
        producer, states = Producer(connection, timeout=LIMIT), Renderer(connection).states("lobby")
        self.assertIsNone(next(states).popup)
        producer.show("lobby", "Hello", id="A")
        before = next(state for state in states if state.popup)
        self.old.kill()
        self.new.start()
        producer.show("lobby", "Hello", id="B", priority=9)
        after = next(state for state in states if state.popup and state.popup.id == "B")
        self.assertGreater(after.epoch, before.epoch)

    def test_drops_what_an_older_owner_says_of_any_group(self) -> None:
        connection = self.both()
        renderer, admin = Renderer(connection), Admin(connection)
        states, events = renderer.states("*"), admin.events("*")
        self.show_at(self.old, "hall", "first")
        self.assertEqual(next(state.popup.id for state in states if state.popup), "first")
        self.new.start()
        self.show_at(self.new, "lobby", "second")
        self.assertEqual(next(state.popup.id for state in states if state.popup), "second")
        # Groups of which the new owner has said nothing yet.
        self.show_at(self.old, "yard", "too late")
        self.show_at(self.old, "court", "too late")
        self.show_at(self.new, "yard", "third")
        self.assertEqual(next((state.group, state.popup.id) for state in states if state.popup), ("yard", "third"))
        # The new owner refuses reports of what it does not know: they are sent again when it takes over.
        shown = (event.popup for event in events if event.kind == "shown")
        told = list(takewhile(lambda popup: popup != "third", shown))
        self.assertEqual([popup for popup in told if popup != "second"], ["first"])
        # Both reply: the older owner has three popups.
        self.assertEqual([admin.count() for _ in range(20)], [2] * 20)
        admin.settled()

    def test_a_stopped_node_blocks_nothing(self) -> None:
        self.new.start()
        connection = self.both()
        admin = Admin(connection, timeout=LIMIT)
        end = time.monotonic() + LIMIT
        while not all(node.is_ready for node in connection._connection._nodes):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        self.old.stop()
        # More than the queue to the stopped node and the buffers of the system hold.
        for number in range(2500):
            admin.submit("many", "x" * 8192, id=f"many-{number:04}")
        admin.flush(LIMIT)
        self.assertEqual(admin.count(group="many"), 2500)


if __name__ == "__main__":
    unittest.main()
