#!/usr/bin/env python3
"""Writes the seeds of the fuzzers' corpora that are made of commands, from the schema: each command with all of its
fields, and each numeric field at the edges of the integer types, in both encodings.

  Scripts/fuzz-seeds.py           writes Tests/Fuzz/Corpus/frames-*/seed-*
  Scripts/fuzz-seeds.py --words   prints the schema's words as libFuzzer's dictionary
"""

import json
import re
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "Sources/PopupProtocol/Schema/popup_broker.proto"
CORPUS = ROOT / "Tests/Fuzz/Corpus"

EDGES = {
    "int32": [0, -1, 2**31 - 1, -(2**31), 2**31, -(2**31) - 1, 2**63 - 1, -(2**63), 2**63],
    "uint32": [0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1],
    "uint64": [0, 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64],
}
TEXTS = {
    "id": "x", "popup": "x", "group": "g", "client": "r", "nonce": "n", "tree": "t", "node": "a", "parent": "", "token": "k",
    "producer": "a" * 32, "key": "f", "value": "v", "from": "22:00", "to": "07:00", "time_zone": "Europe/Berlin",
    "session": "s", "surface": "u", "action": "ok", "text": "hi", "groups": "g",
}
FRAMES_A_FILE = 32


class Schema:
    """Messages, by their full names, as lists of (name, number, type, is repeated)."""

    def __init__(self, text):
        self.text = re.sub(r"//.*", "", text)
        self.messages, self.enums = {}, {}
        scopes = []
        tokens = re.finditer(
            r"(message|enum|oneof) (\w+) \{|\}|((?:repeated|optional) )?([\w.]+) (\w+) = (\d+);|(\w+) = (\d+);", self.text)
        for token in tokens:
            kind, name, label, type_, field, number, value, place = token.groups()
            if kind:
                scopes.append((kind, name))
                if kind != "oneof":
                    (self.messages if kind == "message" else self.enums)[self.scope(scopes)] = []
            elif token.group() == "}":
                scopes.pop()
            elif field and type_ != "option":
                self.messages[self.scope(scopes)].append((field, int(number), type_, label == "repeated "))
            elif value and scopes:
                self.enums[self.scope(scopes)].append((value, int(place)))

    @staticmethod
    def scope(scopes):
        return ".".join(name for kind, name in scopes if kind != "oneof")

    def resolve(self, type_, within):
        for name in (f"{within}.{type_}", type_):
            if name in self.messages or name in self.enums:
                return name
        return type_

    def sample(self, message, depth=0):
        """A message with all of its fields; of a choice its first."""
        value = {}
        for field, _, type_, repeated in self.messages[message]:
            if field in ("data", "remaining_ms", "attempt", "since_revision") or depth > 4:
                continue
            one = self.sample_value(field, self.resolve(type_, message), depth)
            value[field] = [one] if repeated else one
        return value

    def sample_value(self, field, type_, depth):
        if type_ in self.messages:
            return self.sample(type_, depth + 1)
        if type_ in self.enums:
            return self.enums[type_][1][0]
        return {"string": TEXTS.get(field, field), "bytes": "aGk=", "bool": True}.get(type_, 3)

    def numbers(self, message, depth=0):
        """The paths to numeric fields, with their types."""
        for field, _, type_, repeated in self.messages[message]:
            type_ = self.resolve(type_, message)
            if type_ in EDGES:
                yield (field,), type_
            elif type_ in self.messages and depth < 4:
                for path, leaf in self.numbers(type_, depth + 1):
                    yield (field, *path), leaf

    def encode(self, message, value):
        out = bytearray()
        for field, number, type_, repeated in self.messages[message]:
            if field not in value:
                continue
            type_ = self.resolve(type_, message)
            for one in value[field] if repeated else [value[field]]:
                if type_ in ("string", "bytes") or type_ in self.messages:
                    data = self.encode(type_, one) if type_ in self.messages else str(one).encode()
                    out += varint(number << 3 | 2) + varint(len(data)) + data
                else:
                    if type_ in self.enums:
                        one = dict(self.enums[type_])[one]
                    out += varint(number << 3) + varint(int(one))
        return bytes(out)


def varint(number):
    # More than 64 bits become a number of too many bytes.
    number = number % 2**64 if number < 0 else number
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def camel(name):
    return re.sub(r"_(\w)", lambda m: m[1].upper(), name)


def as_json(value):
    if isinstance(value, dict):
        return {camel(key): as_json(one) for key, one in value.items()}
    if isinstance(value, list):
        return [as_json(one) for one in value]
    # What a double does not hold is a string, as proto3 JSON has it.
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53 else value


def put(value, path, number):
    """A copy with the number at the path."""
    if isinstance(value, list):
        return [put(value[0], path, number)]
    if not path:
        return number
    return {**value, path[0]: put(value.get(path[0], {}), path[1:], number)}


def scenes(schema):
    """Series of commands by name: realistic ones, and each numeric field at its edges."""
    # Of Command.command: one at a time.
    kinds = [field for field, *_ in schema.messages["Command"] if field not in ("producer", "sequence")]
    choices = {
        "update": ["text"], "report": ["displayed", "visible", "hidden"], "answer": ["accept", "veto", "later"],
        "page": ["open", "enter", "close", "clear"],
        "query": [f for f, _, t, _ in schema.messages["Query"] if f not in ("client", "nonce")],
    }
    whole = schema.sample("Command")
    commands = {}
    for kind in kinds:
        for choice in choices.get(kind, [None]):
            body = dict(whole[kind])
            if choice and len(choices[kind]) > 1:
                body = {k: v for k, v in body.items() if k == choice or k not in choices[kind]}
            if kind == "page" and choice == "open":
                body["open"].pop("parent", None)
            commands[kind + (f"-{choice}" if choice else "")] = {kind: body}
    plain = {"show": {"id": "x", "group": "g", "text": "hi", "duration_ms": 500}}
    everything = [plain] + list(commands.values())
    yield "all-fields", [{**c, "producer": "a" * 32, "sequence": i + 1} for i, c in enumerate(everything)]
    yield "plain", [
        plain, {"show": {"group": "g", "priority": 5, "text": "b"}}, {"set_policy": {"group": "g", "preset": "FIFO"}},
        {"lease": {"client": "r", "groups": ["g"]}}, {"report": {"id": "x", "client": "r", "displayed": {}}},
        {"dismiss": {"id": "x"}}, {"query": {"client": "c", "nonce": "n", "list": {}}}, {"advance": {"group": "g"}},
    ]
    edges = [{**plain, "producer": "a" * 32, "sequence": number} for number in EDGES["uint64"]]
    for command in commands.values():
        kind = next(iter(command))
        message = schema.resolve(next(t for f, _, t, _ in schema.messages["Command"] if f == kind), "Command")
        for path, type_ in schema.numbers(message):
            if path[0] not in command[kind]:
                continue
            # With little beside it, so that the number is what decides.
            base = {k: v for k, v in command[kind].items() if k in ("id", "group", "client", "nonce", "token", path[0])}
            edges += [{kind: put(base, path, number)} for number in EDGES[type_]]
    for start in range(0, len(edges), FRAMES_A_FILE):
        yield f"edges-{start // FRAMES_A_FILE:02}", edges[start:start + FRAMES_A_FILE]


# How JSON may write numbers beside plain ones.
WRITTEN = ["1e3", "1.5", "-0", "1e400", "\"1e3\"", "\"0x10\"", "\" 1\"", "\"\"", "null", "true", "9" * 400, "0.0", "1E+2", "01"]


def main():
    schema = Schema(SCHEMA.read_text())
    if "--words" in sys.argv:
        words = set(re.findall(r"\b[A-Za-z_]{3,}\b", schema.text))
        print("\n".join(f'"{word}"' for word in sorted({camel(w) if w.islower() else w for w in words})))
        return
    for folder in ("frames-json", "frames-binary"):
        (CORPUS / folder).mkdir(parents=True, exist_ok=True)
        for old in (CORPUS / folder).glob("seed-*"):
            old.unlink()
    for name, commands in scenes(schema):
        lines, steps = [], bytearray([0])
        for index, command in enumerate(commands):
            line = json.dumps(as_json(command), separators=(",", ":"))
            lines.append(line)
            # Long numbers without their quotes, too.
            if (bare := re.sub(r'"(-?\d{16,20})"', r"\1", line)) != line:
                lines.append(bare)
            frame = schema.encode("Command", command)
            steps += b"\0" + struct.pack("<H", len(frame)) + frame
            if index % 4 == 3:
                lines.append("+300")
                steps += bytes([1, 8 + 18 * 2])
        (CORPUS / "frames-json" / f"seed-{name}").write_text("\n".join(lines) + "\n")
        (CORPUS / "frames-binary" / f"seed-{name}").write_bytes(steps)
    written = [f'{{"show":{{"group":"g","priority":{text},"durationMs":{text}}}}}' for text in WRITTEN]
    written += [f'{{"producer":"{"a" * 32}","sequence":{text},"advance":{{"group":"g"}}}}' for text in WRITTEN]
    (CORPUS / "frames-json" / "seed-written").write_text("tight\n" + "\n".join(written) + "\n")
    batch = {"commands": [json.loads(line) for line in lines[:3] if line.startswith("{")]}
    (CORPUS / "frames-json" / "seed-batch").write_text(
        json.dumps(batch) + "\n<sync/c/n/*/\n+9000\n!\n>state/\n<state/g/\n{\"commands\":[1,{},[]]}\n")


if __name__ == "__main__":
    main()
