"""What a notification means for a popup, as far as it needs no bus and no broker."""

from __future__ import annotations

import unittest
from typing import Any

from popupbroker.desktop._notifications import Notification, Urgency, one_line


def notification(body: str = "", icon: str = "", actions: list[str] | None = None, **hints: Any) -> Notification:
    names = {name.replace("_", "-"): value for name, value in hints.items()}
    return Notification.from_call("mail", icon, "Title", body, actions or [], names, -1)


class NotificationTests(unittest.TestCase):
    def test_a_stack_tag_is_that_of_either_hint(self) -> None:
        self.assertEqual(notification(x_canonical_private_synchronous="volume").stack_tag, "volume")
        self.assertEqual(notification(x_dunst_stack_tag="volume").stack_tag, "volume")
        both = notification(x_dunst_stack_tag="dunst", x_canonical_private_synchronous="canonical")
        self.assertEqual(both.stack_tag, "canonical")
        empty = notification(x_canonical_private_synchronous="", x_dunst_stack_tag="dunst")
        self.assertEqual(empty.stack_tag, "dunst")
        self.assertIsNone(notification(x_dunst_stack_tag=1).stack_tag)
        self.assertIsNone(notification().stack_tag)

    def test_an_image_comes_before_the_icon(self) -> None:
        self.assertEqual(notification(icon="mail-unread").image, "mail-unread")
        self.assertEqual(notification(icon="mail-unread", image_path="/tmp/anna.png").image, "/tmp/anna.png")
        # The name of version 1.1.
        old = Notification.from_call("mail", "mail-unread", "", "", [], {"image_path": "/tmp/old.png"}, -1)
        self.assertEqual(old.image, "/tmp/old.png")
        self.assertEqual(notification(icon="mail-unread", image_path="").image, "mail-unread")
        # The pixels of `image-data` are no name.
        self.assertEqual(notification(image_data=[1, 1, 3, False, 8, 3, b"\0\0\0"]).image, "")

    def test_an_urgency_that_nobody_knows_is_normal(self) -> None:
        self.assertEqual([notification(urgency=value).urgency for value in (0, 1, 2)], list(Urgency))
        self.assertEqual(notification(urgency=7).urgency, Urgency.NORMAL)
        self.assertEqual(notification().urgency, Urgency.NORMAL)

    def test_a_text_has_no_markup(self) -> None:
        self.assertEqual(notification('From <b>Anna</b> &amp; <a href="x">Bo</a><img src="y"/>').text, "From Anna & Bo")
        for plain in ("5 < 6 & 7 > 2", "a <bold> claim", "AT&T"):
            self.assertEqual(notification(plain).text, plain)

    def test_an_action_without_a_label_is_left_out(self) -> None:
        self.assertEqual(notification(actions=["a", "A", "b"]).actions, [("a", "A")])

    def test_a_line_has_at_most_so_many_bytes_and_whole_characters(self) -> None:
        self.assertEqual(one_line("one\n two\x07", 100), "one two")
        self.assertEqual(one_line("äää", 5), "ää")


if __name__ == "__main__":
    unittest.main()
