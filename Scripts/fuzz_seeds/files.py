"""Seeds of subscriptions, of files and of settings: data directories, configurations, time zones, recordings, shards."""

import json
import re
import struct
from pathlib import Path

ZONES = ["Europe/Berlin", "UTC", "Africa/Casablanca", "America/Nuuk"]
POSIX = [
    "CET-1CEST,M3.5.0,M10.5.0/3", "UTC0", "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", "EST5EDT,0/0,J365/25",
    "IST-2IDT,M3.4.4/26,M10.5.0", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "XXX-24:59:59YYY-24:59:59,J1/-167,J365/167",
    "AAA24BBB,0/167,365/-167", "AAA0BBB,M2.5.6/167,M2.5.6/-167",
]
NUMBERS = [-1, 0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64]


def settings(source):
    """The keys of all settings with what they take."""
    kinds = "integer|choice|path|endpoint|flag|fileMode"
    return [(key, kind) for kind, key in re.findall(rf'\.({kinds})\(\s*"([\w.]+)"', source)]


def ranges(source):
    """The lowest and the highest value of the settings that are integers."""
    found = re.findall(r'\.integer\(\s*"([\w.]+)",[^,]*,\s*([^,]*?)\.\.\.([^,]*?),', source)
    return {key: (number(low), number(high)) for key, low, high in found}


def number(text):
    """The value of a number, or of `(a << b)`, as it stands in the source."""
    value, _, places = text.replace("_", "").strip("() ").partition(" << ")
    return int(value) << int(places or 0)


def write(keys, limits, corpus):
    write_subscriptions(corpus / "subscriptions")
    write_rights(corpus / "rights")
    write_journals(corpus / "journals")
    write_configuration(keys, limits, corpus / "configuration")
    write_settings(keys, limits, corpus / "settings")
    write_keys(corpus / "keys")
    write_time_zones(corpus / "time-zones")
    write_recordings(corpus / "recordings")
    write_shards(corpus / "shards")


def write_subscriptions(folder):
    show = '{"producer":"' + "a" * 32 + '","sequence":"1","show":{"id":"x","group":"a/b","text":"hi"}}'
    (folder / "seed-channels").write_text("\n".join([
        show, "<", "<state/", "<state/a/", "<state/a/b/", "<state+json/", "<events/a/b/", "<feed/", "<heartbeat/",
        "<acks/" + "a" * 32 + "/", "<acks+json/" + "A" * 32 + "/", "<sync/c/1/*/", "<sync/c/1/a/b/", "<sync+json/c/2/a/",
        "<replies/c/1/", "<replies+json/c/1/", "+1000", '{"query":{"client":"c","nonce":"1","list":{}}}', "+5000",
    ]))
    (folder / "seed-withdrawn").write_text("\n".join([
        ">", ">state/", "> ", ">state+json/", ">sync/c/1/*/", ">heartbeat/", show, "+5000", "<state/", ">state/", ">state/", "+5000",
    ]))
    (folder / "seed-strange").write_bytes(
        b"<\0\n<state\n<state//\n<sync/\n<sync//\n<sync/c/\n<sync/c/n/\n<sync/c/n//\n<acks//\n<\xff\xfe/\n<state/\xc3/\n"
        b"<" + b"x" * 300 + b"\n<state/" + b"y/" * 200 + b"\n<sync/" + b"c" * 70 + b"/n/*/\n+1000\n")
    # Names, groups and patterns as long as they may be, and longer by one; numbers in their places.
    names = ["n" * length for length in (1, 63, 64, 65, 200, 201)]
    groups = ["/".join(["s"] * count) for count in (1, 8, 9)] + ["s" * 64, "s" * 65, "/".join(["s" * 24] * 8), "/".join(["s" * 25] * 8)]
    topics = [f"sync/{name}/1/*/" for name in names] + [f"sync/c/{name}/g/" for name in names] + [f"replies/{name}/1/" for name in names]
    topics += [f"sync/c/{index}/{group}/" for index, group in enumerate(groups)] + [f"events/{group}/" for group in groups]
    topics += [f"acks/{'f' * length}/" for length in (31, 32, 33)]
    (folder / "seed-edges-lengths").write_text("\n".join(["<" + topic for topic in topics] + ["+1000"]) + "\n")
    (folder / "seed-edges-numbers").write_text("\n".join(
        [f"<sync/c/{number}/*/" for number in NUMBERS] + [f"<sync+json/{number}/1/{number}/" for number in NUMBERS]
        + [show.replace('"1"', f'"{number}"') for number in NUMBERS] + [f"+{number}" for number in NUMBERS[:6]]) + "\n")
    (folder / "seed-many").write_text("tight\n" + "\n".join(f"<sync/c/{n}/*/" for n in range(40)) + "\n+100\n")


def write_rights(folder):
    def show(id, group, more=""):
        return f'{{"show":{{"id":"{id}","group":"{group}","text":"t"{more}}}}}'

    prefixes = [
        "", "state", "state/", "state/g/", "state/g/x/", "state/a/b/", "state+json/g/", "state+frame/gg/", "events/g/x/",
        "events+json/", "feed/", "heartbeat/", "acks/" + "a" * 32 + "/", "replies/c/", "sync/c/1/g/", "sync/c/1/*/",
    ]
    both = ["@ann", *("<" + prefix for prefix in prefixes), "@bob", *("<" + prefix for prefix in prefixes)]
    (folder / "seed-reading").write_text("\n".join(
        [*both, "@", *(show(f"s{n}", group) for n, group in enumerate(["g", "g/x", "a/b", "h"])), "+9000", "!", *both, "+9000"]))
    (folder / "seed-own").write_text("\n".join([
        "@", show("theirs", "g", ',"collapseKey":"k"'), show("far", "h"), "@ann",
        show("mine", "g", ',"collapseKey":"k"'), show("mine", "g", ',"collapseKey":"l"'), show("high", "g", ',"priority":4'),
        show("late", "g", ',"collapseKey":"l","delayMs":9'), show("alone", "g", ',"exclusive":"GROUP"'), show("all", "g", ',"exclusive":"ALL"'),
        *('{"%s":{"id":"%s","text":"u"}}' % ("update", id) for id in ("mine", "theirs", "far", "none")),
        *('{"%s":{"id":"%s"}}' % ("dismiss", id) for id in ("mine", "theirs", "far", "none")),
        '{"clear":{"selector":{"group":"g"}}}', '{"suspend":{"group":"a/*","token":"t"}}', "@bob",
        '{"resume":{"token":"t"}}', '{"lease":{"client":"r","groups":["g/x"]}}', '{"lease":{"client":"r","groups":["*"]}}',
        '{"query":{"client":"c","nonce":"1","list":{"selector":{"group":"*"}}}}', '{"query":{"client":"c","nonce":"2","whoami":{}}}', "!",
    ]))
    sequence = '"producer":"' + "a" * 32 + '","sequence":"%d",'
    (folder / "seed-names").write_text("\n".join([
        "@ann", "{" + sequence % 1 + show("a", "g")[1:], "@bob", "<acks/" + "a" * 32 + "/", "{" + sequence % 2 + show("b", "g/x")[1:],
        '{"lease":{"client":"n","groups":["g/x"]}}', "@ann", "<replies/n/", '{"query":{"client":"n","nonce":"1","whoami":{}}}', "+5000",
    ]))


def write_journals(folder):
    # Kinds: zero, flip, cut, overwrite, insert, extend, remove, exchange.
    for template in range(3):
        (folder / f"seed-whole-{template}").write_bytes(bytes([template]))
        for kind in range(8):
            damage = bytes([kind, kind])
            if kind in (3, 4):
                damage += b"\x64\x10\0" + struct.pack("<H", 8) + b"\xff" * 8
            elif kind == 7:
                damage += b"\1"
            else:
                damage += b"\x64\x10\0" + struct.pack("<H", 4096)
            (folder / f"seed-{template}-{kind}").write_bytes(bytes([template]) + damage)


def write_configuration(keys, limits, folder):
    def sections(values):
        whole = {}
        for key, value in values.items():
            at = whole
            *path, last = key.split(".")
            for name in path:
                at = at.setdefault(name, {})
            at[last] = value
        return yaml(whole)

    others = {"choice": "info", "path": '""', "endpoint": "tcp://127.0.0.1:5570", "flag": "false", "fileMode": "0660"}
    (folder / "seed-settings").write_text(sections({key: others.get(kind, "65536") for key, kind in keys}))
    for end, name in enumerate(("lowest", "highest")):
        (folder / f"seed-accepted-{name}").write_text(sections({key: ends[end] for key, ends in limits.items()}))
    (folder / "seed-security").write_text("""security:
  curve: {secretKeyFile: broker.key}
  users:
    - name: freight
      publicKey: "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
    - {name: lobby, publicKey: "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"}
    - {name: lobby, publicKey: short, roles: []}
  ipcMode: 0600
""")
    (folder / "seed-policies").write_text("""policies:
  - group: "*"
    preset: FIFO
    gapMs: 10
    caps: [{capKey: k, most: 3, perMs: 60000}]
    quiet:
      - {from: "22:00", to: "07:00", timeZone: Europe/Berlin, minPriority: 5}
  - group: a/*
    higher: PAUSE
    peers: DEFER
    lower: NEVER
    maxWaiting: 4294967295
defaults:
  - group: a
    durationMs: 500
    presentation: {scene: CENTER, title: "t"}
    actions: [{id: ok, label: OK}]
""")
    for number, value in enumerate(NUMBERS):
        (folder / f"seed-edge-{number:02}").write_text(
            f"limits: {{groups: {value}, contentBytes: {value}}}\npolicies: [{{group: g, gapMs: {value}, agingMs: {value}, "
            f"quorum: {value}, caps: [{{most: {value}, perMs: {value}}}]}}]\n"
            f"defaults: [{{group: g, priority: {value}, durationMs: {value}}}]\n")
    (folder / "seed-strange").write_text(
        "a: &a [*a]\nlimits: !!binary aGk=\nb: {<<: *a}\n? [x]\n: y\n--- \n%YAML 1.2\n...\nlog: |\n  level\n\"\\x00\": ~\n")
    (folder / "seed-aliases").write_text(
        "a: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: &c [*b, *b, *b, *b]\npolicies: [*c, *c]\n")
    (folder / "seed-deep").write_text("policies: " + "[" * 60 + "]" * 60 + "\n")


def yaml(value, indent=0):
    lines = []
    for key, one in value.items():
        if isinstance(one, dict):
            lines.append(" " * indent + f"{key}:\n" + yaml(one, indent + 2))
        else:
            lines.append(" " * indent + f"{key}: {one}\n")
    return "".join(lines)


def write_settings(keys, limits, folder):
    for number, value in enumerate(NUMBERS):
        lines = [f"{key}={value}" for key, kind in keys if kind == "integer"]
        # In parts: one setting that is refused hides what is accepted.
        (folder / f"seed-edge-{number:02}").write_text("\n".join(lines) + "\n")
    for end, name in enumerate(("lowest", "highest")):
        lines = [f"{key}={ends[end]}" for key, ends in limits.items()]
        (folder / f"seed-accepted-{name}").write_text("\n".join([*lines, "log.level=debug", "POPUP_BROKER_LOG_FORMAT=json"]) + "\n")
    (folder / "seed-texts").write_text("\n".join([
        "log.level=trace", "log.format=json", "journal.durability=full", "journal.directory=/x/é", "recording.file=",
        "ingress.endpoint=tcp://127.0.0.1:65536", "egress.endpoint=ipc:///tmp/x", "ingress.endpoint=tcp://[::1]:*",
        "POPUP_BROKER_INGRESS=tcp://*:5570", "POPUP_BROKER_EGRESS=tcp://*:5570", "POPUP_BROKER_LIMIT_GROUP=1", "limit.groups=1",
        "=", "", "limits.groups", "limits.groups=+1", "limits.groups= 1", "limits.groups=1e3", "limits.groups=٣",
    ]))


def write_keys(folder):
    public, secret = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7", "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"
    files = {
        "both": f'# A key.\nmetadata\n    name = "freight"\ncurve\n    public-key = "{public}"\n    secret-key = "{secret}"\n',
        "public": f"curve\r\n\tpublic-key = '{public}' # known\r\n", "bare": public + "\n",
        "mismatch": f'curve\n    public-key = "{secret}"\n    secret-key = "{secret}"\n', "open": f'curve\n    public-key = "{public}\n',
    }
    for name, text in files.items():
        (folder / f"seed-file-{name}").write_bytes(b"F" + text.encode())
    requests = {
        "curve": [b"popup-broker", b"127.0.0.1", b"", b"CURVE", bytes(range(32))], "plain": [b"", b"::1", b"me", b"NULL"],
        "short-key": [b"d", b"a", b"i", b"CURVE", bytes(31)], "more": [b"d", b"a", b"i", b"CURVE", bytes(32), b""],
        "none": [], "password": [b"d", b"a", b"i", b"PLAIN", b"name", b"word"],
    }
    for name, frames in requests.items():
        body = b"".join(struct.pack("<H", len(frame)) + frame for frame in frames)
        (folder / f"seed-request-{name}").write_bytes(b"Z" + body)


def write_time_zones(folder):
    for zone in ZONES:
        path = Path("/usr/share/zoneinfo") / zone
        if path.exists():
            (folder / f"seed-{zone.replace('/', '-')}").write_bytes(path.read_bytes())
    for number, text in enumerate(POSIX):
        (folder / f"seed-posix-{number}").write_bytes(b"P" + text.encode())
    # Versions 1 and 2 with times, offsets and counts at the edges.
    times = [-(2**63), -(2**53), 0, 2**31, 2**53, 2**63 - 1]
    (folder / "seed-edge-times").write_bytes(
        zone_block(b"2", 4, [], [0]) + zone_block(b"2", 8, times, [93_600, -93_600]) + b"\nAAA-1BBB,M3.5.0,M10.5.0/3\n")
    (folder / "seed-edge-one").write_bytes(zone_block(b"\0", 4, [-(2**31), 0, 2**31 - 1], [3600, 0]))
    (folder / "seed-edge-counts").write_bytes(zone_block(b"\0", 4, [], [0], (2**32 - 1,) * 6))
    (folder / "seed-edge-offset").write_bytes(zone_block(b"\0", 4, [0], [2**31 - 1, -(2**31)]))


def zone_block(version, size, times, offsets, counts=None):
    """A block of TZif (RFC 9636) whose times have `size` bytes; `counts` replaces the true counts."""
    head = b"TZif" + version + bytes(15)
    numbers = counts or (0, 0, 0, len(times), len(offsets), 4)
    body = b"".join(struct.pack(">q" if size == 8 else ">i", t) for t in times) + bytes(i % len(offsets) for i in range(len(times)))
    body += b"".join(struct.pack(">iBB", offset, 0, 0) for offset in offsets) + b"AAA\0"
    return head + struct.pack(">6I", *numbers) + body


def write_recordings(folder):
    (folder / "seed-plain").write_text("\n".join([
        '{"at":0,"show":{"id":"a","group":"g","durationMs":500,"text":"hi"}}',
        '{"at":"10","setPolicy":{"group":"g","preset":"FIFO","caps":[{"most":1,"perMs":1000}]}}',
        '{"at":20,"lasts":true,"lease":{"client":"r","groups":["*"]}}', '{"at":30,"removePolicy":{"group":"g"}}',
        '{"commands":[{"show":{"group":"g"}},{"show":{"group":"h"}}],"at":40}',
        '{"at":900,"query":{"client":"c","nonce":"1","explain":{"id":"a"}}}',
    ]))
    for number, value in enumerate(NUMBERS):
        (folder / f"seed-edge-{number:02}").write_text(
            f'{{"at":{value},"show":{{"group":"g","durationMs":{value}}}}}\n{{"show":{{"group":"g","delayMs":{value}}},"at":"{value}"}}\n')
    (folder / "seed-times").write_text("2030-01-31T09:00:00.5+01:00\n")
    (folder / "seed-time-edge").write_text("9999-12-31T23:59:60.999999999-23:59\n")


def write_shards(folder):
    def write(name, shards, groups, **more):
        (folder / f"seed-{name}").write_text(json.dumps({"shards": shards, "groups": groups, **more}))

    def shard(number, **more):
        return {"ingress": f"tcp://10.0.{number}.1:5570", "egress": f"tcp://10.0.{number}.1:5571", **more}

    main = {"main": shard(0)}
    write("one", main, {"*": "main"})
    write("nodes", {
        "main": {"ingress": ["tcp://a:1", "tcp://b:1"], "egress": ["tcp://a:2", "tcp://b:2"], "keyFile": "me.key",
                 "serverKeyFile": "broker.key"},
        "south_2": shard(2)}, {"*": "main"})
    write("patterns", {name: shard(number) for number, name in enumerate(("main", "north", "south"))}, {
        "*": "main", "store/*": "north", "store/1": "south", "store/1/*": "south", "store/1/2/*": "main", "lobby": "north",
        "a/b/c/d/e/f/g/*": "south", "é/*": "north"})
    for count in (64, 65):
        write(f"many-{count}", {f"s{number}": shard(number) for number in range(count)},
              {"*": "s0", **{f"g{number}/*": f"s{number}" for number in range(count)}})
    for length in (64, 65):
        write(f"names-{length}", {"n" * length: shard(0)}, {"*": "n" * length, "s" * length: "n" * length})
    wrong = {
        "no-default": (main, {"a": "main"}), "unknown": (main, {"*": "none"}), "no-group": (main, {"*": "main", "a//b": "main"}),
        "dot": ({"a.b": shard(0)}, {"*": "a.b"}), "name": ({"Café": shard(0)}, {"*": "Café"}), "empty-list": ({"main": {"ingress": [], "egress": "x"}}, {"*": "main"}),
        "empty-text": ({"main": {"ingress": "", "egress": "x"}}, {"*": "main"}), "member": ({"main": shard(0, port=1)}, {"*": "main"}),
        "no-object": ([], {"*": "main"}), "number": (main, {"*": 1}), "missing": ({"main": {"ingress": "x"}}, {"*": "main"}),
    }
    for name, (shards, groups) in wrong.items():
        write(f"wrong-{name}", shards, groups)
    write("wrong-top", main, {"*": "main"}, version=1)
    (folder / "seed-twice").write_text('{"shards":{"a":{"ingress":"x","egress":"y"},"a":{}},"groups":{"*":"a","*":"b"}}')
    (folder / "seed-deep").write_text('{"shards":' + '{"a":' * 500 + "}" * 500 + "}")
