#!/usr/bin/env python3
"""Tries each block of code in the README, in the pages of Documentation, and in the comments of public declarations.

    BIN=.build/debug python3 -B Tests/Snippets [PAGE…]

- `sh`, `console`: the options of every command are those of the program; what listed.py does not except is run with a
  broker, and prints what the block says.
- `swift`: compiles.
- `python`: compiles, and what listed.py does not except runs.
- `yaml`: is a configuration without mistakes. `json`, `jsonl`: are commands that `popup-broker simulate` takes, or the
  events that follow from the block of commands before it.
- `text`, `abnf`, `html`: are not tried. Every block has a language.

Ends with 0 when all of that holds."""

import re
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

import command_lines
import swift
from blocks import blocks, comment_blocks
from listed import BEFORE, FILES, NOT_RUN, SWIFT_BEFORE
from session import Session, Wrong

TRIED = ("sh", "console", "swift", "python", "yaml", "json", "jsonl")
NOT_TRIED = ("text", "abnf", "css", "html", "js")


def attempt(session, block, state):
    """Tries a block; throws what is wrong with it."""
    if block.language in ("sh", "console"):
        command_lines.check(block)
    elif block.language == "python":
        compile(block.text, block.place, "exec")
    if block.key in NOT_RUN:
        return
    match block.language:
        case "sh" | "console":
            session.run(block)
        case "python" if not re.match(r"def ", block.text):
            session.python(block)
        case "yaml":
            session.yaml(block)
        case "json" | "jsonl" if re.search(r'"(shown|paused|closed)":', block.text):
            if block.text != state.get("events"):
                raise Wrong(f"are not the events of the commands before it, which are:\n{state.get('events')}")
        case "json" | "jsonl":
            state["events"] = session.json(block)


def try_page(page, page_blocks, folder):
    """Tries the blocks of a page in their order, with a new broker for each chapter; returns what is wrong."""
    wrong, state = [], {}
    for _, chapter in groupby(page_blocks, lambda block: block.chapter):
        with Session(folder / page) as session:
            for block in chapter:
                try:
                    attempt(session, block, state)
                except (Wrong, SyntaxError, OSError) as fault:
                    wrong.append(f"{block.place}: `{block.first}`: {fault}")
    return wrong


def unused(found):
    """Returns the entries of listed.py without a block."""
    keys = {block.key for block in found}
    return [
        f"Tests/Snippets/listed.py: {page} has no block that begins with `{first}`"
        for table in (NOT_RUN, BEFORE, FILES, SWIFT_BEFORE) for page, first in table if (page, first) not in keys]


def main():
    examples = comment_blocks()
    if len(examples) < 5:
        sys.exit(f"snippets: {len(examples)} examples in documentation comments: this check does not find them")
    found = blocks() + examples
    pages = sys.argv[1:]
    wrong = [] if pages else unused(found)
    found = [block for block in found if not pages or block.page in pages]
    if not found:
        sys.exit(f"snippets: {', '.join(pages)}: no blocks of code; give the names of pages, such as Tutorial.md "
                 "or Sources/PopupBroker/Broker.swift")
    wrong += [
        f"{block.place}: `{block.language}` is no language of a block; there are {', '.join(TRIED + NOT_TRIED)}"
        for block in found if block.language not in TRIED + NOT_TRIED]
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="snippets-") as name, ThreadPoolExecutor(4) as pool:
        folder = Path(name)
        compiled = [block for block in found if block.language == "swift" and block.key not in NOT_RUN]
        results = [pool.submit(swift.check, compiled, folder)] if compiled else []
        for page, page_blocks in groupby(found, lambda block: block.page):
            rest = [block for block in page_blocks if block.language != "swift"]
            results.append(pool.submit(try_page, page, rest, folder))
        for result in results:
            wrong += result.result()
    for line in wrong:
        print(f"snippets: {line}", file=sys.stderr)
    listed = sum(block.key in NOT_RUN for block in found)
    tried = sum(block.language in TRIED for block in found) - listed
    print(f"snippets: {tried} blocks tried, {listed} listed as not run, in {time.monotonic() - begin:.0f} s")
    sys.exit(1 if wrong else 0)


main()
