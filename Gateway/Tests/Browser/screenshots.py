"""Takes the pictures of Documentation/Gateway.md: BROKER and GATEWAY name the programs, the argument the folder."""

import os
import sys

from browser import BrowserTests

YES_NO = [{"id": "coming", "label": "Coming"}, {"id": "later", "label": "Later"}]


class Pictures(BrowserTests):
    """The pages with popups that stay as they are while a picture is taken."""

    def take(self, name):
        self.until("!element() || boxes().every(box => box.getAnimations().every(a => a.playState === 'finished'))")
        self.driver.save_screenshot(os.path.join(sys.argv[1], name))

    def overlay_pictures(self):
        self.overlay("top", "lobby", "build", "modal", mode="render", theme="light")
        self.run_script("document.body.style.background = '#c9d5e3'")
        self.show("Fire drill at 15:00", "top", text="Please use the stairs.", durationMs=3_600_000,
                  presentation={"scene": "TOP_BAR", "style": "warning"})
        self.show("A visitor for you", "lobby", text="Ms Ōkubo is at the desk.", actions=YES_NO, durationMs=30_000,
                  presentation={"style": "info", "countdown": True})
        self.show("Build succeeded", "build", text="main, 3 min 12 s", presentation={"style": "success"})
        self.until("boxes().length === 3")
        self.take("gateway-overlay.png")
        self.run_script("element().setAttribute('theme', 'dark')")
        self.show("Delete the recording?", "modal", text="It cannot be brought back.",
                  actions=[{"id": "delete", "label": "Delete"}, {"id": "keep", "label": "Keep"}],
                  presentation={"scene": "CENTER", "backdrop": True, "style": "error"})
        self.until("boxes().length === 4")
        self.take("gateway-modal.png")

    def dashboard_picture(self):
        self.ask("POST", "/v1/clear", {"selector": {"group": "*"}})
        self.show("A visitor for you", "lobby", id="visitor-12", text="Ms Ōkubo is at the desk.", durationMs=30_000)
        self.show("The canteen is open until 14:00", "lobby")
        for truck, style in ((4, ""), (7, "warning")):
            self.show("Lyon, 12 pallets", f"freight/truck-{truck}/offers", durationMs=(truck + 3) * 60_000,
                      presentation={"style": style})
        self.driver.get(f"{self.origin}/#token=all")
        row = "[...groups.tBodies[0].rows].find(row => row.cells[0].textContent === 'lobby')"
        self.until(row)
        self.run_script(f"{row}.querySelector('button').click()")
        waiting = "[...queue.tBodies[0].rows].find(row => row.cells[1].textContent === 'waiting')"
        self.until(waiting)
        self.run_script(f"{waiting}.querySelector('button').click()")
        self.until("!why.hidden")
        self.run_script("scrollTo(0, 0); document.activeElement.blur()")
        self.driver.set_window_size(1000, 1040)
        # The styles of popups come by the stream.
        self.until("numbers.children.length && policy.children.length"
                   " && document.querySelector('[data-style=warning]')")
        self.take("gateway-dashboard.png")


def main():
    Pictures.setUpClass()
    try:
        pictures = Pictures("overlay_pictures")
        Pictures.driver.set_window_size(1000, 640)
        pictures.overlay_pictures()
        pictures.dashboard_picture()
    finally:
        Pictures.doClassCleanups()


main()
