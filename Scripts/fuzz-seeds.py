#!/usr/bin/env python3
"""Writes the seeds of the fuzzers' corpora from the schema, the settings and the system's time zones.

  Scripts/fuzz-seeds.py           writes Tests/Fuzz/Corpus/*/seed-*, but for what only the code can write, and the requests
                                  that the gateway's tests change (Gateway/Tests/PopupGatewayTests/Corpus)
  Scripts/fuzz-seeds.py --check   whether it can write them, with every command and query of the schema; a moment
  Scripts/fuzz-seeds.py --words   prints the words of the schema and of the settings as libFuzzer's dictionary

`make fuzz-seeds` calls it and then writes the rest.
"""

import json
import re
import sys
import tempfile
from pathlib import Path

from fuzz_seeds import files, fleet, frames, messages, web
from fuzz_seeds.schema import Schema, camel

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "Tests/Fuzz/Corpus"
REQUESTS = ROOT / "Gateway/Tests/PopupGatewayTests/Corpus"
TARGETS = re.findall(r'case \w+ = "([a-z-]+)"', (ROOT / "Tests/Fuzz/Entries/FuzzTarget.swift").read_text())


def main():
    schema = Schema((ROOT / "Sources/PopupProtocol/Schema/popup_broker.proto").read_text())
    source = (ROOT / "Sources/PopupConfiguration/Settings/Settings.swift").read_text()
    settings, limits = files.settings(source), files.ranges(source)
    if "--words" in sys.argv:
        words = set(re.findall(r"\b[A-Za-z_]{3,}\b", schema.text)) | {part for s in settings for part in s[0].split(".")}
        print("\n".join(f'"{word}"' for word in sorted({camel(w) if w.islower() else w for w in words})))
        return
    if "--check" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            write(schema, settings, limits, Path(folder), Path(folder) / "requests")
            check(schema, Path(folder))
        return
    write(schema, settings, limits, CORPUS, REQUESTS)


def write(schema, settings, limits, corpus, requests):
    for folder in [*(corpus / target for target in TARGETS), requests]:
        folder.mkdir(parents=True, exist_ok=True)
        # Only the code can write those of snapshots, from those of frames: `Scripts/fuzz.sh seeds`.
        for old in folder.glob("seed-*") if folder.name != "snapshots" else ():
            old.unlink()
    frames.write(schema, corpus)
    messages.write(schema, corpus)
    files.write(settings, limits, corpus)
    fleet.write(schema, corpus / "shared-log")
    web.write_feed(schema, corpus / "state-feed")
    web.write_requests(schema, requests)


def check(schema, corpus):
    """Ends with 1 if no frame has a command or a query of the schema, or a target has no seed in the repository."""
    bare = [target for target in TARGETS if not any((CORPUS / target).glob("seed-*"))]
    if bare:
        sys.exit(f"no seed in the corpus of {', '.join(bare)}: make fuzz-seeds")
    lines = (corpus / "frames-json/seed-all-fields").read_text().splitlines()
    found = [json.loads(line) for line in lines if line.startswith("{")]
    missing = [name for name in schema.choice("Command") if not any(camel(name) in one for one in found)]
    missing += [name for name in schema.choice("Query") if not any(camel(name) in one.get("query", {}) for one in found)]
    if missing:
        sys.exit(f"no seed has {', '.join(missing)}")


if __name__ == "__main__":
    main()
