"""The bridge and the display against a real session bus, notify-send and dunst on a screen of memory."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from popupbroker import Admin, DisplayedPopup, Explanation, Popup, Renderer
from tests.broker import Broker
from tests.program import LIMIT, Program

PROGRAMS = ("dbus-daemon", "notify-send", "dunst", "Xvfb", "gdbus")
MISSING = [program for program in PROGRAMS if shutil.which(program) is None]
if importlib.util.find_spec("dbus_fast") is None:
    MISSING.append("dbus-fast")
WITH_TWO_NOTIFICATIONS = """
from popupbroker.desktop import __main__, _bridge
_bridge.MAX_LIVE = 2
__main__.main()
"""
"""The command with another limit."""
# A session bus that starts no service by itself.
BUS = """
<busconfig>
  <type>session</type>
  <listen>unix:path={path}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


def wait_for(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {LIMIT} s: {what}")
        time.sleep(0.02)


@unittest.skipIf(MISSING, f"not installed: {', '.join(MISSING)}")
class DesktopTests(unittest.TestCase):
    def setUp(self) -> None:
        self.broker = self.enterContext(Broker())
        self.admin = self.enterContext(Admin(**self.broker.endpoints))
        self.directory = tempfile.mkdtemp(prefix="popup-desktop-")
        self.addCleanup(shutil.rmtree, self.directory)
        self.environment = {
            **os.environ,
            "POPUP_BROKER_INGRESS": self.broker.ingress,
            "POPUP_BROKER_EGRESS": self.broker.egress,
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.directory}/bus",
            "HOME": self.directory,
        }
        Path(f"{self.directory}/bus.conf").write_text(BUS.format(path=f"{self.directory}/bus"))
        self.start("dbus-daemon", f"--config-file={self.directory}/bus.conf", "--nofork")
        wait_for(lambda: os.path.exists(f"{self.directory}/bus"), "a session bus")

    def start(self, *arguments: str, until: str | None = None) -> Program:
        """Starts a program that ends with the test, and waits for a line of its output."""
        program = Program(*arguments, environment=self.environment)
        self.addCleanup(program.kill)
        if until is not None:
            program.line(until)
        return program

    def bridge(self, *arguments: str) -> Program:
        command = [sys.executable, "-m", "popupbroker.desktop", "bridge", *arguments]
        return self.start(*command, until="popup-desktop ready")

    def notify(self, *arguments: str) -> str:
        return subprocess.run(
            ["notify-send", *arguments], env=self.environment, check=True, capture_output=True, text=True, timeout=LIMIT
        ).stdout.strip()

    def active(self, group: str = "desktop") -> Explanation | None:
        popups = [popup for popup in self.admin.peek(group) if popup.phase == "ACTIVE"]
        return self.admin.explain(popups[0].id) if popups else None

    def popup(self, group: str = "desktop") -> Popup | None:
        with Renderer(self.admin.connection, reports=False) as renderer:
            return next(renderer.states(group)).popup

    def text(self, group: str = "desktop") -> str | None:
        popup = self.popup(group)
        return popup.text if popup else None

    def monitor(self) -> Program:
        """The signals of the notification service, a line each."""
        monitor = self.start(
            "gdbus", "monitor", "--session", "--dest", "org.freedesktop.Notifications", until="is owned by"
        )
        return monitor

    def test_a_notification_is_a_popup(self) -> None:
        self.bridge()
        id = self.notify("--print-id", "--urgency=critical", "--app-name=mail", "New mail", "From <b>Anna</b> &amp; Bo")
        self.assertEqual(id, "1")
        wait_for(self.active, "a popup")
        popup = self.popup()
        assert popup is not None
        self.assertEqual((popup.title, popup.text, popup.priority), ("New mail", "From Anna & Bo", 9))
        self.assertEqual(popup.fields["presentation"]["style"], "error")

    def test_urgency_decides_which_is_shown(self) -> None:
        self.bridge("--priorities", "1,2,3", "--group", "desktop/{app}")
        for urgency in ("low", "critical", "normal"):
            self.notify("--app-name=My App", f"--urgency={urgency}", urgency, urgency)
        wait_for(lambda: self.text("desktop/My-App") == "critical", "the critical one")
        wait_for(lambda: self.admin.count(group="desktop/My-App") == 3, "three popups")

    def test_a_notification_that_replaces_another_updates_its_popup(self) -> None:
        self.bridge()
        id = self.notify("--print-id", "Copying", "10 %")
        wait_for(lambda: self.text() == "10 %", "the first text")
        self.assertEqual(self.notify("--print-id", f"--replace-id={id}", "Copying", "90 %"), id)
        wait_for(lambda: self.text() == "90 %", "the second text")
        self.assertEqual(self.admin.count(group="desktop"), 1)

    def test_a_notification_that_is_replaced_twice_after_its_end_is_one(self) -> None:
        bridge = self.bridge("--timeout-ms", "100")
        id = self.notify("--print-id", "Volume", "10 %")
        wait_for(lambda: self.admin.count(group="desktop") == 0, "its end")
        sends = [
            self.start("notify-send", f"--replace-id={id}", "--urgency=critical", "Volume", text)
            for text in ("20 %", "30 %", "40 %")
        ]
        for send in sends:
            self.assertEqual(send.status(), 0)
        wait_for(lambda: self.admin.count(group="desktop") == 1, "one popup")
        self.admin.clear(group="desktop")
        wait_for(lambda: self.admin.count(group="desktop") == 0, "its end")
        self.notify("Still here", "Yes")
        self.assertTrue(bridge.is_running())

    def test_a_stack_tag_is_a_collapse_key(self) -> None:
        self.bridge()
        for hint, tag in (("x-canonical-private-synchronous", "volume"), ("x-dunst-stack-tag", "light")):
            for percent in ("10 %", "90 %"):
                self.notify(f"--hint=string:{hint}:{tag}", tag, percent)
            wait_for(lambda tag=tag: self.excerpts(tag) == ["90 %"], f"the newest of {tag}, alone")  # type: ignore[misc]
        self.assertEqual(self.admin.count(group="desktop"), 2)

    def test_an_icon_is_the_icon_of_the_popup_and_an_image_comes_before_it(self) -> None:
        self.bridge("--group", "desktop/{app}")
        self.notify("--app-name=mail", "--icon=mail-unread", "Title", "Body")
        self.notify("--app-name=chat", "--icon=mail-unread", "--hint=string:image-path:/tmp/anna.png", "Title", "Body")
        for group, icon in (("desktop/mail", "mail-unread"), ("desktop/chat", "/tmp/anna.png")):
            wait_for(lambda group=group: self.active(group), f"a popup of {group}")  # type: ignore[misc]
            popup = self.popup(group)
            assert popup is not None
            self.assertEqual(popup.fields["presentation"]["icon"], icon)

    def test_one_more_notification_than_the_limit_is_an_error_of_its_program(self) -> None:
        self.start(sys.executable, "-c", WITH_TWO_NOTIFICATIONS, "bridge", until="popup-desktop ready")
        ids = [self.notify("--print-id", "Title", "Body") for _ in range(2)]
        wait_for(lambda: self.admin.count(group="desktop") == 2, "two popups")
        with self.assertRaises(subprocess.CalledProcessError) as caught:
            self.notify("Title", "Body")
        self.assertIn("2 notifications are open", caught.exception.stderr)
        # One that replaces another is none more, and there is room again when one has closed.
        self.assertEqual(self.notify("--print-id", f"--replace-id={ids[0]}", "Title", "Newer"), ids[0])
        monitor = self.monitor()
        self.admin.clear(group="desktop")
        for _ in ids:
            monitor.line("NotificationClosed")
        self.notify("Title", "Body")

    def test_a_notification_that_the_broker_refuses_ends_for_an_undefined_reason(self) -> None:
        self.bridge()
        monitor = self.monitor()
        id = self.notify("--print-id", "Title", "x" * 65_537)
        self.assertIn(f"NotificationClosed (uint32 {id}, uint32 4)", monitor.line("NotificationClosed"))
        self.assertEqual(self.admin.count(group="desktop"), 0)

    def test_an_action_goes_back_to_the_program(self) -> None:
        self.bridge()
        waiting = self.start("notify-send", "--action=reply=Reply", "--action=later=Later", "Call", "Ms Okubo calls")
        with Renderer(self.admin.connection) as renderer:
            state = next(state for state in renderer.states("desktop") if state.popup)
            assert state.popup is not None
            self.assertEqual([action.label for action in state.popup.actions], ["Reply", "Later"])
            renderer.dismiss(state, "later")
        self.assertEqual(waiting.line("."), "later")
        self.assertEqual(waiting.status(), 0)

    def test_the_reasons_of_an_end(self) -> None:
        self.bridge()
        monitor = self.monitor()

        def show() -> str:
            id = self.notify("--print-id", "Title", "Body")
            wait_for(self.active, "a popup")
            return id

        def closed(id: str, reason: int) -> None:
            self.assertIn(f"NotificationClosed (uint32 {id}, uint32 {reason})", monitor.line("NotificationClosed"))

        id = self.notify("--print-id", "--expire-time=100", "Title", "Body")
        closed(id, 1)
        id = show()
        with Renderer(self.admin.connection) as renderer:
            renderer.dismiss(next(state for state in renderer.states("desktop") if state.popup))
        closed(id, 2)
        id = show()
        self.call("CloseNotification", id)
        closed(id, 3)
        id = show()
        self.admin.clear(group="desktop")
        closed(id, 4)

    def test_what_closes_while_the_broker_is_away_is_told(self) -> None:
        self.bridge()
        monitor = self.monitor()
        id = self.notify("--print-id", "--expire-time=300", "Title", "Body")
        wait_for(self.active, "a popup")
        self.broker.kill()
        time.sleep(0.5)  # Its time ends while no broker runs.
        self.broker.start()
        self.assertIn(f"NotificationClosed (uint32 {id}, uint32 1)", monitor.line("NotificationClosed"))

    def test_a_second_service_says_so(self) -> None:
        self.bridge()
        second = subprocess.run(
            [sys.executable, "-m", "popupbroker.desktop", "bridge"],
            check=False,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
        self.assertEqual(second.returncode, 69)
        self.assertIn("another program is the notification service", second.stderr)

    def test_popups_are_notifications_of_dunst(self) -> None:
        self.screen()
        self.dunst()
        self.start(sys.executable, "-m", "popupbroker.desktop", "show", "lobby", "--name", "dunst-1")
        id = self.admin.show(
            "lobby",
            "Ms Okubo is at the desk.",
            priority=9,
            actions=[{"id": "come", "label": "I come"}],
            presentation={"title": "Visitor"},
        )
        wait_for(lambda: self.on_screen() == 1, "a notification of dunst")
        self.screenshot("desktop-visitor.png")
        self.admin.update(id, text="Ms Okubo is waiting.")
        self.dunstctl("action", "0")
        wait_for(lambda: self.admin.explain(id).phase == "CLOSED", "the action")
        self.assertEqual(self.admin.explain(id).fields["closed"]["action"], "come")
        # What the user closes is dismissed; what the broker closes disappears.
        id = self.admin.show("lobby", "Closed by the user")
        wait_for(lambda: self.on_screen() == 1, "a second notification")
        self.dunstctl("close-all")
        wait_for(lambda: self.admin.explain(id).phase == "CLOSED", "the dismissal")
        id = self.admin.show("lobby", "Closed by the broker")
        wait_for(lambda: self.on_screen() == 1, "a third notification")
        self.admin.cancel(id)
        wait_for(lambda: self.on_screen() == 0, "an empty screen")

    def test_popups_come_back_when_dunst_does(self) -> None:
        self.screen()
        dunst = self.dunst()
        self.start(sys.executable, "-m", "popupbroker.desktop", "show", "lobby")
        self.admin.show("lobby", "Hello")
        wait_for(lambda: self.on_screen() == 1, "a notification")
        dunst.kill()
        self.dunst()
        wait_for(lambda: self.on_screen() == 1, "the notification again")

    def test_a_text_is_no_markup_whatever_the_service_makes_of_it(self) -> None:
        text, escaped = "a < b & <b>c</b>", "a &lt; b &amp; &lt;b&gt;c&lt;/b&gt;"
        service = self.service("body,body-markup")
        self.display()
        self.admin.show("lobby", text, presentation={"title": "<i>5 < 6</i>"})
        # Only a body has markup.
        self.assertEqual(self.shown(service), {"shown": 1, "title": "<i>5 < 6</i>", "body": escaped})
        # Another service is asked again.
        for capabilities, body in (("body,actions", text), ("body-markup", escaped)):
            service.kill()
            service = self.service(capabilities)
            self.assertEqual(self.shown(service)["body"], body)

    def test_a_notification_that_the_service_ends_is_shown_again(self) -> None:
        for reason in ("1", "4"):
            service = self.service("body", "1", reason)
            display = self.display(f"lobby/{reason}")
            id = self.admin.show(f"lobby/{reason}", "Hello")
            self.assertEqual([self.shown(service)["shown"] for _ in range(2)], [1, 2])
            wait_for(lambda: [popup.visible for popup in self.displayed()] == [True], "a report")
            self.assertEqual(self.admin.explain(id).phase, "ACTIVE")
            # The broker ends it, and so the notification that is there now.
            self.admin.cancel(id)
            self.assertEqual(json.loads(service.line("closed")), {"closed": 2})
            service.kill()
            display.kill()

    def test_a_notification_that_the_service_ends_each_time_is_hidden(self) -> None:
        service = self.service("body", "4", "1")
        self.display()
        id = self.admin.show("lobby", "Hello")
        self.assertEqual([self.shown(service)["shown"] for _ in range(4)], [1, 2, 3, 4])
        wait_for(lambda: [popup.visible for popup in self.displayed()] == [False], "that it is hidden")
        self.assertEqual(self.admin.explain(id).phase, "ACTIVE")
        # A new content is shown, by the first call after the four.
        self.admin.update(id, text="News")
        self.assertEqual(self.shown(service), {"shown": 5, "title": "News", "body": ""})
        wait_for(lambda: [popup.visible for popup in self.displayed()] == [True], "that it is visible")

    def test_without_a_service_nothing_is_displayed(self) -> None:
        self.display()
        self.admin.set_policy("lobby", display_timeout_ms=300, undisplayed="CLOSE")
        id = self.admin.show("lobby", "Nobody sees this.")
        wait_for(lambda: self.admin.explain(id).phase == "CLOSED", "its end")
        closed = self.admin.explain(id).closed
        assert closed is not None
        self.assertEqual(closed.reason, "UNDISPLAYED")
        self.admin.unset_policy("lobby")
        # One that was there is hidden until another service is there.
        service = self.service("body")
        self.admin.show("lobby", "Hello")
        wait_for(lambda: [popup.visible for popup in self.displayed()] == [True], "that it is visible")
        service.kill()
        wait_for(lambda: [popup.visible for popup in self.displayed()] == [False], "that it is hidden")
        self.service("body")
        wait_for(lambda: [popup.visible for popup in self.displayed()] == [True], "that it is visible again")

    def test_what_is_on_the_screen_is_reported_again_after_a_restart_of_the_broker(self) -> None:
        service = self.service("body")
        self.display()
        self.admin.set_policy("lobby", clock="VISIBLE")
        id = self.admin.show("lobby", "Hello", duration_ms=60_000)
        self.shown(service)
        self.admin.update(id, duration_ms=3000)
        wait_for(lambda: self.reports() == 2, "a report of the popup as it is now")
        self.broker.kill()
        self.broker.start()
        # Its display time goes on only while a renderer says that it is visible.
        wait_for(lambda: self.admin.explain(id).phase == "CLOSED", "its end")

    def service(self, *arguments: str) -> Program:
        """Starts a notification service that writes what it shows."""
        return self.start(sys.executable, "-m", "tests.notification_service", *arguments, until="ready")

    def shown(self, service: Program) -> dict[str, Any]:
        """What the service shows next."""
        shown: dict[str, Any] = json.loads(service.line("shown"))
        return shown

    def display(self, group: str = "lobby") -> Program:
        """Starts a renderer of notifications, and waits until it follows the group."""
        name = f"display-{group.replace('/', '-')}"
        display = self.start(sys.executable, "-m", "popupbroker.desktop", "show", group, "--name", name)
        wait_for(lambda: name in [renderer.client for renderer in self.admin.renderers(group)], "a renderer")
        return display

    def displayed(self) -> list[DisplayedPopup]:
        """What the renderers display, as they reported."""
        return [popup for renderer in self.admin.renderers() for popup in renderer.displays]

    def reports(self) -> int:
        """How many reports of renderers the broker has received."""
        return sum(count.count for count in self.admin.stats().commands_by_kind if count.kind == "report")

    def excerpts(self, collapse_key: str) -> list[str]:
        return [popup.excerpt for popup in self.admin.list(collapse_key=collapse_key)]

    def screen(self) -> None:
        """Starts an X server of memory."""
        self.environment["DISPLAY"] = self.read_display()

    def read_display(self) -> str:
        server = self.start("Xvfb", "-displayfd", "1", "-screen", "0", "800x300x24", "-nolisten", "tcp")
        return ":" + server.line(r"^\d+$")

    def dunst(self) -> Program:
        dunst = self.start("dunst")
        wait_for(lambda: self.on_screen() is not None, "dunst")
        return dunst

    def on_screen(self) -> int | None:
        """How many notifications dunst displays; none: it does not run."""
        out = self.dunstctl("count", "displayed")
        return int(out) if out.isdigit() else None

    def dunstctl(self, *arguments: str) -> str:
        return subprocess.run(
            ["dunstctl", *arguments], check=False, env=self.environment, capture_output=True, text=True, timeout=LIMIT
        ).stdout.strip()

    def screenshot(self, name: str) -> None:
        """Takes a picture of what is on the screen, if somebody wants to look at it."""
        if folder := os.environ.get("SCREENSHOTS"):
            time.sleep(0.5)  # dunst draws after it counts.
            path = Path(folder) / name
            subprocess.run(["import", "-window", "root", str(path)], env=self.environment, check=True, timeout=LIMIT)
            # Only what is not the empty screen.
            trim = ["-trim", "+repage", "-bordercolor", "black", "-border", "12", "-strip"]
            subprocess.run(["convert", str(path), *trim, str(path)], check=True, timeout=LIMIT)

    def call(self, member: str, id: str) -> None:
        subprocess.run(
            ["gdbus", "call", "--session", "--dest=org.freedesktop.Notifications"]
            + ["--object-path=/org/freedesktop/Notifications"]
            + [f"--method=org.freedesktop.Notifications.{member}", id],
            env=self.environment,
            check=True,
            capture_output=True,
            timeout=LIMIT,
        )


if __name__ == "__main__":
    unittest.main()
