"""The producer's contract, step by step as Documentation/Protocol.md has it."""

from __future__ import annotations

import base64
import json
import random
import unittest
from itertools import count
from typing import Any

from popupbroker import QueueFull, Refused
from popupbroker._delivery import WINDOW, Delivery, covers


def ack(
    epoch: int = 1, cumulative: int = 0, selective: int = 0, refusals: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    message: dict[str, Any] = {"epoch": str(epoch), "cumulative": str(cumulative), "refusals": refusals or []}
    if selective:
        message["selective"] = base64.b64encode(selective.to_bytes(32, "little")).decode()
    return message


class DeliveryTests(unittest.TestCase):
    def setUp(self) -> None:
        names = (f"{number:032x}" for number in count(1))
        self.delivery: Delivery[str] = Delivery(new_name=lambda: next(names))

    def submit(self, *tokens: str) -> None:
        for token in tokens:
            self.delivery.submit({"show": {"id": token}}, token)

    def send(self, now: float) -> list[tuple[str, int, str]]:
        """Sends all that is due; returns producer, sequence and id of each frame."""
        frames = []
        while (due := self.delivery.next_frame(now)) is not None:
            command = json.loads(due[1])
            frames.append((command["producer"][-1], command["sequence"], command["show"]["id"]))
            self.delivery.sent(due[0], now)
        return frames

    def test_numbers_commands_without_gaps(self) -> None:
        self.submit("a", "b", "c")
        self.assertEqual(self.send(0), [("1", 1, "a"), ("1", 2, "b"), ("1", 3, "c")])

    def test_cumulative_and_selective_bits_settle(self) -> None:
        self.submit("a", "b", "c", "d")
        self.send(0)
        self.assertEqual(self.delivery.receive(ack(cumulative=1, selective=0b10), 0.1), [("a", None), ("d", None)])
        self.assertEqual(len(self.delivery), 2)

    def test_the_bit_after_the_cumulative_sequence_stands_for_the_next_but_one(self) -> None:
        self.assertFalse(covers(ack(cumulative=5), 6))
        self.assertTrue(covers(ack(cumulative=5, selective=1), 7))
        self.assertTrue(covers(ack(cumulative=5, selective=1 << 255), 262))
        self.assertFalse(covers(ack(cumulative=5, selective=1 << 255), 263))

    def test_repeats_the_same_bytes_after_ever_longer_times(self) -> None:
        self.submit("a")
        frame = self.delivery.next_frame(0)
        times = []
        now = 0.0
        for _ in range(7):
            self.assertEqual(self.delivery.next_frame(now), frame)
            self.delivery.sent(1, now)
            due = self.delivery.next_due()
            assert due is not None
            times.append(due - now)
            self.assertIsNone(self.delivery.next_frame(due - 0.001))
            now = due
        self.assertEqual(times, [0.25, 0.5, 1.0, 2.0, 4.0, 5.0, 5.0])

    def test_measures_the_round_trip_of_commands_that_were_sent_once(self) -> None:
        self.submit("a")
        self.send(0)
        self.delivery.receive(ack(cumulative=1), 0.4)
        self.submit("b")
        self.send(1)
        self.assertEqual(self.delivery.next_due(), 1.8)

    def test_sends_all_in_flight_when_the_broker_is_back(self) -> None:
        self.submit("a", "b")
        self.send(0)
        self.assertEqual(self.send(0.1), [])
        self.delivery.connected()
        self.assertEqual(self.send(0.1), [("1", 1, "a"), ("1", 2, "b")])

    def test_keeps_a_window_of_256_sequences(self) -> None:
        self.submit(*(str(number) for number in range(300)))
        self.assertEqual(len(self.send(0)), WINDOW)
        # All but the first are settled: the window does not move.
        self.delivery.receive(ack(selective=(1 << 255) - 1), 0.1)
        self.assertEqual(self.send(0.1), [])
        self.delivery.receive(ack(cumulative=256), 0.2)
        self.assertEqual(len(self.send(0.2)), 300 - WINDOW)

    def test_a_refusal_settles(self) -> None:
        self.submit("a")
        self.send(0)
        refusals = [{"sequence": "1", "reason": "INVALID", "detail": "no"}]
        [(token, refusal)] = self.delivery.receive(ack(cumulative=1, refusals=refusals), 0.1)
        assert isinstance(refusal, Refused)
        self.assertEqual((token, refusal.reason, refusal.detail), ("a", "INVALID", "no"))

    def test_an_overload_postpones(self) -> None:
        self.submit("a")
        self.send(0)
        refusals = [{"sequence": "1", "reason": "OVERLOAD", "retryAfterMs": 700}]
        self.assertEqual(self.delivery.receive(ack(refusals=refusals), 1), [])
        # The refusal is repeated for 10 s: it counts once.
        self.assertEqual(self.delivery.receive(ack(refusals=refusals), 1.5), [])
        self.assertEqual(self.send(1.6), [])
        self.assertEqual(self.send(1.7), [("1", 1, "a")])

    def test_an_overload_of_a_command_that_is_covered_is_outdated(self) -> None:
        self.submit("a")
        self.send(0)
        refusals = [{"sequence": "1", "reason": "OVERLOAD", "retryAfterMs": 700}]
        self.assertEqual(self.delivery.receive(ack(cumulative=1, refusals=refusals), 1), [("a", None)])

    def test_an_acknowledgement_of_an_older_epoch_is_ignored(self) -> None:
        self.submit("a", "b")
        self.send(0)
        self.delivery.receive(ack(epoch=2, cumulative=1), 0.1)
        self.assertEqual(self.delivery.receive(ack(epoch=1, cumulative=2), 0.2), [])

    def test_starts_over_when_a_new_epoch_has_forgotten(self) -> None:
        self.submit("a", "b", "c")
        self.send(0)
        self.delivery.receive(ack(cumulative=2), 0.1)
        self.delivery.receive(ack(epoch=2), 1)
        self.assertEqual(self.send(1), [("2", 1, "c")])

    def test_starts_over_when_the_same_epoch_has_forgotten_for_two_seconds(self) -> None:
        self.submit("a", "b")
        self.send(0)
        self.delivery.receive(ack(cumulative=1), 0.1)
        self.delivery.receive(ack(), 1)
        self.assertEqual(self.delivery.producer[-1], "1")
        self.delivery.receive(ack(cumulative=1), 2)
        self.delivery.receive(ack(), 2.5)
        self.delivery.receive(ack(), 4.4)
        self.assertEqual(self.delivery.producer[-1], "1")
        self.delivery.receive(ack(), 4.5)
        self.assertEqual(self.delivery.producer[-1], "2")

    def test_starts_over_when_the_broker_knows_what_was_never_sent(self) -> None:
        self.submit("a")
        self.send(0)
        self.assertEqual(self.delivery.receive(ack(cumulative=9), 0.1), [("a", None)])
        self.assertEqual(self.delivery.producer[-1], "2")

    def test_refuses_more_than_the_queue_holds(self) -> None:
        delivery: Delivery[int] = Delivery(max_queued=3)
        for number in range(WINDOW + 3):
            delivery.submit({}, number)
        with self.assertRaises(QueueFull):
            delivery.submit({}, 0)

    def test_settles_each_command_once_whatever_is_lost(self) -> None:
        for seed in range(40):
            dice = random.Random(seed)
            delivery: Delivery[int] = Delivery()
            known: set[int] = set()
            settled: list[int] = []
            now, epoch, submitted = 0.0, 1, 0
            for _ in range(2000):
                now += 0.05
                if submitted < 600 and dice.random() < 0.5:
                    delivery.submit({"n": submitted}, submitted)
                    submitted += 1
                while (due := delivery.next_frame(now)) is not None:
                    if dice.random() < 0.7:
                        known.add(due[0])
                    delivery.sent(due[0], now)
                if dice.random() < 0.02:
                    epoch += 1
                    delivery.connected()
                if dice.random() < 0.3:
                    cumulative = next(number for number in count(1) if number not in known) - 1
                    bits = sum(
                        1 << (number - cumulative - 2)
                        for number in known
                        if cumulative + 2 <= number < cumulative + 258
                    )
                    settled += [token for token, _ in delivery.receive(ack(epoch, cumulative, bits), now)]
            self.assertEqual(sorted(settled), sorted(set(settled)), f"seed {seed}")
            self.assertEqual(len(settled) + len(delivery), submitted, f"seed {seed}")
            self.assertGreater(len(settled), 500, f"seed {seed}")


if __name__ == "__main__":
    unittest.main()
