"""A broker for the commands of one chapter, and the shell that runs them."""

import difflib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

from blocks import ROOT
from listed import BEFORE, ENDLESS, FILES, MOVED

BIN = Path(os.environ.get("BIN", ROOT / ".build/debug")).resolve()
PATIENCE_SECONDS = 90
# Most of what a program may say; the rest is cut off.
MOST_OUTPUT = 1 << 20


class Wrong(Exception):
    """What does not hold of a block."""


class Session:
    """A directory with a broker, whose endpoints are in the environment of what is run there."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        if not (folder / "Examples").exists():
            (folder / "Examples").symlink_to(ROOT / "Examples")
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("POPUP_")} | {
            "PATH": f"{BIN}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "python/src"), "ROOT": str(ROOT),
            "TERM": "dumb",
        }
        self.broker = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def endpoints(self, name):
        """Returns the variables of a broker of its own."""
        return {
            "POPUP_BROKER_INGRESS": f"ipc://{self.folder}/{name}.in", "POPUP_BROKER_EGRESS": f"ipc://{self.folder}/{name}.out",
            "POPUP_BROKER_JOURNAL_DIRECTORY": str(self.folder / f"{name}.data"),
        }

    def start(self):
        if self.broker is not None:
            return
        name = f"broker-{time.monotonic_ns()}"
        self.environment |= self.endpoints(name)
        log = open(self.folder / f"{name}.log", "wb")
        self.broker = subprocess.Popen(
            [BIN / "popup-broker", "run"], env=self.environment, cwd=self.folder, stdout=subprocess.PIPE, stderr=log, text=True)
        if "ready" not in self.broker.stdout.readline():
            raise Wrong("the broker does not get ready:\n" + (self.folder / f"{name}.log").read_text())

    def stop(self):
        if self.broker is None:
            return
        self.broker.terminate()
        try:
            self.broker.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.broker.kill()
            self.broker.wait()
        self.broker.stdout.close()
        self.broker = None

    def run(self, block):
        """Runs the commands of a block one by one, and compares what is printed where the block says it."""
        moved = block.text
        for path, own in MOVED.items():
            moved = moved.replace(path, own)
        commands = parsed(replace(block, text=moved))
        if "| jq " in moved and shutil.which("jq") is None:
            print(f"snippets: {block.place}: not run: jq is not installed", file=sys.stderr)
            return
        own_broker = "popup-broker run" in block.text
        if own_broker:
            self.stop()
            environment = self.environment | self.endpoints("own")
        else:
            self.start()
            environment = self.environment
        script = ["set -eu", BEFORE.get(block.key, "")]
        for number, (command, output) in enumerate(commands):
            if match := re.fullmatch(r"cat (\S+)", command):
                (self.folder / match[1]).write_text("\n".join(output) + "\n")
            # One line before what it prints, by which the outputs are told apart.
            script.append(f"echo '\x1e{number}'\n" + (interrupted(command) if endless(command) else command))
        asks = re.search(r"--(wait|expect|print-action)\b", block.text) and re.search(r"--action (\w+)", block.text)
        printed = self.shell("\n".join(script) + "\n", environment, answer=asks and asks[1])
        parts = dict(re.findall(r"\x1e(\d+)\n(.*?)(?=\x1e|\Z)", printed, re.S))
        for number, (command, output) in enumerate(commands):
            if not output:
                continue
            found = parts.get(str(number), "").splitlines()
            if not same(output, found):
                difference = "\n".join(difflib.unified_diff(output, found, "document", "program", lineterm="", n=1))
                raise Wrong(f"`{command}` prints something else:\n{difference}")

    def shell(self, script, environment, answer=None):
        """Runs a script in a process group of its own, which is ended with it; returns what it printed."""
        path = self.folder / "output"
        with open(path, "wb") as output:
            shell = subprocess.Popen(
                ["bash", "-c", script], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True)
            done = threading.Event()
            user = threading.Thread(target=self.be_user, args=(environment, answer, done))
            if answer:
                user.start()
            try:
                status = shell.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                done.set()
                if answer:
                    user.join()
                try:
                    os.killpg(shell.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                shell.wait()
        printed = path.read_bytes()[:MOST_OUTPUT].decode(errors="replace")
        if status is None:
            raise Wrong(f"is not over after {PATIENCE_SECONDS} s; it printed:\n{printed}")
        if status != 0:
            raise Wrong(f"ends with {status}:\n{printed}")
        return printed

    def be_user(self, environment, action, done):
        """Answers what the screen of the lobby asks, until it is done."""
        while not done.wait(0.2):
            peek = subprocess.run(
                [BIN / "popupctl", "peek", "lobby", "--json"], env=environment, capture_output=True, text=True,
                timeout=PATIENCE_SECONDS)
            popups = json.loads(peek.stdout)["popups"] if peek.returncode == 0 else []
            for popup in popups[:1]:
                subprocess.run(
                    [BIN / "popupctl", "dismiss", popup["id"], action], env=environment, capture_output=True,
                    timeout=PATIENCE_SECONDS)

    def python(self, block):
        """Runs a program until it ends; that of a screen until it has shown and answered what it should."""
        self.start()
        text = block.text.replace("tcp://127.0.0.1:5570", self.environment["POPUP_BROKER_INGRESS"])
        text = text.replace("tcp://127.0.0.1:5571", self.environment["POPUP_BROKER_EGRESS"])
        if "input(" not in text:
            (self.folder / "program.py").write_text(text)
            self.shell(f"set -eu\n{shlex.quote(sys.executable)} -B -W error program.py", self.environment)
            return
        # The name of the one group begins with that of the other.
        self.screen(text, "lobby", "lobby/left")
        below = text.replace("state+json/lobby/", "state+json/lobby/left/").replace('states("lobby")', 'states("lobby/left")')
        if below == text:
            raise Wrong("follows no group that this check knows")
        self.screen(below, "lobby/left", "lobby")

    def screen(self, text, group, other):
        """Runs the program of a screen. It shows its group's question, gives the user's answer, and shows what comes next,
        while another group is at a later revision. It shows that one only if it follows the groups below its own."""
        (self.folder / "program.py").write_text(text)
        question = f"asked-{time.monotonic_ns()}"
        script = (
            "set -eu\npopupctl clear '*'\n"
            f"popupctl show --group {other} --id {question}-other 'version 0 of {other}'\n"
            f"for number in 1 2 3 4; do popupctl update {question}-other \"version $number of {other}\"; done\n"
            f"popupctl show --group {group} --id {question} --action fetch 'question for {group}'\n"
            # In the foreground, so in the group that ends with the script: a screen that lived on would write into the next one's.
            f"printf 'fetch\\n' | timeout --foreground --signal=KILL {PATIENCE_SECONDS}"
            f" {shlex.quote(sys.executable)} -u -B -W error program.py >screen 2>&1 &\n"
            f"until popupctl explain {question} | grep -q 'DISMISSED fetch'; do sleep 0.2; done\n"
            f"popupctl show --group {group} --id {question}-told 'told to {group}'\n"
            f"until grep -q '{group} told' screen; do sleep 0.2; done\n")
        printed = self.folder / "screen"
        printed.write_text("")
        try:
            self.shell(script, self.environment)
        except Wrong as wrong:
            raise Wrong(f"{wrong}\nand the screen shows of {group} and {other}:\n{printed.read_text()}") from None
        # A question stands before what is shown next; a list of actions may follow it.
        lines = re.sub(r"^.*\? | \[.*\]$", "", printed.read_text(), flags=re.M).splitlines()
        wanted = {f"{group} question for {group}", f"{group} told to {group}"}
        if "state+json/" in text and other.startswith(f"{group}/"):
            wanted.add(f"{other} version 4 of {other}")
        if set(lines) - {f"{group} -"} != wanted:
            raise Wrong(f"shows of {group} and {other}:\n{printed.read_text()}")

    def json(self, block):
        """Gives the commands to the simulation, and keeps them in the file that the text names."""
        path = self.folder / FILES.get(block.key, "lines.jsonl")
        path.write_text(block.text)
        done = subprocess.run(
            [BIN / "popup-broker", "simulate", path], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
        if done.returncode != 0:
            raise Wrong(done.stderr)
        return done.stdout

    def yaml(self, block):
        """Lets the broker check a configuration."""
        path = self.folder / "block.yaml"
        path.write_text(block.text)
        self.shell("set -eu\n" + BEFORE.get(block.key, ""), self.environment)
        done = subprocess.run(
            [BIN / "popup-broker", "check-config", path], env=self.environment, capture_output=True, text=True,
            timeout=PATIENCE_SECONDS)
        if done.returncode != 0:
            raise Wrong(done.stdout + done.stderr)


def parsed(block):
    """Returns the commands of a block, each with the lines that it prints according to the block."""
    lines = re.sub(r"\\\n +", "", block.text).splitlines()
    if block.language == "sh":
        return [(line, []) for line in lines]
    commands = []
    for line in lines:
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands:
            commands[-1][1].append(line)
        else:
            raise Wrong("begins with no command after `$ `")
    return commands


def endless(command):
    return command.startswith(ENDLESS) and not command.rstrip().endswith("&") and "broker=$!" not in command


def interrupted(command):
    """Returns a command that ends with 0 if the program had to be interrupted."""
    return f"status=0; timeout --signal=INT 1 {command} || status=$?; [ $status -eq 124 ]"


def same(expected, found):
    """Whether the lines are the same, where `…` stands for anything."""
    def matches(pattern, line):
        return re.fullmatch(".*".join(map(re.escape, pattern.split("…"))), line) is not None
    return len(expected) == len(found) and all(map(matches, expected, found))
