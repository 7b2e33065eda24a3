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
PATIENCE_SECONDS = 20
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
        """Runs a program until it ends or waits for a user; its question is answered with the first action."""
        self.start()
        text = block.text.replace("tcp://127.0.0.1:5570", self.environment["POPUP_BROKER_INGRESS"])
        text = text.replace("tcp://127.0.0.1:5571", self.environment["POPUP_BROKER_EGRESS"])
        (self.folder / "program.py").write_text(text)
        asks = "input(" in text
        command = f"{shlex.quote(sys.executable)} -B -W error program.py"
        if asks:
            # The program of a screen: it shows a popup, takes the answer, and goes on until it is interrupted.
            command = (
                "popupctl show --group lobby --id asked --action fetch x\n"
                f"printf 'fetch\\n' | timeout --signal=KILL {PATIENCE_SECONDS} {command} & screen=$!\n"
                f"for turn in $(seq {PATIENCE_SECONDS * 5}); do\n"
                "  if popupctl explain asked | grep -q 'DISMISSED'; then exit 0; fi\n  sleep 0.2\ndone\nexit 1\n")
        self.shell("set -eu\n" + command, self.environment)

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
