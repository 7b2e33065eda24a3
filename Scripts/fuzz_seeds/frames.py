"""Seeds of frames: each command with all of its fields, and each numeric field at the edges of the integer types."""

import json
import re
import struct

from .schema import EDGES, as_json, put

FRAMES_A_FILE = 32


def scenes(schema):
    """Series of commands by name: realistic ones, and each numeric field at its edges."""
    # Of Command.command: one at a time.
    kinds = schema.choice("Command")
    choices = {
        "update": ["text"], "report": ["displayed", "visible", "hidden"], "answer": ["accept", "veto", "later"],
        "page": ["open", "enter", "close", "clear"],
        "query": schema.choice("Query"),
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
        edges += [edge for edge, _ in numbers_at_edges(schema, command)]
    for start in range(0, len(edges), FRAMES_A_FILE):
        yield f"edges-{start // FRAMES_A_FILE:02}", edges[start:start + FRAMES_A_FILE]


def numbers_at_edges(schema, command):
    """A command with each of its numeric fields at the edges, and the way to the field."""
    kind = next(iter(command))
    message = schema.resolve(next(t for f, _, t, _ in schema.messages["Command"] if f == kind), "Command")
    for path, type_ in schema.numbers(message):
        if path[0] not in command[kind]:
            continue
        # With little beside it, so that the number is what decides.
        base = {k: v for k, v in command[kind].items() if k in ("id", "group", "client", "nonce", "token", path[0])}
        for number in EDGES[type_]:
            yield {kind: put(base, path, number)}, path


# How JSON may write numbers beside plain ones.
WRITTEN = ["1e3", "1.5", "-0", "1e400", "\"1e3\"", "\"0x10\"", "\" 1\"", "\"\"", "null", "true", "9" * 400, "0.0", "1E+2", "01"]


# What users are allowed by: a show and an update by their priority, the others by what they reach.
LIMITED = ("priority", "priority_below", "priority_above", "min_priority", "revision", "limit")


def write_rights(schema, folder):
    """Numbers at the edges in what users with limited rights send."""
    whole, group = schema.sample("Command"), {"group": "g"}
    commands = [{kind: whole[kind]} for kind in ("show", "update", "dismiss", "clear", "suspend")]
    commands += [
        {"query": {**{k: whole["query"][k] for k in ("client", "nonce")}, name: whole["query"][name]}} for name in ("list", "count", "history")]
    edges = [edge for command in commands for edge, path in numbers_at_edges(schema, command) if path[-1] in LIMITED]
    numbered = [
        {"producer": "a" * 32, "sequence": number, "show": {"id": f"n{index}", **group}} for index, number in enumerate(EDGES["uint64"])]
    edges = numbered + edges
    for start in range(0, len(edges), FRAMES_A_FILE // 2):
        lines = [
            "@", '{"show":{"id":"x","group":"g"}}', "@ann", "<state/g/", f"<acks/{'a' * 32}/", '{"show":{"id":"y","group":"g","text":"mine"}}']
        for index, command in enumerate(edges[start:start + FRAMES_A_FILE // 2]):
            line = json.dumps(as_json(command), separators=(",", ":"))
            lines += [line, "@bob" if index % 8 == 3 else "@ann"] if index % 4 == 3 else [line]
        (folder / f"seed-edges-{start // (FRAMES_A_FILE // 2):02}").write_text("\n".join([*lines, "+300", "!"]) + "\n")


def write(schema, corpus):
    write_rights(schema, corpus / "rights")
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
        (corpus / "frames-json" / f"seed-{name}").write_text("\n".join(lines) + "\n")
        (corpus / "frames-binary" / f"seed-{name}").write_bytes(steps)
    written = [f'{{"show":{{"group":"g","priority":{text},"durationMs":{text}}}}}' for text in WRITTEN]
    written += [f'{{"producer":"{"a" * 32}","sequence":{text},"advance":{{"group":"g"}}}}' for text in WRITTEN]
    (corpus / "frames-json" / "seed-written").write_text("tight\n" + "\n".join(written) + "\n")
    batch = {"commands": [json.loads(line) for line in lines[:3] if line.startswith("{")]}
    (corpus / "frames-json" / "seed-batch").write_text(
        json.dumps(batch) + "\n<sync/c/n/*/\n+9000\n!\n>state/\n<state/g/\n{\"commands\":[1,{},[]]}\n")
