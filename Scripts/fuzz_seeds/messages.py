"""Seeds of what a broker sends to clients, and of the clients' outbox file."""

import struct

from .schema import EDGES, GREATEST, put

PRODUCER = "0" * 32
# A topic that a client reads, and the message on it. The sync is what its first stream asks for first.
TOPICS = {
    "state/g/": "GroupState", "events/g/": "Event", "heartbeat/": "Heartbeat", f"acks/{PRODUCER}/": "Ack",
    "sync/client/1-1/*/": "Sync", "replies/client/1/": "Reply",
}


def string(data):
    return struct.pack("<H", len(data)) + data


def record(schema, topic, message, value, step=1):
    return bytes([step]) + string(topic.encode()) + string(schema.encode(message, value))


def write(schema, corpus):
    for topic, message in TOPICS.items():
        whole = schema.sample(message)
        choices = [[]]
        if message == "Event":
            names = ["queued", "offered", "shown", "paused", "resumed", "updated", "closed", "refused"]
            choices = [[other for other in names if other != name] for name in names]
        if message == "Reply":
            whole["client"], whole["nonce"] = "client", "1"
            names = list(whole["reply"])
            choices = [[other for other in names if other != name] for name in names]
        records = []
        for left_out in choices:
            if message == "Reply":
                value = {**whole, "reply": {k: v for k, v in whole["reply"].items() if k not in left_out}}
            else:
                value = {k: v for k, v in whole.items() if k not in left_out}
            records.append(record(schema, topic, message, value))
            for path, type_ in schema.numbers(message):
                try:
                    records += [record(schema, topic, message, put_known(value, path, n)) for n in EDGES[type_]]
                except KeyError:
                    continue
        # Of the many the first of each length: the fuzzer finds the rest.
        name = topic.split("/")[0]
        records = sorted(set(records), key=records.index)
        for number, start in enumerate(range(0, min(len(records), 128), 32)):
            (corpus / "client" / f"seed-{name}-{number}").write_bytes(b"".join(records[start:start + 32]))
    (corpus / "client" / "seed-replies-greatest").write_bytes(greatest_replies(schema))
    state = schema.encode("GroupState", schema.sample("GroupState"))
    (corpus / "client" / "seed-mixed").write_bytes(
        b"\x01" + string(b"state/g/") + string(state)
        + record(schema, "heartbeat/", "Heartbeat", {"epoch": 2**64 - 1, "groups":[{"group": "g", "revision": 2**64 - 1}]}, 18)
        + record(schema, "sync/client/1-1/*/", "Sync", {"end": {"epoch": 2**64 - 1, "states": 0}})
        + record(schema, f"acks/{PRODUCER}/", "Ack", {"epoch": 2**64 - 1, "cumulative": 2**64 - 1})
        + record(schema, f"acks/{PRODUCER}/", "Ack", {"epoch": 1, "cumulative": 2**63, "selective": "\x7f" * 32}))
    write_outbox(corpus / "outbox")


def greatest_replies(schema):
    """A reply to each query, with every number the greatest of its type and two elements in every list."""
    records = []
    for name, result in schema.sample("Reply")["reply"].items():
        value = {"client": "client", "nonce": "1", "reply": {name: result}}
        for path, type_ in schema.numbers("Reply"):
            if path[:2] == ("reply", name):
                value = put_known(value, path, GREATEST[type_])
        records.append(record(schema, "replies/client/1/", "Reply", doubled(value)))
    return b"".join(records)


def doubled(value):
    """A copy with each element of a list twice."""
    if isinstance(value, dict):
        return {key: doubled(one) for key, one in value.items()}
    return [doubled(one) for one in value] * 2 if isinstance(value, list) else value


def put_known(value, path, number):
    """As `put`, only where the message has the field."""
    at = value
    for name in path[:-1]:
        at = at[name]
        at = at[0] if isinstance(at, list) else at
    return put(value, path, number)


def write_outbox(folder):
    # As the entry makes records of an input: producer, kind, numbers.
    commands = b"".join(b"\x01\x01" + struct.pack("<Q", n) + string(b"command") for n in range(1, 5))
    (folder / "seed-plain").write_bytes(b"\x01\x00" + struct.pack("<Q", 1) + commands + b"\x01\x02" + struct.pack("<QQ", 1, 3))
    for number, edge in enumerate([0, 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]):
        (folder / f"seed-edge-{number}").write_bytes(
            b"\x01\x00" + struct.pack("<Q", edge) + b"\x01\x01" + struct.pack("<Q", edge) + string(b"x") + commands)
    signature = b"popup outbox 1\n\0"
    content = b"\x02" + bytes(16) + struct.pack("<Q", 1) + b"command"
    length = struct.pack("<I", len(content))
    whole = signature + length + struct.pack("<I", crc32c(length + content)) + content
    (folder / "seed-file").write_bytes(whole)
    (folder / "seed-cut").write_bytes(whole + whole[len(signature):-3])
    (folder / "seed-damaged").write_bytes(signature + b"\x11\0\0\0junk" + bytes(40) + whole[len(signature):])


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF
