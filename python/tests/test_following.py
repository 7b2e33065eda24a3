"""What a subscriber may rely on, and what it does when messages are lost."""

from __future__ import annotations

import json
import unittest
from typing import Any

from popupbroker import GroupState
from popupbroker._following import CONFIRMATION_TIMEOUT, MAX_SYNCS, SYNC_TIMEOUT, Following, parse_heartbeat


def varint(number: int) -> bytes:
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def heartbeat(epoch: int, **revisions: int) -> bytes:
    body = b"\x08" + varint(epoch)
    for group, revision in revisions.items():
        inner = b"\x0a" + varint(len(group)) + group.encode() + b"\x10" + varint(revision)
        body += b"\x12" + varint(len(inner)) + inner
    return body


def state(group: str, revision: int, epoch: int = 1, **fields: Any) -> dict[str, Any]:
    return {"group": group, "epoch": str(epoch), "revision": str(revision), **fields}


class FollowingTests(unittest.TestCase):
    def follow(self, *patterns: str) -> Following:
        following = Following(patterns, "me")
        following.begin(0)
        return following

    def sync(
        self, following: Following, *states: dict[str, Any], epoch: int = 1, count: int | None = None
    ) -> list[GroupState]:
        [topic] = following.sync_topics
        got = following.receive(topic, json.dumps({"states": list(states)}).encode(), 0)
        end = {"end": {"epoch": str(epoch), "states": str(len(states) if count is None else count)}}
        return got + following.receive(topic, json.dumps(end).encode(), 0)

    def receive(self, following: Following, message: dict[str, Any]) -> list[tuple[str, int]]:
        states = following.receive(f"state+json/{message['group']}/", json.dumps(message).encode(), 1)
        return [(state.group, state.revision) for state in states]

    def test_subscribes_to_prefixes_that_end_in_a_slash(self) -> None:
        self.assertEqual(self.follow("lobby", "desk/*").topics, ["heartbeat/", "state+json/lobby/", "state+json/desk/"])
        self.assertEqual(self.follow("*").topics, ["heartbeat/", "state+json/"])
        [topic] = self.follow("desk/*").sync_topics
        self.assertRegex(topic, r"^sync\+json/me/[0-9a-f]{32}/desk/$")

    def test_needs_a_group(self) -> None:
        with self.assertRaises(ValueError):
            Following([], "me")

    def test_takes_a_newer_state_only(self) -> None:
        following = self.follow("lobby")
        self.assertEqual(self.receive(following, state("lobby", 2)), [("lobby", 2)])
        self.assertEqual(self.receive(following, state("lobby", 2)), [])
        self.assertEqual(self.receive(following, state("lobby", 1)), [])
        self.assertEqual(self.receive(following, state("lobby", 1, epoch=2)), [("lobby", 1)])

    def test_a_name_does_not_follow_the_groups_below_it_and_a_pattern_not_its_own_name(self) -> None:
        following = self.follow("lobby", "desk/*")
        self.assertEqual(self.receive(following, state("lobby/left", 1)), [])
        self.assertEqual(self.receive(following, state("desk", 1)), [])
        self.assertEqual(self.receive(following, state("desk/1", 1)), [("desk/1", 1)])

    def test_a_sync_brings_the_present_states_and_ends(self) -> None:
        following = self.follow("*")
        self.assertEqual([s.group for s in self.sync(following, state("a", 1), state("b", 1))], ["a", "b"])
        self.assertEqual(following.sync_topics, [])
        self.assertEqual(following.deadline, CONFIRMATION_TIMEOUT)

    def test_a_name_that_the_broker_does_not_know_shows_nothing(self) -> None:
        following = self.follow("lobby")
        self.assertEqual(self.sync(following, state("lobby/left", 1)), [GroupState.empty("lobby", 1)])
        self.assertEqual(self.receive(following, state("lobby", 1)), [("lobby", 1)])

    def test_an_incomplete_sync_is_asked_for_again(self) -> None:
        following = self.follow("*")
        before = following.sync_topics
        self.sync(following, state("a", 1), count=2)
        self.assertEqual(len(following.sync_topics), 1)
        self.assertNotEqual(following.sync_topics, before)

    def test_a_sync_without_an_answer_is_asked_for_again(self) -> None:
        following = self.follow("*")
        before = following.sync_topics
        following.expire(SYNC_TIMEOUT - 0.1)
        self.assertEqual(following.sync_topics, before)
        following.expire(SYNC_TIMEOUT)
        self.assertNotEqual(following.sync_topics, before)

    def test_without_a_connection_nothing_is_asked_again(self) -> None:
        following = self.follow("*")
        before = following.sync_topics
        following.expire(SYNC_TIMEOUT, is_connected=False)
        self.assertEqual(following.sync_topics, before)
        self.assertEqual(following.deadline, 2 * SYNC_TIMEOUT)
        following.expire(2 * SYNC_TIMEOUT)
        self.assertNotEqual(following.sync_topics, before)

    def test_many_groups_are_asked_for_a_limited_number_at_once(self) -> None:
        groups = {f"g{number}" for number in range(MAX_SYNCS + 2)}
        following = self.follow(*groups)
        asked: set[str] = set()
        while following.sync_topics:
            self.assertLessEqual(len(following.sync_topics), MAX_SYNCS)
            topic = following.sync_topics[0]
            asked.add(topic.split("/")[3])
            following.receive(topic, json.dumps({"end": {"epoch": "1", "states": "0"}}).encode(), 0)
        self.assertEqual(asked, groups)

    def test_a_new_epoch_asks_for_the_states_and_clears_what_is_gone(self) -> None:
        following = self.follow("*")
        self.sync(following, state("a", 3, active={"id": "x"}), state("b", 1))
        following.receive("heartbeat/", heartbeat(2), 1)
        got = self.sync(following, state("b", 1, epoch=2), epoch=2)
        self.assertEqual([(s.group, s.version, s.popup) for s in got], [("b", (2, 1), None), ("a", (2, 0), None)])

    def test_a_revision_that_is_missing_at_two_heartbeats_is_asked_for(self) -> None:
        following = self.follow("lobby")
        self.sync(following, state("lobby", 1))
        following.receive("heartbeat/", heartbeat(1, lobby=2, other=9), 1)
        self.assertEqual(following.sync_topics, [])
        following.receive("heartbeat/", heartbeat(1, lobby=2, other=9), 2)
        self.assertEqual(len(following.sync_topics), 1)

    def test_an_answer_of_a_new_epoch_asks_for_the_groups_that_were_answered_before(self) -> None:
        following = self.follow("lobby", "hall")
        end = {"end": {"epoch": "1", "states": "0"}}
        first, second = following.sync_topics
        following.receive(first, json.dumps(end).encode(), 0)
        end["end"]["epoch"] = "2"
        following.receive(second, json.dumps(end).encode(), 0)
        [topic] = following.sync_topics
        self.assertEqual(topic.split("/")[3], first.split("/")[3])

    def test_a_heartbeat_in_several_messages_counts_once(self) -> None:
        following = self.follow("*")
        self.sync(following, state("lobby", 1), state("hall", 1))
        following.receive("heartbeat/", heartbeat(1, lobby=2), 1)
        following.receive("heartbeat/", heartbeat(1, hall=2), 1)
        self.receive(following, state("hall", 2))
        self.assertEqual(following.sync_topics, [])
        following.receive("heartbeat/", heartbeat(1, hall=2), 2)
        self.assertEqual(following.sync_topics, [])
        following.receive("heartbeat/", heartbeat(1, lobby=2), 2)
        self.assertEqual(len(following.sync_topics), 1)

    def test_a_revision_that_arrives_meanwhile_is_not_asked_for(self) -> None:
        following = self.follow("lobby")
        self.sync(following, state("lobby", 1))
        following.receive("heartbeat/", heartbeat(1, lobby=2), 1)
        self.receive(following, state("lobby", 2))
        following.receive("heartbeat/", heartbeat(1, lobby=2), 2)
        self.assertEqual(following.sync_topics, [])

    def test_states_are_confirmed_for_5_seconds_after_any_message(self) -> None:
        following = self.follow("lobby", "yard")
        for topic in following.sync_topics:
            group = topic.split("/")[3]
            following.receive(topic, json.dumps({"states": [state(group, 1)]}).encode(), 0)
            following.receive(topic, json.dumps({"end": {"epoch": "1", "states": "1"}}).encode(), 0)
        following.receive("heartbeat/", heartbeat(1), 3)
        self.assertEqual(CONFIRMATION_TIMEOUT, 5)
        self.assertEqual(following.deadline, 8)
        self.assertEqual(following.expire(7.9), [])

        silent = following.expire(8)
        self.assertEqual({(s.group, s.revision) for s in silent}, {("lobby", 1), ("yard", 1)})
        self.assertFalse(any(s.is_confirmed for s in silent))
        self.assertIsNone(following.deadline)
        self.assertEqual(following.expire(9), [])

        # The message of one group confirms the others.
        again = following.receive("state+json/lobby/", json.dumps(state("lobby", 2)).encode(), 20)
        self.assertEqual([(s.group, s.revision) for s in again], [("yard", 1), ("lobby", 2)])
        self.assertTrue(all(s.is_confirmed for s in again))
        self.assertEqual(following.receive("heartbeat/", heartbeat(1), 21), [])
        self.assertEqual(following.deadline, 26)

    def test_a_broker_that_was_never_heard_has_nothing_to_confirm(self) -> None:
        following = self.follow("lobby")
        following.expire(100)
        self.assertEqual(following.deadline, 100 + SYNC_TIMEOUT)

    def test_reads_a_heartbeat_with_large_numbers_and_unknown_fields(self) -> None:
        body = heartbeat(2**63 + 5, lobby=300) + b"\x1a\x02hi" + b"\x25\0\0\0\0"
        self.assertEqual(parse_heartbeat(body), (2**63 + 5, {"lobby": 300}))


if __name__ == "__main__":
    unittest.main()
