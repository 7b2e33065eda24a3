"""Frames that are no commands, or nearly: each is refused, costs little, and nothing of it stays."""

import json

import zmq

from protobuf import NEXT, batch, command, field, message, show
from stage import Console, attack

FRAME = 131072  # the most bytes of a frame
SAMPLES = [
    b'{"show":{"id":"m' + NEXT.encode() + b'","group":"mutated/a","priority":5,"durationMs":50,"text":"hello"}}',
    b'{"producer":"0123456789abcdef0123456789abcdef","sequence":"7","update":{"id":"x","priority":-1,"text":"y"}}',
    b'{"setPolicy":{"group":"mutated/b","preset":"FIFO","caps":[{"capKey":"k","most":3,"perMs":1000}]}}',
    b'{"page":{"tree":"mutated","open":{"node":"a","parent":"b","value":"c"}}}',
    b'{"query":{"client":"c","nonce":"n","list":{"selector":{"group":"mutated/*","priorityBelow":3}}}}',
    b'{"commands":[{"suspend":{"group":"mutated/c","token":"t"}},{"resume":{"token":"t"}}]}',
    show("m" + NEXT, "mutated/a", duration=50, text="hello", priority=5),
    command("update", message((1, "x"), (2, 3), (5, "hello")), producer="0" * 32, sequence=8),
    command("setPolicy", message((1, "mutated/b"), (2, 2), (23, message((1, "k"), (2, 3), (3, 1000))))),
    command("page", message((1, "mutated"), (2, message((1, "a"), (2, "b"), (3, "c"))))),
    command("query", message((1, "c"), (2, "n"), (3, message((1, message((1, "mutated/*"), (5, 3))))))),
    batch([show("n" + NEXT, "mutated/a", duration=10), command("lease", message((1, "c"), (2, "mutated/*")))]),
]


def mutated(random, sample, most=6):
    """Returns a frame with some bytes changed, cut out, put in or doubled."""
    data = bytearray(sample)
    for _ in range(random.randint(1, most)):
        place, way = random.randrange(len(data) + 1), random.randrange(5)
        if way == 0 and place < len(data):
            data[place] = random.randrange(256)
        elif way == 1 and place < len(data):
            data[place] ^= 1 << random.randrange(8)
        elif way == 2:
            del data[place:place + random.randint(1, 8)]
        elif way == 3:
            data[place:place] = random.randbytes(random.randint(1, 8))
        else:
            data[place:place] = data[place:place + random.randint(1, 40)]
    return bytes(data)


@attack("random-bytes")
def random_bytes(stage):
    """Frames of random bytes, of up to 2000, at full speed."""
    with stage.counting(refused=100):
        stage.flood([stage.random.randbytes(stage.random.randint(0, 2000)) for _ in range(4000)])


@attack("mutated-json", kept=0)
def mutated_json(stage):
    """Commands in JSON with some bytes changed, at full speed."""
    samples = [sample for sample in SAMPLES if sample.startswith(b"{")]
    with stage.counting(committed=100, refused=100):
        stage.flood([mutated(stage.random, stage.random.choice(samples)) for _ in range(stage.pick(3000, 60000))])


@attack("mutated-binary", kept=0)
def mutated_binary(stage):
    """Commands in Protocol Buffers with some bytes changed, at full speed."""
    samples = [sample for sample in SAMPLES if not sample.startswith(b"{")]
    with stage.counting(committed=100, refused=100):
        stage.flood([mutated(stage.random, stage.random.choice(samples)) for _ in range(stage.pick(3000, 60000))])


@attack("nesting")
def nesting(stage):
    """Frames of 128 KiB that are nested as deep as they are long, at full speed."""
    size = frame_size(stage)
    deep = size // 2 - 100
    frames = [
        b"[" * (size - 1), b'{"show":' + b"[" * deep + b"]" * deep + b"}", b'{"a":' * (size // 6),
        b'{"show":{"actions":' + b"[" * deep, b'{"commands":' + b"[" * deep + b"]" * deep + b"}",
        b'{"unknown":' + b'{"a":' * (deep // 3) + b"1" + b"}" * (deep // 3) + b"}",
        b'{"show":{"id":"a","group":"b","x":' + b"[" * deep + b"]" * deep + b"}}",
        b"\x0b" * (size - 1), b"\x13" * deep + b"\x14" * deep,  # groups of unknown fields
        command("show", b"\x0b" * deep + b"\x0c" * deep), field(15, b"\x0b" * deep),
    ]
    nested = b""
    while len(nested) < size - 20:
        nested = field(3, nested)
    with stage.counting(refused=100):
        stage.flood(frames + [nested])


def frame_size(stage):
    """Returns the most bytes of a frame; in short mode, where a debug build reads them, a sixteenth."""
    return stage.pick(FRAME // 16, FRAME)


def wrong_frames(size):
    """Returns JSON of so many bytes that is right but for its last bytes."""
    head = b'{"show":{"id":"x","group":"wrong","text":"'
    actions = b'{"show":{"id":"x","group":"wrong","actions":[' + b'{"id":"a","label":"b"},' * (size // 24)
    return [
        head + b"a" * (size - 200) + b'"}', head + b"a" * (size - 200), head + b"\\u00e9" * (size // 7) + b'"}}}',
        actions, actions + b"{}]}", head + b'","priority":' + b"1" * (size - 200) + b"}}",
        b'{"commands":[' + b'{"show":{"id":"x","group":"no group!"}},' * (size // 44) + b"{}",
    ]


@attack("wrong-json-128k")
def wrong_json(stage):
    """JSON of 128 KiB that is right but for its last bytes, at full speed."""
    with stage.counting(refused=100):
        stage.flood(wrong_frames(frame_size(stage)))


@attack("batch-of-nonsense")
def batch_of_nonsense(stage):
    """Batches in JSON of 65,000 numbers: {"commands":[1,1,…]}, at full speed."""
    size = frame_size(stage) - 100
    ones = b'{"commands":[' + b"1," * (size // 2) + b"1]}"
    empty = b'{"commands":[' + b"{}," * (size // 3) + b"{}]}"
    with stage.counting(refused=100):
        stage.flood([ones, empty, b'{"commands":[' + b"[]," * (size // 3) + b"0]}", field(15, b"") * (size // 2)])


@attack("invalid-utf8")
def invalid_utf8(stage):
    """Texts that are not UTF-8, or hold controls and lone surrogates, in every field of text, in both encodings."""
    wrong = [
        b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"a\x80", b"\xe2\x82",
        b"\x00", b"\x1f", b"\x7f", b"\xc2\x85", b"\xc2\x9b", b"\xef\xbf\xbe", b"\xf0\x9f\x92", b"\xe2\x80\xae",
    ]
    escapes = [b"\\ud800", b"\\udc00", b"\\ud800\\ud800", b"\\u0000", b"\\u", b"\\x41", b"\\ud842\\udfb7", b"\\"]
    frames = []
    for text in wrong + escapes:
        for name in (b"id", b"group", b"collapseKey", b"text", b"contentType", b"session", b"surface", b"capKey"):
            frames.append(b'{"show":{"id":"u","group":"utf","' + name + b'":"' + text + b'"}}')
        frames.append(b'{"' + text + b'":1}')
        frames.append(b'{"producer":"' + text + b'","suspend":{"group":"utf","token":"' + text + b'"}}')
    for text in wrong:
        for number in (1, 2, 9, 11, 13, 18, 19, 23):
            frames.append(command("show", message((1, "u"), (2, "utf")) + field(number, text)))
        for name in ("dismiss", "advance", "resume", "lease", "page", "setSession", "query"):
            frames.append(command(name, message((1, text), (2, text))))
        frames.append(field(1, text))
    with stage.counting(refused=100):
        stage.flood(frames)


@attack("texts-there-and-back", durations=(1, 8))
def texts_there_and_back(stage):
    """Random texts of all scalar values, escaped or not, come back as they were sent; an independent reader compares."""
    context = zmq.Context()
    subscriber = context.socket(zmq.SUB)
    subscriber.setsockopt(zmq.RCVHWM, 0)
    subscriber.connect(f"tcp://127.0.0.1:{stage.egress}")
    subscriber.subscribe(b"state+json/texts/")
    texts = [random_text(stage.random) for _ in range(stage.pick(300, 6000))]
    different, missing = [], set(range(len(texts)))
    with Console(stage) as console:
        console.ask({"stats": {}})  # by then the subscription is there, too
        for start in range(0, len(texts), 100):
            for number, text in list(enumerate(texts))[start:start + 100]:
                console.send(json.dumps({**unknown(number), "show": {
                    "group": "texts", "id": f"t{number}", "collapseKey": "k", "durationMs": 60000, "text": text,
                    "presentation": {"title": text}}}, ensure_ascii=number % 2 == 0).encode())
            wanted = set(range(start, min(start + 100, len(texts))))
            while wanted & missing and subscriber.poll(3000):
                active = json.loads(subscriber.recv_multipart()[1]).get("active", {"id": "t-1"})
                number = int(active["id"][1:])
                missing.discard(number)
                is_right = number < 0 or active.get("text", "") == active["presentation"].get("title", "") == texts[number]
                different += [] if is_right else [texts[number]]
    context.destroy(linger=0)
    stage.notes.update({"texts": len(texts), "different": len(different)})
    stage.expect(not different, f"{len(different)} of {len(texts)} texts come back as others: {ascii(different[:1])[:200]}")
    stage.expect(not missing, f"{len(missing)} of {len(texts)} texts do not come back")


def unknown(number):
    """Returns, for some, a member that the broker does not know: a reader that goes a short way has to leave it."""
    return {"unknown": 1} if number % 3 == 0 else {}


def random_text(random):
    """Returns a text of scalar values of every length in UTF-8, those beyond U+FFFF and those to be escaped often."""
    spans = ((0x20, 0x7F), (0xA0, 0x800), (0x800, 0xD800), (0xE000, 0xFFFE), (0x10000, 0x20000), (0x20000, 0x110000))
    drawn = [chr(random.randrange(*random.choice(spans))) for _ in range(random.randint(1, 30))]
    return "".join(drawn + random.choices('"\\/\u2028\U00020bb7', k=random.randint(0, 3)))
