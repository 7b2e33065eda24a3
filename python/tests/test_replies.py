"""The replies to queries as values: their fields are those of the schema, and what is absent is zero or empty."""

from __future__ import annotations

import copy
import re
import unittest
from typing import Any, get_args, get_type_hints

import popupbroker
from popupbroker._fields import PolicyFields, from_json, to_json
from popupbroker._replies import Message
from tests.test_fields import SCHEMA

NAMES = {
    "PopupSummary": "PopupSummary",
    "Closed": "PopupClosed",
    "Requirement": "PopupRequirement",
    "Cap": "PopupCap",
    "PageBinding": "PageBinding",
    "HoldingRule": "HoldingRule",
    "ExplainResult": "Explanation",
    "ClosedPopup": "ClosedPopup",
    "GroupCounts": "GroupCounts",
    "Suspension": "PopupSuspension",
    "DisplayedPopup": "DisplayedPopup",
    "Renderer": "RendererSummary",
    "ProducerSequences": "ProducerSequences",
    "TurnTimes": "TurnTimes",
    "DeniedCount": "DeniedCount",
    "CommandCount": "CommandCount",
    "EventCount": "EventCount",
    "ClosedCount": "ClosedCount",
    "RefusedCount": "RefusedCount",
    "HistogramBucket": "HistogramBucket",
    "Histogram": "Histogram",
    "LimitUse": "LimitUse",
    "StatsResult": "BrokerStatistics",
}
"""The value of each message. That of ``PolicyInForce`` has another form."""
SCALARS: dict[str, type] = {"uint32": int, "int32": int, "uint64": int, "bool": bool, "string": str}


def fields_of(message: str) -> dict[str, Any]:
    """The fields of a message of the schema with the types that they have in Python."""
    body = re.search(rf"^message {message} {{\n(.*?)^}}", SCHEMA.read_text(), re.MULTILINE | re.DOTALL)
    assert body is not None, message
    inner = re.sub(r"^  enum \w+ {.*?^  }", "", body[1], flags=re.MULTILINE | re.DOTALL)
    fields: dict[str, Any] = {}
    for label, kind, name in re.findall(r"^\s+(optional |repeated )?([\w.]+) (\w+) = \d+;", inner, re.MULTILINE):
        type_: Any = getattr(popupbroker, NAMES[kind]) if kind in NAMES else SCALARS.get(kind, str)  # str: an enum
        if label == "repeated ":
            type_ = tuple[type_, ...]
        elif label == "optional ":
            type_ = type_ | None
        fields[name] = type_
    return fields


class ReplyTests(unittest.TestCase):
    def test_fields_are_those_of_the_schema(self) -> None:
        for message, name in NAMES.items():
            with self.subTest(name):
                hints = get_type_hints(getattr(popupbroker, name))
                del hints["fields"]
                schema = fields_of(message)
                self.assertGreater(len(schema), 0)
                self.assertEqual(hints.keys(), schema.keys())
                for field, type_ in schema.items():
                    is_message = isinstance(type_, type) and issubclass(type_, Message)
                    # A message that is absent may be nothing, or one whose fields are.
                    choices = (type_, type_ | None) if is_message else (type_,)
                    self.assertIn(hints[field], choices, field)

    def test_every_kind_of_reply_is_checked(self) -> None:
        kinds = {kind.__name__ for kind in Message.__subclasses__()}
        self.assertEqual(kinds, {*NAMES.values(), "PolicyInForce"})
        self.assertLess(kinds, set(popupbroker.__all__))

    def test_numbers_of_64_bits_are_numbers(self) -> None:
        stats = popupbroker.BrokerStatistics.from_json(
            {"refused": "18446744073709551615", "protocol": 1, "turns": {"p99Us": "6529"}, "journalBytes": "65662"}
        )
        self.assertEqual((stats.refused, stats.protocol, stats.turns.p99_us), (2**64 - 1, 1, 6529))
        self.assertEqual(stats.journal_bytes, 65662)

    def test_what_is_absent_is_zero_or_empty(self) -> None:
        for name in (*NAMES.values(), "PolicyInForce"):
            with self.subTest(name):
                value = getattr(popupbroker, name).from_json({})
                hints = get_type_hints(type(value))
                for field in hints.keys() - {"fields"}:
                    if type(None) in get_args(hints[field]):
                        self.assertIsNone(getattr(value, field), field)
        stats = popupbroker.BrokerStatistics.from_json({})
        self.assertEqual((stats.refused, stats.version, stats.limits, stats.turns.count), (0, "", (), 0))
        group = popupbroker.GroupCounts.from_json({"group": "lobby"})
        self.assertEqual((group.waiting, group.active, group.offered), (0, "", False))
        self.assertEqual(popupbroker.ClosedPopup.from_json({"id": "a"}).closed.displayed_ms, 0)
        # Nothing is not zero where a limit of 0 means something.
        self.assertIsNone(popupbroker.PopupSuspension.from_json({}).min_priority)
        self.assertEqual(popupbroker.PopupSuspension.from_json({"minPriority": 0}).min_priority, 0)

    def test_messages_in_messages_are_values(self) -> None:
        explanation = popupbroker.Explanation.from_json(
            {"id": "a", "rules": [{"rule": "cap", "cap": {"most": 3}}, {"rule": "queue", "ahead": 2}]}
        )
        self.assertEqual([rule.ahead for rule in explanation.rules], [0, 2])
        self.assertEqual(explanation.rules[0].cap, popupbroker.PopupCap(most=3))
        self.assertIsNone(explanation.rules[1].cap)

    def test_what_a_newer_broker_sends_is_in_the_raw_fields(self) -> None:
        group = popupbroker.GroupCounts.from_json({"group": "lobby", "newerField": 7})
        self.assertEqual(group.fields["newerField"], 7)
        self.assertEqual(group, popupbroker.GroupCounts(group="lobby"))

    def test_a_policy_is_that_of_set_policy(self) -> None:
        policy: PolicyFields = {
            "preset": "FIFO",
            "ignore_priority": True,
            "gap_ms": 0,
            "caps": [{"most": 3, "per_ms": 60_000}],
            "quiet": [{"from": "22:00", "to": "06:00", "time_zone": "Europe/Zurich", "min_priority": 9}],
        }
        message = {"group": "desk/*", **to_json(policy, PolicyFields)}
        self.assertEqual(from_json(message, PolicyFields), policy)
        found = popupbroker.PolicyInForce.from_json({"source": "CLIENT", "policy": message})
        self.assertEqual((found.source, found.group, found.policy), ("CLIENT", "desk/*", policy))
        self.assertEqual(hash(found), hash(found))

    def test_results_are_a_list_that_says_whether_there_are_more(self) -> None:
        results = popupbroker.Results([1, 2], truncated=True)
        self.assertEqual(results, [1, 2])
        self.assertTrue(results.truncated)
        self.assertTrue(copy.copy(results).truncated)
        self.assertFalse(popupbroker.Results([1, 2]).truncated)


if __name__ == "__main__":
    unittest.main()
