"""The command lines of the documents against the help of the programs, the Makefile and the files of the repository."""

import json
import re
import shlex
import subprocess
from functools import cache

from blocks import ROOT
from session import BIN, Wrong, parsed

PROGRAMS = ("popup-broker", "popupctl", "terminal-renderer", "line-producer", "replay-producer")


@cache
def help_of(program):
    done = subprocess.run(
        [BIN / program, "--experimental-dump-help"], capture_output=True, text=True, timeout=20, check=True)
    return json.loads(done.stdout)["command"]


def options(command):
    """Returns the options that a command has, and of these the ones that take a value."""
    every, valued = set(), set()
    for argument in command.get("arguments", []):
        for name in argument.get("names") or []:
            word = ("-" if name["kind"] == "short" else "--") + name["name"]
            every.add(word)
            if argument["kind"] == "option":
                valued.add(word)
    return every, valued


def check_program(words):
    """Compares the options of a command line with those that the program has."""
    command, name = help_of(words[0]), words[0]
    rest = words[1:]
    while rest and (found := [one for one in command.get("subcommands", []) if one["commandName"] == rest[0]]):
        command, name, rest = found[0], f"{name} {rest[0]}", rest[1:]
    has_commands = any(one["commandName"] != "help" for one in command.get("subcommands", []))
    if has_commands and not any(word.startswith("-") for word in rest):
        raise Wrong(f"`{' '.join(words)}`: `{name}` has no such command")
    every, valued = options(command)
    position = 0
    while position < len(rest):
        word = rest[position].split("=", 1)[0]
        if word == "--":
            return
        if re.match(r"--?[a-z]", word):
            if word not in every:
                raise Wrong(f"`{' '.join(words)}`: `{name}` has no option `{word}`")
            if word in valued and "=" not in rest[position]:
                position += 1
        position += 1


def check_make(words):
    makefile = (ROOT / "Makefile").read_text()
    for word in words[1:]:
        variable, _, _ = word.partition("=")
        if "=" in word:
            if f"$({variable})" not in makefile:
                raise Wrong(f"`{' '.join(words)}`: the Makefile reads no variable `{variable}`")
        elif not re.search(rf"^{re.escape(word)}:", makefile, re.M):
            raise Wrong(f"`{' '.join(words)}`: the Makefile has no target `{word}`")


def check(block):
    """Checks each simple command of a block; the shell checks the syntax of all of it."""
    text = "\n".join(command for command, _ in parsed(block))
    syntax = subprocess.run(["bash", "-n", "-c", text], capture_output=True, text=True, timeout=20)
    if syntax.returncode != 0:
        raise Wrong(syntax.stderr)
    text = re.sub(r"<<END\n.*?^END$", "", text, flags=re.M | re.S)
    for line in text.splitlines():
        # The command in `$(…)` is a command of its own. `2>&1` is not a command.
        line = re.sub(r"\$\((.*?)\)", r"; \1 ;", re.sub(r"\d>&\d", "", line))
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>()")
        lexer.whitespace_split = True
        command = []
        try:
            tokens = [*lexer, ";"]
        except ValueError as fault:
            raise Wrong(f"`{line}`: {fault}") from fault
        for token in tokens:
            if not token or set(token) - set("|&;()<>"):
                command.append(token)
            elif not set(token) & set("<>"):
                check_command(command)
                command = []


def check_command(words):
    while words and re.match(r"[A-Za-z_]+=", words[0]):
        words = words[1:]
    if words[:1] == ["do"]:
        words = words[1:]
    if not words:
        return
    if words[0] in PROGRAMS:
        check_program(words)
    elif words[0] == "make":
        check_make(words)
    elif words[0].startswith(("Scripts/", "Benchmarks/")) and not (ROOT / words[0]).is_file():
        raise Wrong(f"there is no file {words[0]}")
    elif words[:2] == ["swift", "build"] and "--product" in words:
        product = words[words.index("--product") + 1]
        package = words[words.index("--package-path") + 1] if "--package-path" in words else "."
        if f'"{product}"' not in (ROOT / package / "Package.swift").read_text():
            raise Wrong(f"the package `{package}` has no product {product}")
