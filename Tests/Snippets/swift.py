"""The Swift blocks of the documents and of documentation comments, type-checked with the modules that were built."""

import json
import re
import subprocess
from pathlib import Path

from blocks import ROOT
from listed import SWIFT, SWIFT_BEFORE
from session import BIN

DECLARATION = re.compile(
    r"(import |/// |//|@main|@Test|@Suite|public |private |final |extension |struct |class |enum |actor |func |protocol |[ }])")
MODULE_MAPS = ("Sources/CGlibc", "Sources/CZeroMQ", "Sources/CChecksums/include", "Tests/CSpawn")
# The blocks are checked together. That takes a few seconds.
PATIENCE_SECONDS = 240


def page_imports(block):
    """Returns the imports that a page takes for granted, and a comment: that of its module; `None` if it is not known."""
    if block.page.startswith("Sources/"):
        return f"import {block.page.split('/')[1]}"
    return SWIFT.get(block.page)


def source(number, block):
    """Returns a file with a block: its declarations as they are, or else its statements in a function."""
    before = SWIFT_BEFORE.get(block.key, "").splitlines()
    imports = [line for line in before + block.text.splitlines() if line.startswith("import ")]
    imports += page_imports(block).splitlines()
    rest = "\n".join("" if line.startswith("import ") else line for line in block.text.splitlines())
    declarations = all(not line or DECLARATION.match(line) for line in rest.splitlines()) and block.key not in SWIFT_BEFORE
    text = "".join(line + "\n" for line in dict.fromkeys(imports))
    if not declarations:
        text += f"func block{number}() async throws {{\n"
        text += "".join(line + "\n" for line in before if not line.startswith("import "))
    return text + f'#sourceLocation(file: "{block.place.split(":")[0]}", line: {block.line + 1})\n{rest}\n' + (
        "" if declarations else "#sourceLocation()\n}\n")


def plugins():
    """Returns the options by which the compiler finds the macros of the tests."""
    done = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, timeout=60, check=True)
    runtime = Path(json.loads(done.stdout)["paths"]["runtimeResourcePath"])
    return [word for path in runtime.glob("host/plugins/**/libTestingMacros.*") for word in ("-plugin-path", str(path.parent))]


def check(blocks, folder):
    """Returns the mistakes that the compiler finds in the blocks, which are files of one module."""
    unknown = [f"{block.place}: Tests/Snippets/listed.py says nothing of the page's imports" for block in blocks
               if page_imports(block) is None]
    if unknown:
        return unknown
    files = []
    for number, block in enumerate(blocks):
        files.append(folder / f"block{number}.swift")
        files[-1].write_text(source(number, block))
    maps = [str(path) for name in MODULE_MAPS for path in [ROOT / name / "module.modulemap"] if path.is_file()]
    maps += [str(path) for path in BIN.glob("*.build/module.modulemap")]
    maps += [str(path) for name in ("GRDB.swift/Sources/GRDBSQLite", "Yams/Sources/CYaml/include")
             for path in [ROOT / ".build/checkouts" / name / "module.modulemap"] if path.is_file()]
    done = subprocess.run(
        ["swiftc", "-typecheck", "-continue-building-after-errors", "-parse-as-library", "-swift-version", "6", "-module-name", "Blocks",
         "-I", str(BIN / "Modules"), *[word for path in maps for word in ("-Xcc", f"-fmodule-map-file={path}")],
         *plugins(), *map(str, files)],
        capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    mistakes = re.findall(r"^(\S+:\d+):\d+: error: (.*)$", done.stderr, re.M)
    if done.returncode != 0 and not mistakes:
        return [f"swiftc: {done.stderr}"]
    return [f"{place}: {message}" for place, message in dict.fromkeys(mistakes)]
