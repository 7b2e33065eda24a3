"""A real Chromium in front of a real gateway. Tests wait for conditions in the page, never for a time."""

import os
import re
import sys
import tempfile
import unittest
import urllib.parse

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Processes"))

from programs import ask, broker, gateway  # noqa: E402

DEADLINE = 30
RIGHTS = "show update dismiss watch render events query control".split()
TOKENS = {
    "all": {right: ["*"] for right in RIGHTS}, "reader": {"watch": ["*"], "query": ["*"]},
    "asker": {"query": ["*"]}, "demo": {"watch": ["demo/*"], "query": ["demo/*"]},
}

# What each page has before its own scripts: the requests it makes, and short ways to what it shows.
HELPERS = """
window.sent = [];
const realFetch = window.fetch;
window.fetch = (path, options = {}) => {
    window.sent.push([options.method ?? "GET", String(path), options.body ?? ""]);
    return realFetch(path, options);
};
window.element = () => document.querySelector("popup-screen");
window.shadow = () => element()?.shadowRoot;
window.boxes = () => [...(shadow()?.querySelectorAll(".box") ?? [])].filter(box => !box.hidden);
window.box = () => boxes()[0];
window.shown = () => boxes().map(box => box.querySelector(".title").textContent).join("|");
window.button = label => [...(shadow()?.querySelectorAll("button:not([hidden])") ?? [])]
    .find(button => button.textContent === label);
window.violations = [];
document.addEventListener("securitypolicyviolation", event => window.violations.push(event.violatedDirective));
"""

# Takes away what is younger than the oldest browsers of Documentation/Gateway.md, as far as a script can.
OLDEST = """
for (const [owner, ...names] of [
    [URL, "canParse", "parse"], [AbortSignal, "any"], [Response, "json"], [Promise, "withResolvers", "try"],
    [Object, "groupBy"], [Map, "groupBy"], [Array, "fromAsync"], [ReadableStream, "from"],
    [ReadableStream.prototype, Symbol.asyncIterator, "values"],
    [Array.prototype, "findLast", "findLastIndex", "toReversed", "toSorted", "toSpliced", "with"],
    [Set.prototype, "union", "intersection", "difference", "symmetricDifference", "isSubsetOf", "isSupersetOf"],
    [String.prototype, "isWellFormed", "toWellFormed"], [HTMLDialogElement.prototype, "requestClose"],
    [Element.prototype, "checkVisibility", "setHTMLUnsafe"], [HTMLElement.prototype, "showPopover", "hidePopover"],
    [window, "Iterator", "scheduler"],
]) for (const name of names) delete owner[name];
"""


def chromium(*arguments):
    """Starts Debian's Chromium without a window."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1280,800", "--force-color-profile=srgb", *arguments):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.set_script_timeout(DEADLINE)
    driver.set_page_load_timeout(DEADLINE)
    return driver


class BrowserTests(unittest.TestCase):
    """A broker, a gateway and a browser for all tests of a class."""

    arguments = ()
    # Variables for the gateway.
    environment = {}

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.data = os.path.join(cls.directory.name, "data")
        cls.broker = broker(directory=cls.data)
        cls.addClassCleanup(lambda: cls.broker.end())
        cls.start_gateway()
        cls.addClassCleanup(lambda: cls.gateway.end())
        cls.driver = chromium(*cls.arguments)
        cls.addClassCleanup(cls.driver.quit)
        cls.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": HELPERS})

    @classmethod
    def start_gateway(cls, listen="127.0.0.1:0", **environment):
        cls.gateway = gateway(cls.broker, TOKENS, os.path.join(cls.directory.name, "tokens.yaml"), listen, env={
            "POPUP_GATEWAY_WHATIF_DATADIRECTORY": cls.data, "POPUP_GATEWAY_WHATIF_PROGRAM": os.environ["BROKER"],
            **cls.environment, **environment})
        cls.origin = f"http://127.0.0.1:{cls.gateway.port}"

    def setUp(self):
        self.group = "test/" + self.id().rpartition(".")[2].removeprefix("test_").replace("_", "-")[:50]

    def tearDown(self):
        directory = os.environ.get("SCREENSHOTS")
        if directory:
            self.driver.save_screenshot(os.path.join(directory, self.id().rpartition(".")[2] + ".png"))
        self.driver.get("about:blank")
        self.assertEqual(self.ask("POST", "/v1/clear", {"selector": {"group": "*"}})[0], 200)

    def ask(self, method, path, body=None, token="all"):
        return ask(self.gateway.port, method, path, body, token)

    def show(self, title, group=None, **fields):
        """Asks for a popup, and returns its id."""
        presentation = {"title": title, **fields.pop("presentation", {})}
        body = {"group": group or self.group, "presentation": presentation, **fields}
        status, _, answer = self.ask("POST", "/v1/popups", body)
        self.assertEqual(status, 201, answer)
        return answer["id"]

    def phase(self, popup):
        """Returns what became of a popup."""
        return self.ask("GET", "/v1/popups/" + urllib.parse.quote(popup, safe=""))[2]

    def streams(self, kind="state"):
        """Returns the number of open streams of states or events."""
        text = ask(self.gateway.admin, "GET", "/metrics")[2].decode()
        return int(re.search(rf'^popup_gateway_streams\{{kind="{kind}"\}} (\d+)$', text, re.MULTILINE)[1])

    def wait(self, condition, what):
        """Waits until a condition outside the page is true, and returns it."""
        return WebDriverWait(self.driver, DEADLINE, 0.02).until(lambda _: condition(), what)

    def new_tab(self, kind="tab"):
        """Opens a tab, which hides the one before, or a `window`, which does not, and returns its name."""
        self.driver.switch_to.new_window(kind)
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": HELPERS})
        return self.driver.current_window_handle

    def close_tabs(self, first):
        """Closes all tabs but the first."""
        for tab in self.driver.window_handles:
            if tab != first:
                self.driver.switch_to.window(tab)
                self.driver.close()
        self.driver.switch_to.window(first)

    def without_script(self, path):
        """Opens a page in a browser that runs no scripts, and returns the texts that a screen reader finds there."""
        driver = chromium("--blink-settings=scriptEnabled=false")
        self.addCleanup(driver.quit)
        driver.get(self.origin + path)
        return [node["name"] for node in self.accessible(driver) if node["role"] == "StaticText"]

    def accessible(self, driver=None):
        """Returns what a screen reader finds on the page, with role, name, description, states and all within."""
        nodes = {node["nodeId"]: node for node in
                 (driver or self.driver).execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]}

        def found(node):
            within = [item for child in node.get("childIds", []) if child in nodes for item in found(nodes[child])]
            if node["ignored"]:
                return within
            return [{
                **{field: node.get(field, {}).get("value", "") for field in ("role", "name", "description")},
                "states": {item["name"]: item["value"].get("value") for item in node.get("properties", [])},
                "within": within,
            }] + within

        return [item for node in nodes.values() if "parentId" not in node for item in found(node)]

    def before_page(self, script):
        """Has a script run before those of each page, in this test."""
        added = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        self.addCleanup(self.driver.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", added)

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def back_tab(self):
        ActionChains(self.driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()

    def overlay(self, *groups, token="all", **query):
        """Opens the overlay, and waits until it has the present states."""
        items = [("group", group) for group in groups or (self.group,)] + list(query.items())
        self.driver.get(f"{self.origin}/overlay?{urllib.parse.urlencode(items)}#token={token}")
        self.until("element().connection === 'open'")

    def run_script(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def value(self, expression, *arguments):
        return self.driver.execute_script(f"return {expression}", *arguments)

    def until(self, expression, *arguments):
        """Waits until an expression of the page is true, and returns it."""
        try:
            return WebDriverWait(self.driver, DEADLINE, 0.02).until(lambda _: self.value(expression, *arguments))
        except Exception:
            page = self.driver.execute_script("return element()?.shadowRoot.innerHTML ?? document.body.innerHTML")
            raise AssertionError(f"`{expression}` does not come true: {page[-3000:]}") from None

    def dismissals(self):
        return self.value("sent.filter(([method, path]) => path.includes('/dismiss'))")

    def past_guard(self):
        """Waits until a box takes clicks."""
        self.driver.execute_async_script("setTimeout(arguments[0], 450)")

    def click(self, label):
        self.until("button(arguments[0]) && !button(arguments[0]).disabled", label)
        self.past_guard()
        self.value("button(arguments[0])", label).click()
