#!/usr/bin/env python3
"""Writes the tables of the wire's messages and enums from the schema: Sources/PopupProtocol/Generated/WireTables.swift.

With `--check` it only says, by its exit code, whether that is what is there.

It reads the subset of proto3 that the schema uses, and stops at whatever the reader of JSON has no code for.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "Sources/PopupProtocol/Schema/popup_broker.proto"
TABLES = ROOT / "Sources/PopupProtocol/Generated/WireTables.swift"

KINDS = {
    "string": "text", "bytes": "bytes", "bool": "flag", "int32": "signed", "uint32": "unsigned", "uint64": "long",
}
# What may stand more than once in a message.
REPEATED = {"text", "message"}


def json_name(name):
    first, *words = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in words)


class Schema:
    def __init__(self, text):
        self.messages, self.enums = {}, {}
        scopes, oneofs = [], {}
        for number, line in enumerate(text.splitlines(), 1):
            line = line.split("//")[0].strip()
            message = ".".join(name for kind, name in scopes if kind == "message")
            if not line or line.startswith(("syntax ", "package ", "option ", "reserved ")):
                continue
            if match := re.fullmatch(r"(message|enum|oneof) (\w+) \{(\})?", line):
                kind, name, closed = match.groups()
                full = f"{message}.{name}" if message and kind != "oneof" else name
                if kind == "message":
                    self.messages[full] = []
                elif kind == "enum":
                    self.enums[full] = []
                else:
                    oneofs[message] = oneofs.get(message, 0) + 1
                if not closed:
                    scopes.append((kind, name))
            elif line == "}":
                scopes.pop()
            elif scopes and scopes[-1][0] == "enum" and (match := re.fullmatch(r"(\w+) = (\d+);", line)):
                enum = f"{message}.{scopes[-1][1]}" if message else scopes[-1][1]
                self.enums[enum].append((match[1], int(match[2])))
            elif match := re.fullmatch(r"(?:(optional|repeated) )?([\w.]+) (\w+) = (\d+);", line):
                label, type_, name, field = match.groups()
                oneof = oneofs[message] if scopes[-1][0] == "oneof" else 0
                self.messages[message].append((int(field), name, type_, label, oneof))
            else:
                sys.exit(f"{SCHEMA}:{number}: not known here: {line}")

    def resolve(self, type_, message):
        nested = f"{message}.{type_}"
        return nested if nested in self.messages or nested in self.enums else type_

    def refuse_cycles(self, message, above=()):
        """The reader of JSON goes down to inner messages by calling itself."""
        if message in above:
            sys.exit(f"{SCHEMA}: {message} holds itself; the reader of JSON has no bound for that")
        for _, _, type_, _, _ in self.messages[message]:
            inner = self.resolve(type_, message)
            if inner in self.messages:
                self.refuse_cycles(inner, (*above, message))


def tables(schema):
    messages, enums = list(schema.messages), list(schema.enums)
    yield "// Made by Scripts/wire_tables.py from Schema/popup_broker.proto: don't edit."
    yield "// swift-format-ignore-file"
    yield ""
    yield "extension WireSchema {"
    for name in messages:
        schema.refuse_cycles(name)
    yield "    /// All enums, each with its values."
    yield "    static let enums: [WireEnum] = ["
    for name in enums:
        values = ", ".join(f'("{value}", {number})' for value, number in schema.enums[name])
        yield f'        WireEnum("{name}", [{values}]),'
    yield "    ]"
    yield ""
    yield "    /// All messages, each with its fields in the order of their numbers."
    yield "    static let messages: [WireMessage] = ["
    for name in messages:
        fields = sorted(schema.messages[name])
        yield f'        WireMessage("{name}", [' + ("" if fields else "]),")
        for number, field, type_, label, oneof in fields:
            full = schema.resolve(type_, name)
            place = 0
            if full in messages:
                kind, place = "message", messages.index(full)
            elif full in enums:
                kind, place = "choice", enums.index(full)
            else:
                kind = KINDS.get(type_) or sys.exit(f"{SCHEMA}: {name}.{field}: no code for {type_}")
            if number > 63:
                sys.exit(f"{SCHEMA}: {name}.{field}: no code for numbers above 63")
            if label == "repeated" and kind not in REPEATED:
                sys.exit(f"{SCHEMA}: {name}.{field}: no code for repeated {type_}")
            options = [f'"{json_name(field)}"', f".{kind}"]
            if json_name(field) != field:
                options.append(f'schemaName: "{field}"')
            if kind in ("message", "choice"):
                options.append(f"of: {place}")
            if label == "repeated":
                options.append("isRepeated: true")
            elif label == "optional" or oneof or kind == "message":
                options.append("hasPresence: true")
            if oneof:
                options.append(f"oneof: {oneof}")
            yield f"            .init({number}, {', '.join(options)}),"
        if fields:
            yield "        ]),"
    yield "    ]"
    yield "}"


text = "\n".join(tables(Schema(SCHEMA.read_text()))) + "\n"
if sys.argv[1:] == ["--check"]:
    sys.exit(TABLES.read_text() != text)
TABLES.write_text(text)
