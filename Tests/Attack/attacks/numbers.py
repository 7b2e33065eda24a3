"""Numbers at the edges of every integer type, in every numeric field, in both encodings."""

from protobuf import COMMANDS, field, message, varint
from stage import Console, attack

EDGES = sorted({
    sign * ((1 << bits) + step)
    for bits in (0, 7, 8, 15, 16, 31, 32, 53, 62, 63, 64, 65, 127, 128) for step in (-1, 0, 1) for sign in (1, -1)
})
WORDS = [
    "1e3", "1e18", "1e19", "1e308", "1e309", "1e-400", "-1e400", "1e99999999999", "0.5", "-0", "-0.0", "1.0", "4294967295.5",
    "00", "+1", "0x10", ".5", "5.", "1e", "--1", "NaN", "Infinity", "-Infinity", "true", "null", '""', '" 1"', "[]", "{}",
    "9" * 5000, "-" + "9" * 5000, "0." + "0" * 5000 + "1", "1" + "0" * 400 + "e-400",
]

# Where a number stands: the command, the way to it as JSON with @ in its place, and in binary the numbers of the fields.
# Message fields that have to be there are added by NEEDED.
FIELDS = [
    *((
        "show", f'"id":"n","group":"numbers","{name}":@', (number,)) for name, number in (
            ("priority", 3), ("durationMs", 4), ("ttlMs", 5), ("delayMs", 6), ("minDisplayMs", 7), ("exclusive", 8),
            ("offerMs", 20), ("quorum", 21), ("remainingMs", 32), ("attempt", 33), ("sinceRevision", 34))),
    ("show", '"id":"n","group":"numbers","presentation":{"cornerRadius":@}', (15, 6)),
    ("show", '"id":"n","group":"numbers","presentation":{"scene":@}', (15, 1)),
    ("show", '"id":"n","group":"numbers","presentation":{"animation":@}', (15, 2)),
    ("show", '"id":"n","group":"numbers","flow":{"key":"k","stage":@}', (16, 2)),
    ("show", '"id":"n","group":"numbers","flow":{"key":"k","holdMs":@}', (16, 4)),
    ("show", '"id":"n","group":"numbers","page":{"tree":"t","value":"v","scope":@}', (17, 3)),
    ("update", '"id":"n","priority":@', (2,)),
    ("update", '"id":"n","durationMs":@', (3,)),
    ("update", '"id":"n","presentation":{"cornerRadius":@}', (9, 6)),
    ("dismiss", '"id":"n","revision":@', (3,)),
    ("clear", '"selector":{"group":"numbers","priorityBelow":@}', (1, 5)),
    ("clear", '"selector":{"group":"numbers","priorityAbove":@}', (1, 6)),
    ("suspend", '"group":"numbers","token":"t","minPriority":@', (3,)),
    *(("setPolicy", f'"group":"numbers","{name}":@', (number,)) for name, number in (
        ("preset", 2), ("higher", 3), ("peers", 4), ("lower", 5), ("resume", 7), ("gapMs", 8), ("gapMinMs", 9),
        ("gapMaxMs", 10), ("gatherMs", 11), ("defaultDurationMs", 12), ("maxDurationMs", 13), ("clock", 14),
        ("offerMs", 15), ("offerDefault", 16), ("retryMs", 17), ("displayTimeoutMs", 18), ("undisplayed", 19),
        ("rendererLost", 20), ("maxAttempts", 21), ("quorum", 22), ("maxWaiting", 25), ("overflow", 26),
        ("agingMs", 27))),
    ("setPolicy", '"group":"numbers","caps":[{"capKey":"k","most":@,"perMs":1000}]', (23, 2)),
    ("setPolicy", '"group":"numbers","caps":[{"capKey":"k","most":1,"perMs":@}]', (23, 3)),
    ("setPolicy", '"group":"numbers","quiet":[{"from":"22:00","to":"06:00","minPriority":@}]', (24, 4)),
    ("answer", '"id":"n","client":"c","later":{"retryMs":@}', (5, 1)),
    ("query", '"client":"c","nonce":"n","count":{"selector":{"priorityBelow":@}}', (4, 1, 5)),
    ("query", '"client":"c","nonce":"n","count":{"selector":{"priorityAbove":@}}', (4, 1, 6)),
    ("query", '"client":"c","nonce":"n","list":{"selector":{"priorityBelow":@}}', (3, 1, 5)),
    ("query", '"client":"c","nonce":"n","list":{"selector":{"priorityAbove":@}}', (3, 1, 6)),
    ("query", '"client":"c","nonce":"n","history":{"group":"numbers","limit":@}', (11, 2)),
    ("query", '"client":"c","nonce":"n","producers":{"limit":@}', (15, 3)),
]
NEEDED = {
    "show": message((1, "n"), (2, "numbers")), "update": message((1, "n")), "dismiss": message((1, "n")),
    "suspend": message((1, "numbers"), (2, "t")), "setPolicy": message((1, "numbers")),
    "answer": message((1, "n"), (2, "c")), "query": message((1, "c"), (2, "n")), "clear": b"",
}
NEEDED_WITHIN = {(16,): field(1, "k"), (17,): message((1, "t"), (2, "v")), (23,): field(1, "k"), (1,): field(1, "numbers")}
PRODUCER = '"producer":"' + "ab" * 16 + '",'


def frames_in_json():
    values = [form.replace("#", str(edge)) for edge in EDGES for form in ("#", '"#"', "#.0", "#e0", "#e1")] + WORDS
    for value in values:
        yield f"sequence={value[:30]}", "{" + PRODUCER + f'"sequence":{value},"show":{{"id":"n","group":"numbers"}}}}'
        yield f"producer={value[:30]}", f'{{"producer":{value},"show":{{"id":"n","group":"numbers"}}}}'
        for name, body, _ in FIELDS:
            yield f"{name}: {body} {value[:30]}", f'{{"{name}":{{' + body.replace("@", value) + "}}"


def binary(name, way, number):
    """Returns a command in which the innermost field is the given bytes, its key included."""
    body = number
    for depth in range(len(way) - 1, 0, -1):
        body = field(way[depth - 1], NEEDED_WITHIN.get(way[:depth], b"") + body)
    return field(COMMANDS[name], NEEDED[name] + body)


def frames_in_binary():
    numbers = [varint(edge) for edge in EDGES if -(1 << 63) <= edge < 1 << 64]
    numbers += [b"\xff" * 9 + b"\x7f", b"\xff" * 10 + b"\x01", b"\x80" * 9 + b"\x00", b"\x80" * 20, b"\xff" * 9 + b"\x01"]
    for number in numbers:
        title = number.hex()
        yield "sequence " + title, field(1, "ab" * 16) + b"\x10" + number + field(3, NEEDED["show"])
        for name, _, way in FIELDS:
            yield f"{name} {way} {title}", binary(name, way, varint(way[-1] << 3) + number)
    for kind in (1, 3, 4, 5, 6, 7):  # another type on the wire than the field has
        for name, _, way in FIELDS:
            yield f"{name} {way} type {kind}", binary(name, way, varint(way[-1] << 3 | kind) + bytes(8))


def send_all(stage, frames, step):
    """Sends frames and asks after some of them whether the broker is there: so that a failure names those that did it."""
    frames = list(frames)
    with stage.counting(committed=100, refused=100), Console(stage) as console:
        console.ask({"stats": {}})
        for start in range(0, len(frames), step):
            some = frames[start:start + step]
            for _, frame in some:
                console.send(frame if isinstance(frame, bytes) else frame.encode())
            try:
                console.ask({"stats": {}}, seconds=30)
            except RuntimeError:
                stage.expect(False, f"no answer any more after one of: {', '.join(name for name, _ in some[:3])} …")
                break
            stage.notes["frames"] = start + len(some)


@attack("numbers-json", limit=120)
def numbers_json(stage):
    """Numbers at the edges of every integer type and beyond, in every numeric field, in JSON, as numbers and as text."""
    every = list(frames_in_json())
    stage.random.shuffle(every)
    send_all(stage, every[:stage.pick(2500, len(every))], stage.pick(250, 100))


@attack("numbers-binary", limit=120)
def numbers_binary(stage):
    """Numbers at the edges of every integer type and beyond, in every numeric field, in Protocol Buffers."""
    send_all(stage, frames_in_binary(), 250)
