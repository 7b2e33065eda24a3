#!/usr/bin/env python3
"""Plants wrong records, one of each kind, and expects the checker to find them; and nothing in records that are right."""
import copy
import json
import struct
import sys
import unittest

import checker
import shared_log
from checker import Ack, Acked, Follower, Heard, History

FIRST, SECOND = 100, 200


def popup(number, **more):
    return {"id": f"p-{number}", "group": "hall", "text": f"number {number}", "attempt": 1, **more}


# p-1 is shown, changed, and closed by p-2; p-2 closes in the second epoch.
STATES = [
    (FIRST, {"group": "hall", "revision": "1", "active": popup(1, sinceRevision="1")}),
    (FIRST, {"group": "hall", "revision": "2", "active": popup(1, text="changed 1", sinceRevision="2")}),
    (FIRST, {"group": "hall", "revision": "3", "active": popup(2, sinceRevision="3")}),
    (SECOND, {"group": "hall", "revision": "4"}),
]


def state(revision, epoch=FIRST, at=0.0, node="n0", channel="state", **more):
    message = {**copy.deepcopy(STATES[revision - 1][1]), "epoch": str(epoch), **more}
    if "active" in message:
        message["active"]["remainingMs"] = 10 * revision
    return Heard(at, node, channel, message)


def event(kind, number, revision, epoch=FIRST, node="n0", **content):
    return Heard(0.0, node, "event", {"group": "hall", "popup": f"p-{number}", "revision": str(revision),
                                      "epoch": str(epoch), kind: content})


EVENTS = [event("shown", 1, 1, attempt=1), event("updated", 1, 2), event("closed", 1, 3, reason="PREEMPTED"),
          event("shown", 2, 3, attempt=1), event("closed", 2, 4, SECOND, reason="TIMED_OUT"),
          # Due between the last entry and the horizon: two epochs may tell it.
          event("closed", 1, 3, SECOND, reason="PREEMPTED")]


def varint(number):
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    return bytes(encoded + bytes([number]))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value if isinstance(value, bytes) else value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def entry(index, epoch, *commands, kind=1):
    header = shared_log.HEADER.pack(b"PBE1", 0, kind, epoch, index, index * 10, index * 10 + 3000, 0, 0)
    return header + b"".join(b"\x01" + struct.pack("<I", len(one)) + one for one in commands)


def show(sequence, number):
    content = field(1, f"p-{number}") + field(2, "hall") + field(11, f"number {number}")
    return field(1, "me") + field(2, sequence) + field(3, content)


def update(sequence, number):
    return field(1, "me") + field(2, sequence) + field(4, field(1, f"p-{number}") + field(5, f"changed {number}"))


LEASE = field(14, field(1, "screen") + field(2, "hall") + field(2, "yard"))
LOG = [entry(1, FIRST, kind=2), entry(2, FIRST, LEASE, show(1, 1)), entry(3, FIRST, update(2, 1)),
       entry(4, SECOND, kind=2), entry(5, SECOND, show(3, 2))]
ACKED = [Acked("me", 1, "show", {"id": "p-1", "group": "hall", "text": "number 1"}, 1.0, 2.0, FIRST),
         Acked("me", 2, "update", {"id": "p-1", "text": "changed 1"}, 2.1, 3.0, FIRST),
         Acked("me", 3, "show", {"id": "p-2", "group": "hall", "text": "number 2"}, 3.1, 9.0, SECOND)]
ACKS = [Ack("me", FIRST, 1), Ack("me", FIRST, 2), Ack("me", SECOND, 2), Ack("me", SECOND, 3)]


class CheckerTests(unittest.TestCase):
    def setUp(self):
        self.history = History(f"{begins} {json.dumps(message)}" for begins, message in STATES)
        self.commands = shared_log.commands(LOG)
        self.heard = [state(1), state(2), state(2, channel="feed"), state(3), state(3, SECOND), state(4, SECOND), *EVENTS]

    def found(self, check, *arguments):
        """The check finds exactly one problem."""
        problems = check(*arguments)
        self.assertEqual(len(problems), 1, problems)
        return problems[0]

    def test_right_records_have_no_problems(self):
        follower = Follower()
        for word in self.heard[:-1]:
            follower.take(word.channel, word.message)
        self.assertEqual(checker.all_problems(self.history, self.commands, self.heard, [follower]), [])
        self.assertEqual(checker.wrong_acknowledgements(self.commands, ACKED, ACKS), [])
        self.assertEqual(checker.wrong_end(self.history, ["hall"], [{"hall": STATES[3][1]}]), [])
        self.assertEqual(checker.wrong_leases(self.commands, "screen", ["hall", "yard"]), [])

    def test_a_state_of_another_popup(self):
        self.found(checker.wrong_states, self.history, [state(1, active=popup(9, sinceRevision="1"))])

    def test_a_state_with_another_text(self):
        wrong = state(2, active=popup(1, text="number 1", sinceRevision="2"))
        self.found(checker.wrong_states, self.history, [wrong])
        self.found(checker.wrong_states, self.history, [Heard(0, "n0", "feed", wrong.message)])

    def test_a_state_with_another_number_of_waiting_popups(self):
        self.found(checker.wrong_states, self.history, [state(1, waiting=1)])

    def test_a_revision_that_the_history_does_not_have(self):
        wrong = state(4, SECOND)
        wrong.message["revision"] = "5"
        self.found(checker.wrong_states, self.history, [wrong])

    def test_a_state_of_an_epoch_that_cannot_know_it(self):
        self.found(checker.wrong_states, self.history, [state(4, FIRST)])

    def test_a_text_that_no_command_gave(self):
        self.found(checker.wrong_texts, self.commands, [state(1, active=popup(1, text="number 2"))])

    def test_an_event_told_twice(self):
        self.assertIn("told twice", self.found(checker.wrong_events, self.history, [*EVENTS, EVENTS[0]]))

    def test_epochs_whose_events_differ(self):
        wrong = event("closed", 1, 3, SECOND, reason="DISMISSED")
        self.assertIn("epochs differ", self.found(checker.wrong_events, self.history, [*EVENTS[:-1], wrong]))

    def test_a_popup_that_closes_twice(self):
        wrong = event("closed", 1, 4, SECOND, reason="PREEMPTED")
        self.assertIn("p-1 closed in", self.found(checker.wrong_events, self.history, [*EVENTS, wrong]))

    def test_events_that_the_history_does_not_have(self):
        for wrong in [event("shown", 2, 2, attempt=1), event("closed", 2, 3, reason="TIMED_OUT"), event("shown", 2, 5),
                      event("closed", 2, 4, FIRST, reason="TIMED_OUT")]:
            self.found(checker.wrong_events, self.history, [wrong])

    def test_a_popup_that_is_active_after_its_end(self):
        wrong = state(4, SECOND, active=popup(1))
        self.found(checker.back_from_the_end, self.history, [*EVENTS, wrong])
        self.assertEqual(checker.back_from_the_end(self.history, EVENTS), [])

    def test_a_screen_that_shows_again_what_it_saw_closed(self):
        follower = Follower()
        for word in [state(1), event("closed", 1, 3), state(3)]:
            follower.take(word.channel, word.message)
        self.assertEqual(follower.wrong, [])
        follower.take("state", state(4, SECOND, active=popup(1)).message)
        self.assertIn("comes back", "".join(follower.wrong))

    def test_a_screen_that_goes_back(self):
        follower = Follower()
        for word in [state(3), state(2, SECOND)]:
            follower.take(word.channel, word.message)
        self.assertIn("went back", "".join(follower.wrong))

    def test_a_screen_drops_an_older_epoch(self):
        follower = Follower()
        self.assertTrue(follower.take("state", state(3, SECOND).message))
        self.assertFalse(follower.take("state", state(4, FIRST).message))
        self.assertEqual(follower.shown["hall"]["revision"], "3")

    def test_a_word_long_after_a_newer_epoch(self):
        said = [state(1, FIRST, at=1.0), state(3, SECOND, at=10.0, node="n1"), state(2, FIRST, at=13.0),
                state(2, FIRST, at=14.0)]
        self.assertIn("4.0 s after", self.found(checker.late_words, said, []))
        # What lay in the queues of a node that was paused until then.
        self.assertEqual(checker.late_words(said, [("n0", 5.0, 12.0)]), [])
        self.found(checker.late_words, said, [("n1", 5.0, 12.0)])
        # What the whole machine was late with, and no more.
        self.assertEqual(checker.late_words(said, [], lambda began, ended: 0.6), [])
        self.found(checker.late_words, said, [], lambda began, ended: 0.4)

    def test_an_acknowledged_command_that_is_not_in_the_log(self):
        self.found(checker.wrong_acknowledgements, self.commands, [*ACKED, Acked("me", 4, "show", {}, 10, 11, SECOND)])

    def test_a_command_that_is_in_the_log_twice(self):
        commands = shared_log.commands([*LOG, entry(6, SECOND, show(1, 1))])
        self.assertIn("entries 2 and 6", self.found(checker.wrong_acknowledgements, commands, ACKED[1:]))

    def test_a_command_with_another_content(self):
        wrong = Acked("me", 1, "show", {"id": "p-1", "group": "hall", "text": "number 7"}, 1.0, 2.0, FIRST)
        self.found(checker.wrong_acknowledgements, self.commands, [wrong, *ACKED[1:]])

    def test_commands_whose_order_is_not_that_of_their_acknowledgements(self):
        swapped = shared_log.commands([LOG[0], entry(2, FIRST, update(2, 1)), entry(3, FIRST, show(1, 1)), *LOG[3:]])
        self.assertIn("stands after", self.found(checker.wrong_acknowledgements, swapped, ACKED))

    def test_an_acknowledgement_of_what_a_later_epoch_wrote(self):
        self.found(checker.wrong_acknowledgements, self.commands, ACKED, [Ack("me", FIRST, 3)])

    def test_acknowledgements_that_go_back(self):
        self.found(checker.wrong_acknowledgements, self.commands, ACKED, [Ack("me", FIRST, 2), Ack("me", SECOND, 1)])

    def test_a_screen_that_ends_with_another_state(self):
        for wrong in [{}, {"hall": STATES[2][1]}, {"hall": {**STATES[3][1], "active": popup(2)}}]:
            self.found(checker.wrong_end, self.history, ["hall"], [{"hall": STATES[3][1]}, wrong])

    def test_a_lease_that_is_not_in_the_log(self):
        self.found(checker.wrong_leases, self.commands, "another", ["hall", "yard"])
        self.found(checker.wrong_leases, self.commands, "screen", ["hall"])

    def test_a_state_in_binary_is_that_in_json(self):
        active = field(1, "p-1") + field(2, "hall") + field(11, "number 1") + field(32, 10) + field(33, 1) + field(34, 1)
        message = field(1, FIRST) + field(2, "hall") + field(3, 1) + field(4, active)
        self.assertEqual(shared_log.states_of_feed(field(1, message)), [state(1).message])

    def test_a_damaged_entry_is_not_read(self):
        with self.assertRaises(AssertionError):
            shared_log.commands([entry(2, FIRST, show(1, 1))[:-3]])


if __name__ == "__main__":
    sys.exit(not unittest.main(exit=False).result.wasSuccessful())
