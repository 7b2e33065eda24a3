#!/usr/bin/env python3
"""Writes the seeds of the fuzzers' corpora from the schema, the settings and the system's time zones.

  Scripts/fuzz-seeds.py           writes Tests/Fuzz/Corpus/*/seed-*, but for what only the code can write
  Scripts/fuzz-seeds.py --words   prints the words of the schema and of the settings as libFuzzer's dictionary

`make fuzz-seeds` calls it and then writes the rest.
"""

import re
import sys
from pathlib import Path

from fuzz_seeds import files, frames, messages
from fuzz_seeds.schema import Schema, camel

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "Tests/Fuzz/Corpus"
TARGETS = re.findall(r'case \w+ = "([a-z-]+)"', (ROOT / "Tests/Fuzz/Entries/FuzzTarget.swift").read_text())


def main():
    schema = Schema((ROOT / "Sources/PopupProtocol/Schema/popup_broker.proto").read_text())
    settings = files.settings((ROOT / "Sources/PopupConfiguration/Settings/Settings.swift").read_text())
    if "--words" in sys.argv:
        words = set(re.findall(r"\b[A-Za-z_]{3,}\b", schema.text)) | {part for s in settings for part in s[0].split(".")}
        print("\n".join(f'"{word}"' for word in sorted({camel(w) if w.islower() else w for w in words})))
        return
    for target in TARGETS:
        (CORPUS / target).mkdir(parents=True, exist_ok=True)
        for old in (CORPUS / target).glob("seed-*"):
            old.unlink()
    frames.write(schema, CORPUS)
    messages.write(schema, CORPUS)
    files.write(settings, CORPUS)


if __name__ == "__main__":
    main()
