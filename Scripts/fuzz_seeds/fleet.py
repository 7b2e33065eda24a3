"""Seeds of a fleet's shared log: what happens to it, step by step, and its records with each number at the edges."""

import struct
from pathlib import Path

from .files import zone_block
from .frames import scenes
from .messages import string

NUMBERS = [0, 1, 2**31, 2**32 - 1, 2**62 - 1, 2**62, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]
# The fields between the letters and the checksum, with values that are read.
HEAD = (">IQQQQQQI", [1, 5, 3, 1, 2, 1000, 4000, 7])
ENTRY = (">IQQQQI", [1, 5, 1, 1000, 4000, 0])
MANIFEST = (">QQQIQQQII", [3, 5, 1000, 7, 1, 2, 5, 1, 9])
# A step is its kind, the time that passes before it, and its values.
RAW, BATCH, TAKE_OVER, ADVANCE, RAISE, HAND_OVER, RECORD, SNAPSHOT, STATE, APPEND, ANSWER = range(11)
COMMAND, REMOVED_POLICY, TIME_ZONE, CONFIGURED_POLICY, SETTINGS, REFUSED, AMENDED, WALL_CLOCK = 1, 2, 3, 4, 5, 6, 8, 11
SNAPSHOTS = Path(__file__).resolve().parents[2] / "Tests/Fuzz/Corpus/snapshots"


def power(exponent):
    """The byte for 2**exponent ms."""
    return 37 * 5 + exponent


def step(kind, *values, after=power(10)):
    return bytes([kind, after]) + b"".join(bytes([value]) if isinstance(value, int) else value for value in values)


def batch(*entries, after=power(10)):
    return step(BATCH, len(entries) - 1, *(bytes([kind]) + string(content) for kind, content in entries), after=after)


def log(*entries):
    """The commands of an entry, as a journal has them."""
    return b"".join(bytes([kind]) + struct.pack("<I", len(content)) + content for kind, content in entries)


def record(kind, values, is_seen=False):
    """A record with a checksum that fits: a head, an entry or a manifest. The node may see it."""
    form, _ = (HEAD, ENTRY, MANIFEST)[kind]
    unsigned = [value % 2 ** (8 * struct.calcsize(letter)) for letter, value in zip(form[1:], values)]
    return step(RECORD, 129 + kind if is_seen else kind, string(struct.pack(form, *unsigned)))


def settings(limit=64):
    return struct.pack("<5Q", 7, 60_000, 60_000, 16, 16) + struct.pack("<Q", limit) * 16


def write(schema, folder):
    def command(**value):
        return COMMAND, schema.encode("Command", value)

    show = {"id": "x", "group": "g", "text": "hi", "duration_ms": 900}
    first = ((SETTINGS, settings()), command(show=show))
    take_over = step(TAKE_OVER, struct.pack("<Q", 0))
    # The oldest call of the node is answered as it should be, or it has a turn.
    answers = step(ANSWER, 0, 5, after=10) * 8
    (folder / "seed-plain").write_bytes(
        take_over + batch(*first) + batch(command(update={"id": "x", "text": "more"})) + step(ADVANCE)
        + step(SNAPSHOT, struct.pack("<H", 99), 0, struct.pack("<H", 0))
        + batch(command(show={**show, "id": "y"}), command(dismiss={"id": "y"}), after=power(20))
        + step(SNAPSHOT, struct.pack("<H", 6), 1, struct.pack("<H", 4)) + step(RAISE, 1) + step(HAND_OVER))
    (folder / "seed-node").write_bytes(
        batch(*first) + answers * 2 + step(APPEND, string(log(command(show={**show, "id": "y"})))) + answers
        + take_over + answers)
    (folder / "seed-node-snapshots").write_bytes(
        b"".join(batch(command(show={**show, "id": f"x{n}"})) + step(ANSWER, 0, 5) * 2 for n in range(16)))
    (folder / "seed-node-unknown").write_bytes(
        batch(*first) + answers + b"".join(step(ANSWER, 0, how) for how in (8, 1, 9, 3, 4, 12, 20, 6, 7, 130, 2)))
    (folder / "seed-kinds").write_bytes(
        batch(
            (TIME_ZONE, b"Home\0" + zone_block(b"\0", 4, [], [0])),
            (CONFIGURED_POLICY, schema.encode("Command", {"set_policy": {
                "group": "g", "quiet": [{"from": "22:00", "to": "07:00", "time_zone": "Home"}]}})),
            (WALL_CLOCK, struct.pack("<q", -5000)))
        + batch((AMENDED, struct.pack("<Q", 4) + command(show=show)[1]), after=power(27))
        + batch((REMOVED_POLICY, b"g"), after=power(36)) + batch((REFUSED, bytes(16))))
    (folder / "seed-refused").write_bytes(batch(*first) + step(RAW, string(b"\x63\0\0\0\0")))
    for name in ("plain", "all-fields"):
        state = SNAPSHOTS / f"seed-{name}-snapshot"
        if state.exists():
            # Without the byte that chooses.
            (folder / f"seed-state-{name}").write_bytes(step(STATE, string(state.read_bytes()[1:])) + batch(*first))
    for kind, name in enumerate(("head", "entry", "manifest")):
        values = (HEAD, ENTRY, MANIFEST)[kind][1]
        steps = [record(kind, values)]
        for place in range(len(values)):
            steps += [record(kind, values[:place] + [number] + values[place + 1:]) for number in NUMBERS]
        for number, start in enumerate(range(0, len(steps), 32)):
            (folder / f"seed-edges-{name}-{number}").write_bytes(batch(*first) + b"".join(steps[start:start + 32]))
    for place, name in enumerate(("level", "epoch", "index", "high", "low", "time", "horizon", "chain")):
        values = HEAD[1][:place] + [2**62 - 1] + HEAD[1][place + 1:]
        (folder / f"seed-seen-{name}").write_bytes(batch(*first) + answers + record(0, values, True) + answers)
    (folder / "seed-seen-entry").write_bytes(answers + record(1, [1, 5, 1, 2**62 - 1, 2**62 - 1, 0], True) + answers)
    for number, edge in enumerate(NUMBERS):
        (folder / f"seed-edges-epoch-{number}").write_bytes(
            step(TAKE_OVER, struct.pack("<Q", edge)) + batch(*first) + take_over + answers)
        (folder / f"seed-edges-settings-{number}").write_bytes(batch((SETTINGS, settings(edge))) + batch(*first))
    for name, commands in scenes(schema):
        entries = [batch((COMMAND, schema.encode("Command", one))) for one in commands]
        (folder / f"seed-{name}-commands").write_bytes(batch(*first) + b"".join(entries))
