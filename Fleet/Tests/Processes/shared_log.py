"""Reads the shared log of brokers as Documentation/Fleet.md describes its records, and as Protocol.md describes commands:
with nothing of the code that it is to check."""
import base64
import json
import os
import struct
import subprocess
from dataclasses import dataclass, field

HEADER = struct.Struct(">4sHHQQqqII")
BATCH = 1
COMMAND, AMENDED_COMMAND = 1, 8
COMMAND_NAMES = {3: "show", 4: "update", 5: "dismiss", 6: "advance", 7: "clear", 12: "report", 13: "answer", 14: "lease"}


@dataclass
class Command:
    """A command of the log. `place` counts the commands of the whole log; `fields` are those of its message."""

    index: int
    epoch: int
    place: int
    producer: str
    sequence: int
    name: str
    fields: dict = field(default_factory=dict)

    def text(self, number):
        return self.fields.get(number, [b""])[-1].decode()


def fields(message):
    """The fields of a message in protobuf: for each number its values in their order, as numbers or bytes."""
    found, place = {}, 0

    def varint():
        nonlocal place
        value = shift = 0
        while True:
            byte = message[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while place < len(message):
        key = varint()
        if key & 7 == 0:
            value = varint()
        elif key & 7 == 2:
            size = varint()
            value = message[place:place + size]
            assert len(value) == size, "a message ends too early"
            place += size
        else:
            raise ValueError(f"a field of the type {key & 7}")
        found.setdefault(key >> 3, []).append(value)
    return found


def state(message):
    """A `GroupState` in binary as the JSON of the protocol has it, without what it does not need to have."""
    parts = fields(message)
    found = {"epoch": str(parts.get(1, [0])[-1]), "group": parts[2][-1].decode(), "revision": str(parts.get(3, [0])[-1])}
    if 4 in parts:
        popup = fields(parts[4][-1])
        texts = {1: "id", 2: "group", 11: "text", 35: "by"}
        numbers = {3: "priority", 4: "durationMs", 20: "offerMs", 32: "remainingMs", 33: "attempt"}
        unknown = set(popup) - set(texts) - set(numbers) - {34}
        assert not unknown, f"fields of a popup that the tests do not send: {unknown}"
        active = {name: popup[number][-1].decode() for number, name in texts.items() if number in popup}
        active.update({name: popup[number][-1] for number, name in numbers.items() if number in popup})
        active["sinceRevision"] = str(popup.get(34, [0])[-1])
        found["active"] = active
    for number, name in {5: "waiting", 8: "paused"}.items():
        if number in parts:
            found[name] = parts[number][-1]
    if parts.get(7, [0])[-1]:
        found["offered"] = True
    return found


def states_of_feed(message):
    return [state(one) for one in fields(message).get(1, [])]


def commands(entries):
    """The commands of entries, in their order."""
    found = []
    for entry in entries:
        magic, _, kind, epoch, index, *_ = HEADER.unpack_from(entry)
        assert magic == b"PBE1", magic
        if kind != BATCH:
            continue
        rest = entry[HEADER.size:]
        while rest:
            kind, size = rest[0], int.from_bytes(rest[1:5], "little")
            content, rest = rest[5:5 + size], rest[5 + size:]
            assert len(content) == size, f"the entry {index} is damaged"
            if kind == AMENDED_COMMAND:
                content = content[8:]
            elif kind != COMMAND:
                continue
            parts = fields(content)
            number = next((one for one in parts if 3 <= one <= 18), 0)
            found.append(Command(
                index, epoch, len(found), parts.get(1, [b""])[-1].decode(), parts.get(2, [0])[-1],
                COMMAND_NAMES.get(number, str(number)), fields(parts[number][-1]) if number else {}))
    return found


def read(endpoint, shard="main"):
    """The commands of a shard's log."""
    listed = subprocess.run(
        ["etcdctl", "--endpoints", endpoint, "get", "--prefix", f"/popup-broker/v1/{shard}/live/log/", "-w", "json"],
        capture_output=True, text=True, env={**os.environ, "ETCDCTL_API": "3"}, check=True)
    return commands(base64.b64decode(pair["value"]) for pair in json.loads(listed.stdout).get("kvs", []))
