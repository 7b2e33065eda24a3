"""The schema of the wire, for the scripts that generate code and descriptions from it.

`Schema` reads the subset of proto3 that the schema uses, and stops at whatever there is no code for.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "Sources/PopupProtocol/Schema/popup_broker.proto"


def json_name(name):
    first, *words = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in words)


def swift_name(name):
    """The property that protoc-gen-swift makes of a field."""
    first, *words = name.split("_")
    if name in ("default", "protocol", "repeat", "self"):
        return f"`{name}`"
    return first + "".join(word.upper() if word in ("id", "url") else word[:1].upper() + word[1:] for word in words)


def swift_type(name):
    return "Wire" + name


class Schema:
    def __init__(self, text):
        self.messages, self.enums, self.rules = {}, {}, {}
        self.limits = {rule: int(most) for rule, most in re.findall(r"//   \[(\w+)\] +one line of at most (\d+) bytes", text)}
        scopes, oneofs, self.oneof_names = [], {}, {}
        for number, line in enumerate(text.splitlines(), 1):
            line, _, comment = (part.strip() for part in line.partition("//"))
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
                    self.oneof_names[message, oneofs[message]] = name
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
                if rule := re.fullmatch(r"\[(\w+)(!?)\]", comment):
                    self.rules[message, name] = (rule[1], bool(rule[2]))
                elif comment:
                    sys.exit(f"{SCHEMA}:{number}: not known here: {comment}")
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


def comments(text):
    """Returns the comment above each message, enum, field and value of the schema."""
    found, lines, scopes = {}, [], []
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("//"):
            lines.append(line[2:].strip())
            continue
        if match := re.match(r"(message|enum|oneof) (\w+) \{", line):
            name = ".".join([scope for kind, scope in scopes if kind != "oneof"] + [match[2]])
            if match[1] != "oneof":
                found[name, ""] = " ".join(lines)
            if not line.endswith("}"):
                scopes.append((match[1], match[2]))
        elif line == "}":
            scopes.pop()
        elif match := re.match(r"(?:(?:optional |repeated )?[\w.]+ )?(\w+) = \d+;", line):
            found[".".join(scope for kind, scope in scopes if kind != "oneof"), match[1]] = " ".join(lines)
        lines = []
    return {key: comment for key, comment in found.items() if comment and not comment.startswith("---")}
