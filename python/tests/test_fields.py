"""The names of fields are those of the schema, and a misspelt one is a mistake."""

from __future__ import annotations

import re
import unittest
from pathlib import Path
from typing import Any

from popupbroker._fields import (
    ActionFields,
    CapFields,
    FlowFields,
    PageFields,
    PolicyFields,
    PopupFields,
    PresentationFields,
    QuietWindowFields,
    RequirementFields,
    SelectorFields,
    UpdateFields,
    to_json,
)

SCHEMA = Path(__file__).parents[2] / "Sources/PopupProtocol/Schema/popup_broker.proto"


def fields_of(message: str) -> set[str]:
    """The names of a message's fields, without those that the broker alone sets."""
    text = SCHEMA.read_text()
    body = re.search(rf"^message {message} {{\n(.*?)^}}", text, re.MULTILINE | re.DOTALL)
    assert body is not None, message
    inner = re.sub(r"^  (?:enum|message) \w+ {.*?^  }", "", body[1], flags=re.MULTILINE | re.DOTALL)
    fields = re.findall(r"^\s+(?:optional |repeated )?[\w.]+ (\w+) = (\d+);", inner, re.MULTILINE)
    return {name for name, number in fields if not (message == "Popup" and name in OUTPUT_ONLY)}


OUTPUT_ONLY = {"remaining_ms", "attempt", "since_revision", "by"}
PASSED_BY_NAME = {
    "Popup": {"id", "group", "text"},
    "Update": {"id"},
    "SetPolicy": {"group"},
}


class FieldTests(unittest.TestCase):
    def test_names_are_those_of_the_schema(self) -> None:
        kinds: dict[str, Any] = {
            "Popup": PopupFields,
            "Update": UpdateFields,
            "Action": ActionFields,
            "Presentation": PresentationFields,
            "Flow": FlowFields,
            "Requirement": RequirementFields,
            "PageBinding": PageFields,
            "Selector": SelectorFields,
            "SetPolicy": PolicyFields,
            "Cap": CapFields,
            "QuietWindow": QuietWindowFields,
        }
        for message, kind in kinds.items():
            with self.subTest(message):
                self.assertEqual(set(kind.__annotations__), fields_of(message) - PASSED_BY_NAME.get(message, set()))

    def test_names_become_those_of_json(self) -> None:
        self.assertEqual(
            to_json({"duration_ms": 5, "data": b"hi", "flow": {"hold_ms": 1}, "ttl_ms": None}, PopupFields),
            {"durationMs": 5, "data": "aGk=", "flow": {"holdMs": 1}},
        )

    def test_a_misspelt_field_is_a_mistake_with_a_suggestion(self) -> None:
        with self.assertRaisesRegex(TypeError, "there is no field durationMs; did you mean duration_ms?"):
            to_json({"durationMs": 5}, PopupFields)
        with self.assertRaisesRegex(TypeError, r"no field actions\.labl; did you mean actions\.label\?"):
            to_json({"actions": [{"id": "a", "labl": "A"}]}, PopupFields)


if __name__ == "__main__":
    unittest.main()
