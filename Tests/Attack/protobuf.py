"""Protocol Buffers by hand: fields of numbers and bytes, right and wrong ones, and the commands that attacks need.
The numbers of fields are those of Documentation/Protocol.md's schema."""

COMMANDS = {
    "show": 3, "update": 4, "dismiss": 5, "advance": 6, "clear": 7, "suspend": 8, "resume": 9, "setPolicy": 10,
    "setSession": 11, "report": 12, "answer": 13, "lease": 14, "page": 16, "query": 17,
}
BATCH = 15

# What the C sender replaces: ten digits of a number that each NEXT raises by one and SAME repeats.
NEXT, SAME = "+" * 10, "#" * 10


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    return varint(number << 3) + varint(value)


def message(*fields):
    return b"".join(field(number, value) for number, value in fields)


def command(name, body, producer=None, sequence=None):
    head = (field(1, producer) if producer else b"") + (field(2, sequence) if sequence else b"")
    return head + field(COMMANDS[name], body)


def show(id, group, duration=0, text="", priority=0, key="", delay=0, more=b""):
    fields = [(1, id), (2, group)]
    fields += [(3, priority)] if priority else []
    fields += [(4, duration)] if duration else []
    fields += [(6, delay)] if delay else []
    fields += [(9, key)] if key else []
    fields += [(11, text)] if text else []
    return command("show", message(*fields) + more)


def batch(commands):
    return b"".join(field(BATCH, each) for each in commands)
