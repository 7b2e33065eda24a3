"""Seeds of what a gateway sends to clients over HTTP, and of the requests that it gets."""

import json

from .frames import numbers_at_edges, scenes
from .schema import EDGES, as_json, put

INTEGERS = [0, 1, -1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 2**64, 1e3, 0.5]


def line(event, **fields):
    return json.dumps({"event": event, **fields}, separators=(",", ":"))


def only(value, path):
    """A copy with what is on the path, and nothing else."""
    if isinstance(value, list):
        return [only(value[0], path)]
    return {path[0]: only(value[path[0]], path[1:])} if path else value


def write_feed(schema, folder):
    hello, synced = line("hello", protocol=1, heartbeatMs=15000, connected=True), line("synced", epoch="1", states=1)
    whole = schema.sample("GroupState")

    def state(**fields):
        return line("state", **as_json({
            "group": "g", "epoch": 1, "waiting": 2, "active": {"id": "x", "group": "g", "text": "hi"}, **fields}))

    (folder / "seed-stream").write_text("\n".join([
        line("retry", retryMs=3000), hello, state(**{**whole, "revision": 4}), synced, state(revision=5), line("ping", time="1"),
        line("broker", connected=False), line("broker", connected=True), state(revision=5), synced, line("retry", retryMs=1500), "!",
        hello, synced, ""]))
    (folder / "seed-busy").write_text("\n".join([hello, line("busy", retryAfterMs=8000), line("retry", retryMs=8000), "!", hello, ""]))
    (folder / "seed-back").write_text("\n".join([
        hello, *(state(epoch=epoch, revision=revision) for epoch in (1, 2**63, 0) for revision in (2**64 - 1, 3, 4)), synced, "!", synced,
        state(epoch=2**63, revision=2**64 - 1), ""]))
    (folder / "seed-tight-groups").write_text("\n".join(["tight", hello, *(state(group=f"g{n}") for n in range(9)), synced, "!", synced, ""]))
    (folder / "seed-tight-bytes").write_text("\n".join([
        "tight", hello, *(line("state", group="g", epoch="1", revision=str(n), active={"id": "x" * 450 * n}) for n in range(6)), ""]))
    times = [line(event, **{field: number}) for event, field in (("hello", "heartbeatMs"), ("busy", "retryAfterMs"), ("retry", "retryMs"))
             for number in INTEGERS]
    (folder / "seed-edges-times").write_text("\n".join([hello, *times, ""]))
    states = []
    for path, type_ in schema.numbers("GroupState"):
        try:
            least = {"group": "g", "epoch": 1, "revision": 3, "waiting": 1, **only(whole, path)}
            states += [line("state", **as_json(put(least, path, number))) for number in EDGES[type_]]
        except KeyError:
            continue
    for number, start in enumerate(range(0, len(states), 32)):
        # The second connection brings none of them: they become empty.
        (folder / f"seed-edges-state-{number:02}").write_text("\n".join([hello, *states[start:start + 32], synced, "!", hello, synced, ""]))
    (folder / "seed-strange").write_text("\n".join([
        "<html>", "{}", "[1]", "", '{"event":1}', '{"event":"state"}', '{"event":"state","group":null}', '{"event":"news","x":[{}]}',
        '{"event":"hello","connected":1}', '{"event":"state","epoch":"-1"}', "[" * 600, '{"event":"a","b":' + "[" * 600 + "]" * 600 + "}",
        '{"event":"synced"', hello, ""]))
    (folder / "seed-problem").write_text(json.dumps(
        {"type": "/problems/overload", "status": 429, "detail": "wait", "reason": "OVERLOAD", "retryAfterMs": 50}))


TIMES = ["0ms", "1s", "4294967295ms", "4294967296ms", "4294968s", "1193h", "1194h", "-1s", "1.5s", "٣s", "s", "", "99999999999999999999h"]
ALERT = {
    "status": "firing", "fingerprint": "f1", "startsAt": "2026-01-02T03:04:05Z", "labels": {"alertname": "Disk", "severity": "critical"},
    "annotations": {"summary": "full"},
}
WORKFLOW = {
    "workflow_run": {"id": 2**53, "run_attempt": 1, "name": "CI", "conclusion": "failure", "head_branch": "main"},
    "repository": {"full_name": "o/r"},
}


def request(method, target, body="", **headers):
    lines = [f"{method} {target}"] + [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\n".join(lines) + "\n\n" + (body if isinstance(body, str) else json.dumps(body, separators=(",", ":")))


def write_requests(schema, folder):
    """Requests of HTTP, each in a file: its first line, its headers, an empty line, its body."""
    whole, kinds = schema.sample("Command"), schema.choice("Command")
    # The gateway numbers the commands.
    commands = [
        {kind: body for kind, body in as_json(command).items() if kind not in ("producer", "sequence")}
        for command in dict(scenes(schema))["all-fields"]]
    requests = {f"command-{number:02}": request("POST", "/v1/commands", command) for number, command in enumerate(commands)}
    requests["batch"] = request("POST", "/v1/commands", {"commands": commands}, idempotency_key="k")
    edges = [as_json(edge) for kind in kinds for edge, _ in numbers_at_edges(schema, {kind: whole[kind]})]
    for number, start in enumerate(range(0, len(edges), 64)):
        requests[f"edges-{number:02}"] = request("POST", "/v1/commands", {"commands": edges[start:start + 64]})
    show = {
        "group": "g", "text": "hi", "priority": 3, "durationMs": 900, "actions": [{"id": "ok", "label": "OK"}], "collapseKey": "k",
        "presentation": {"title": "t"},
    }
    policy = {"group": "g", "preset": "FIFO", "gapMs": 100}
    requests |= {
        "show": request("POST", "/v1/popups?wait=5s", show, content_type="application/json; charset=utf-8", idempotency_key="a b"),
        "show-page": request("POST", "/v1/popups", "<p>", content_type="text/html"),
        "put": request("PUT", "/v1/popups/a%2Fb%20%C3%A9", show),
        "patch": request("PATCH", "/v1/popups/x?group=g", {"text": "more", "priority": -(2**31), "id": ""}),
        "cancel": request("DELETE", "/v1/popups/x?group=g&action=no+%22thanks%22"),
        "dismiss": request("POST", "/v1/popups/x/dismiss", {"revision": str(2**64 - 1), "client": "r", "group": "g"}),
        "answer": request("POST", "/v1/popups/x/answer", {"client": "r", "group": "g", "later": {}}),
        "report": request("POST", "/v1/popups/x/report", {"client": "r", "group": "g", "displayed": {}}),
        "explain": request("GET", "/v1/popups/%00%1b%7f?group=g&wait=1m"),
        "advance": request("POST", "/v1/advance/a/b"), "clear": request("POST", "/v1/clear", {"selector": {"group": "g"}}),
        "suspend": request("POST", "/v1/suspend", {"group": "g", "token": "t"}), "resume": request("POST", "/v1/resume", {"token": "t"}),
        "session": request("POST", "/v1/session", {"group": "g", "session": "s"}), "page": request("POST", "/v1/page", {"tree": "t", "enter": {"node": "a"}}),
        "policy": request("PUT", "/v1/policy", policy), "policy-of": request("GET", "/v1/policy?group=g/*"),
        "list": request("GET", "/v1/popups?group=*&surface=s&producer=" + "a" * 32 + "&active=1&count=1"),
        "groups": request("GET", "/v1/groups?after=%F0%9F%92%A1"), "suspensions": request("GET", "/v1/suspensions?group=a/*"),
        "queue": request("GET", "/v1/queue/a"), "stats": request("GET", "/v1/stats"), "metrics": request("GET", "/metrics"),
        "state": request("GET", "/v1/state/a/b?wait=20s", if_none_match='"1:2"'), "page-file": request("GET", "/", if_none_match='"x"'),
        "theme": request("GET", "/themes/a%0d%0ab.css"), "overlay": request("HEAD", "/overlay/x?group=g"),
        "stream": request("GET", "/v1/stream?group=g&group=a/*&client=r&report=manual&format=sse", last_event_id="7:9@g"),
        "events": request("GET", f"/v1/events?group=*&last={2**64}", accept="text/event-stream", last_event_id=f"0-{2**64 - 1}"),
        "rights": request("GET", "/v1/session-cookie", authorization="", cookie="a=b; __Host-popup=secret; popup=other", sec_fetch_site="same-origin"),
        "cookie": request("POST", "/v1/session-cookie", authorization="bearer  secret", origin="https://pages.example", x_popup="1"),
        "no-cookie": request("DELETE", "/v1/session-cookie", host="127.0.0.1:8570"), "host": request("GET", "/v1/stats", host="[::1]:"),
        "stranger": request("GET", "/v1/stats", authorization="Basic c2VjcmV0", cookie="popup=\";="),
        "preflight": request("OPTIONS", "/v1/popups", origin="https://pages.example", access_control_request_method="PUT"),
        "what-if": request("POST", "/v1/what-if?since=1h", policy),
        "alerts": request("POST", "/v1/hooks/alerts", {"alerts": [ALERT, {**ALERT, "status": "resolved"}, {}, 1, None]}),
        "alerts-many": request("POST", "/v1/hooks/alerts", {"alerts": [{}] * 257}),
        "builds": request("POST", "/v1/hooks/builds", WORKFLOW, authorization="", x_signature="sha256=" + "0" * 64),
        "fields": request("POST", "/v1/hooks/fields", {"g": "g", "n": 1e300, "list": [{"x": "y"}], "m/~n": True, "time": "4294967296ms"}),
        "deep": request("POST", "/v1/hooks/fields", '{"g":' + "[" * 400 + "]" * 400 + "}"),
        "deeper": request("POST", "/v1/hooks/fields", "[" * 2000), "deep-show": request("POST", "/v1/popups", '{"flow":' * 600 + "1"),
        "methods": request("BREW", "/v1/popups/%"), "nowhere": request("GET", "/v2/%22%5c?%"),
    }
    texts = [f"priority={number}" for number in INTEGERS] + [f"{name}={time}" for name in ("duration", "wait") for time in TIMES]
    texts += ["scene=top-bar&style=a%00b&title=%1b[31m&action=ok:OK&action=:&action=&id=%2f", "scene=%22", "collapse=%ff&titel=x", "=&&=%"]
    for number, query in enumerate(texts):
        requests[f"text-{number:02}"] = request("POST", f"/v1/show/g?{query}", "hi\tthere\0\x1b")
    for name, text in requests.items():
        (folder / f"seed-{name.replace('_', '-')}").write_text(text)
