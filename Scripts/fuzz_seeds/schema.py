"""The wire's schema, read from its source: samples of its messages, and both encodings of them."""

import re

EDGES = {
    "int32": [0, -1, 2**31 - 1, -(2**31), 2**31, -(2**31) - 1, 2**63 - 1, -(2**63), 2**63],
    "uint32": [0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**64 - 1],
    "uint64": [0, 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64],
}
GREATEST = {"int32": 2**31 - 1, "uint32": 2**32 - 1, "uint64": 2**64 - 1}
TEXTS = {
    "id": "x", "popup": "x", "group": "g", "client": "r", "nonce": "n", "tree": "t", "node": "a", "parent": "", "token": "k",
    "producer": "a" * 32, "key": "f", "value": "v", "from": "22:00", "to": "07:00", "time_zone": "Europe/Berlin",
    "session": "s", "surface": "u", "action": "ok", "text": "hi", "groups": "g",
}


class Schema:
    """Messages, by their full names, as lists of (name, number, type, is repeated)."""

    def __init__(self, text):
        self.text = re.sub(r"//.*", "", text)
        self.messages, self.enums, self.choices = {}, {}, {}
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
                if scopes[-1][0] == "oneof":
                    self.choices.setdefault(self.scope(scopes), set()).add(field)
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

    def choice(self, message):
        """The fields of a message that exclude each other."""
        return [field for field, *_ in self.messages[message] if field in self.choices.get(message, ())]

    def sample(self, message, depth=0):
        """A message with all of its fields; of a choice its first."""
        value = {}
        for field, _, type_, repeated in self.messages[message]:
            if field == "data" or depth > 4:  # it excludes the text
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
