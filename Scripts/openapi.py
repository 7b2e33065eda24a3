#!/usr/bin/env python3
"""Writes Gateway/web/openapi.json, the description of the gateway's requests: the paths from this file, the bodies from
the schema of the wire. `--check` compares it instead. Afterwards, Scripts/web_files.py puts it into the gateway's code.
"""

import json
import pathlib
import re
import sys

import wire_schema

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "Gateway/web/openapi.json"
SWIFT_VERSION = ROOT / "Sources/PopupProtocol/ProtocolVersion.swift"


# MARK: Bodies, from the schema of the wire

NUMBERS = {
    "int32": {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
    "uint32": {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
    "uint64": {"type": ["string", "integer"], "pattern": "^[0-9]{1,20}$", "minimum": 0,
               "description": "64 bits: a string, because numbers in JavaScript have 53. A number is accepted too."},
}
SCALARS = {"string": {"type": "string"}, "bool": {"type": "boolean"}, "bytes": {"type": "string", "format": "byte"}}


class Bodies:
    """The messages of the wire as JSON Schema: those that the paths use, and what they consist of."""

    def __init__(self, text):
        self.schema = wire_schema.Schema(text)
        self.comments = wire_schema.comments(text)
        self.used = {}

    def reference(self, name):
        if name not in self.used:
            self.used[name] = {}
            self.used[name] = self.message(name)
        return {"$ref": f"#/components/schemas/{name}"}

    def message(self, name):
        properties, required = {}, []
        for _, field, type_, label, _ in sorted(self.schema.messages[name]):
            if (name, field) == ("Command", "by"):
                continue
            kind = self.schema.resolve(type_, name)
            if kind in self.schema.messages:
                value = self.reference(kind)
            elif kind in self.schema.enums:
                value = {"type": "string", "enum": [word for word, _ in self.schema.enums[kind]]}
            else:
                value = dict(NUMBERS.get(type_) or SCALARS[type_])
            if label == "repeated":
                value = {"type": "array", "items": value}
            rule, is_required = self.schema.rules.get((name, field), ("", False))
            if label == "repeated" and rule.isdigit():
                value["maxItems"] = int(rule)
            if comment := self.comments.get((name, field)):
                value["description"] = " ".join(filter(None, (comment, value.get("description"))))
            # The path names the popup.
            if is_required and field != "id":
                required.append(wire_schema.json_name(field))
            properties[wire_schema.json_name(field)] = value
        body = {"type": "object", "additionalProperties": False, "properties": properties}
        if required:
            body["required"] = required
        if comment := self.comments.get((name, "")):
            body["description"] = comment
        return body


# MARK: Paths

bodies = Bodies((ROOT / "Sources/PopupProtocol/Schema/popup_broker.proto").read_text(encoding="utf-8"))

TIME = {"type": "string", "pattern": "^[0-9]{1,9}(ms|s|m|h)$", "examples": ["20s"]}
ACCEPTED = {
    "type": "object", "required": ["accepted"], "additionalProperties": False,
    "properties": {"accepted": {"const": True}},
}
SHOWN = {
    "type": "object", "required": ["id"], "additionalProperties": False,
    "properties": {
        "id": {"type": "string", "description": "The id of the popup."},
        "closed": {
            "type": "object", "required": ["reason", "action", "displayedMs"],
            "description": "With `wait`: how the popup closed.",
            "properties": {
                "reason": {"type": "string"}, "action": {"type": "string"},
                "displayedMs": {"type": "integer", "minimum": 0},
            },
        },
    },
}
PROBLEM = {
    "type": "object", "required": ["type", "title", "status", "detail", "reason"],
    "description": "What went wrong (RFC 9457).",
    "properties": {
        "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
        "detail": {"type": "string", "description": "A sentence that says what was wrong, and what to do."},
        "reason": {"type": "string", "description": "The word of the protocol or of the gateway."},
        "retryAfterMs": {"type": "integer", "description": "The time in ms after which the request may be sent again."},
        "sent": {"enum": [False, "unknown"], "description": "Whether the command was sent: false, or not known."},
        "id": {"type": "string", "description": "The id of the popup, for a repetition."},
    },
}
RESULTS = {
    "type": "object", "required": ["results"], "properties": {"results": {"type": "array", "items": {
        "type": "object",
        "properties": {
            "accepted": {"const": True}, "id": {"type": "string"}, "status": {"type": "integer"},
            "refused": {"$ref": "#/components/schemas/Problem"},
        },
    }}},
}
RIGHTS = {
    "type": "object", "required": ["name", "rights"], "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "description": "The name of the token."},
        "rights": {
            "type": "object", "additionalProperties": False,
            "description": "The names and patterns of each right that the token has.",
            "properties": {right: {"type": "array", "items": {"type": "string"}, "minItems": 1} for right in (
                "show", "update", "dismiss", "watch", "render", "events", "query", "control")},
        },
    },
}
COUNT = {"type": "object", "required": ["popups"], "properties": {"popups": {"type": "integer", "minimum": 0}}}

OUTCOME = {
    "type": "object", "required": ["end", "shownAt"],
    "properties": {
        "shownAt": {"type": "array", "items": {"type": "integer"}, "description": "The times in ms since 1970."},
        "end": {"enum": ["CLOSED", "REFUSED", "OPEN"]}, "reason": {"type": "string"}, "action": {"type": "string"},
        "endedAt": {"type": "integer"}, "displayedMs": {"type": "integer", "minimum": 0},
    },
}
WHAT_IF = {
    "type": "object", "required": ["differences", "more", "notes"],
    "properties": {
        "differences": {"type": "array", "maxItems": 200, "items": {
            "type": "object", "required": ["popup", "group", "changes", "was", "now"],
            "properties": {
                "popup": {"type": "string"}, "group": {"type": "string"}, "content": {"type": "string"},
                "ttlMs": {"type": "integer", "minimum": 0},
                "changes": {"type": "array", "minItems": 1, "items": {"enum": [
                    "EARLIER", "LATER", "NEVER", "ONLY_NOW", "MORE_OFTEN", "LESS_OFTEN", "ENDS_DIFFERENTLY"]}},
                "shownLaterMs": {"type": "integer"}, "was": OUTCOME, "now": OUTCOME,
            },
        }},
        "more": {"type": "integer", "minimum": 0, "description": "The number of further ones."},
        "notes": {"type": "array", "items": {"type": "string"}, "description": "What was compared, what is missing."},
    },
}

STATISTICS = bodies.reference("StatsResult")
bodies.used["StatsResult"]["properties"]["gateway"] = {
    "type": "object", "required": ["version", "whatIf"], "description": "What is known of the gateway.",
    "properties": {
        "version": {"type": "string"},
        "whatIf": {"type": "boolean", "description": "Whether it can compare policies."},
    },
}

PROBLEMS = {
    400: "The request is malformed.", 401: "A token is needed.", 403: "The token lacks a right.",
    404: "There is no such popup, or the token may not do this with it.", 408: "The request took too long to arrive.",
    409: "The popup has changed.",
    413: "The request is too large.", 415: "The body has another type than the request takes.", 421: "The gateway does not serve this host.",
    422: "A value is invalid.", 429: "There are too many requests.",
    500: "The gateway has failed; its log says why.", 501: "This version does not have it.",
    503: "The broker is not reached, and nothing was sent; or the gateway ends while it holds the request.", 504: "The broker has not answered: not known.",
}
# What every request may get.
EVERYWHERE = (400, 401, 403, 408, 413, 421, 422, 429, 500, 501, 503, 504)


def in_path(name, description):
    return {"name": name, "in": "path", "required": True, "description": description,
            "schema": {"type": "string", "minLength": 1}}


def in_query(name, description, schema=None, **further):
    return {"name": name, "in": "query", "description": description, "schema": schema or {"type": "string"}, **further}


ID = in_path("id", "The id of the popup, percent-encoded: one segment.")
GROUP = in_path("group", "The name of the group. Its slashes stay as they are.")
OF_GROUP = in_query("group", "The group of the popup: then the gateway need not ask the broker for it.")
CLIENT_NAME = {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"}
OF_TAB = in_query(
    "tab", "The tab of the renderer: of several tabs with one `client`, a popup is hidden only when none shows it.", CLIENT_NAME)
WAIT = in_query("wait", "How long the request may be held, at most `60s`.", TIME)
KEY = {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "maxLength": 100},
       "description": "Makes the id of the popup, so that a repetition changes nothing."}
BATCH_KEY = {**KEY, "description": "Makes the ids of popups without one, each with its place in the batch."}

paths = {}


def operation(
    method, path, name, right, summary, answers, *, body=None, parameters=(), problems=(), description=None,
    media="application/json",
):
    entry = {"operationId": name, "summary": summary, "tags": [path.split("/")[2].partition("-")[0]]}
    entry["description"] = " ".join(filter(None, (description, f"Right: {right}.")))
    shared = [item for item in parameters if item["in"] == "path"]
    own = [item for item in parameters if item["in"] != "path"]
    paths.setdefault(path, {})
    if shared:
        paths[path]["parameters"] = shared
    if own:
        entry["parameters"] = own
    if body is not None:
        entry["requestBody"] = {"required": True, "content": {media: {"schema": body}}}
        if media == "application/json":
            problems = (*problems, 415)
    entry["responses"] = {}
    for status, (text, schema, *kinds) in sorted(answers.items()):
        answer = {"description": text}
        if schema is not None:
            answer["content"] = {kind: {"schema": schema} for kind in kinds or ["application/json"]}
        if status in (201, 202) and "id" in (schema or {}).get("properties", {}):
            answer["headers"] = {"Location": {"description": "The popup.", "schema": {"type": "string"}}}
        entry["responses"][str(status)] = answer
    for status in sorted({*EVERYWHERE, *problems}):
        entry["responses"][str(status)] = {"$ref": f"#/components/responses/{status}"}
    paths[path][method] = entry


def command(method, path, name, right, summary, body=None, status=200, **further):
    operation(
        method, path, name, right, summary, {status: ("The broker has committed it.", ACCEPTED)}, body=body,
        problems=(404, 409, 501), **further)


def only(message, *required):
    """Returns the body of a message in which fields must be there."""
    return {"allOf": [bodies.reference(message)], "required": list(required)}


SHOWS = {
    202: ("With `wait`: the time is over, and the popup is not closed.", SHOWN),
}
CREATED = {201: ("The broker has committed the popup. With `wait`: it is closed.", SHOWN), **SHOWS}

operation(
    "post", "/v1/popups", "showPopup", "show", "Requests a popup.", CREATED,
    body=bodies.reference("Popup"), parameters=(WAIT, KEY), problems=(409, 501),
    description="Without `id`, the gateway makes one.")
operation(
    "get", "/v1/popups", "listPopups", "query", "Lists live popups, or counts them.",
    {200: ("The popups; with `count`, their number.", {"anyOf": [bodies.reference("ListResult"), COUNT]})},
    parameters=(
        in_query("group", "A name or a pattern; all groups without it."), in_query("surface", "Only of this surface."),
        in_query("producer", "Only of this producer, 32 hexadecimal digits."),
        in_query("active", "`1`: only active ones.", {"enum": ["0", "1"]}),
        in_query("count", "`1`: only the number.", {"enum": ["0", "1"]})))
operation(
    "put", "/v1/popups/{id}", "putPopup", "show", "Requests a popup under an id. A repetition changes nothing.",
    {200: CREATED[201], **SHOWS}, body=bodies.reference("Popup"), parameters=(ID, WAIT), problems=(409, 501))
command(
    "patch", "/v1/popups/{id}", "updatePopup", "update", "Changes a live popup. What is absent stays.",
    bodies.reference("Update"), parameters=(ID, OF_GROUP))
command(
    "delete", "/v1/popups/{id}", "cancelPopup", "dismiss", "Closes a popup as its producer or an administrator's program does.",
    parameters=(ID, OF_GROUP, in_query("action", "What is reported as the action.")))
operation(
    "get", "/v1/popups/{id}", "explainPopup", "watch", "Tells what holds a popup back, or how it closed.",
    {200: ("What is known of the popup.", bodies.reference("ExplainResult"))}, parameters=(ID, OF_GROUP, WAIT),
    problems=(404,), description="With `wait`, the request is held until the popup is closed.")
command(
    "post", "/v1/popups/{id}/dismiss", "dismissPopup", "render", "Closes a popup as a person does.",
    only("Dismiss", "revision"), parameters=(ID, OF_GROUP))
command(
    "post", "/v1/popups/{id}/answer", "answerOffer", "render", "Accepts or declines an offered popup.",
    bodies.reference("Answer"), parameters=(ID, OF_GROUP))
command(
    "post", "/v1/popups/{id}/report", "reportPopup", "render", "Reports that a popup is displayed, visible or hidden.",
    bodies.reference("Report"), status=202, parameters=(ID, OF_GROUP, OF_TAB))
operation(
    "post", "/v1/show/{group}", "showText", "show", "Requests a popup whose text is the body, of any content type but JSON.",
    CREATED, body={"type": "string"}, media="text/plain", problems=(409, 415, 501),
    parameters=(
        GROUP, in_query("title", "The title."), in_query("priority", "The priority.", NUMBERS["int32"]),
        in_query("duration", "The display time.", TIME), in_query("ttl", "The time to live.", TIME),
        in_query("delay", "The delay.", TIME), in_query("style", "The style, such as `warning`."),
        in_query("scene", "Where it is shown.", {"enum": ["center", "bottom-sheet", "top-bar", "full-screen"]}),
        in_query("id", "The id; without it, the gateway makes one."), in_query("collapse", "The collapse key."),
        in_query("action", "An action, `ID:LABEL`.", {"type": "array", "items": {"type": "string"}, "maxItems": 32}),
        WAIT, KEY))
operation(
    "get", "/v1/state/{group}", "stateOfGroup", "watch", "Tells what a group shows.",
    {200: ("The state of the group.", bodies.reference("GroupState")), 304: ("The client has this state.", None)},
    parameters=(
        GROUP, WAIT, {"name": "If-None-Match", "in": "header", "schema": {"type": "string", "pattern": '^W/"[0-9:]+"$'},
                      "description": "The `ETag` of the state that the client has."}),
    description="With `wait`, the request is held until the state differs from the client's.")
operation(
    "get", "/v1/queue/{group}", "queueOfGroup", "query", "Lists the popups of a group in the order of its queue.",
    {200: ("The queue.", bodies.reference("PeekResult"))}, parameters=(GROUP,))
STREAM = (
    "Sent as Server-Sent Events or, as `application/x-ndjson`, in JSON lines. Documentation/Gateway.md describes the "
    "messages.")
GROUPS = in_query(
    "group", "A name or a pattern; several are possible.",
    {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 64}, required=True)
FORMAT = in_query("format", "`sse`: Server-Sent Events, whatever `Accept` says.", {"enum": ["sse"]})
MEDIA = ("text/event-stream", "application/x-ndjson")
operation(
    "get", "/v1/stream", "streamStates", "watch, with `client` also render", "Streams what groups show.",
    {200: ("The stream.", {"type": "string"}, *MEDIA)}, description=STREAM,
    parameters=(
        GROUPS, FORMAT,
        in_query("client", "Makes the stream a renderer of this name.", CLIENT_NAME), OF_TAB,
        in_query("report", "`manual`: the page reports what it displays.", {"enum": ["manual"]}),
        in_query("last", "The id of the last state that the client of one group has, as `Last-Event-ID`.")))
operation(
    "get", "/v1/events", "streamEvents", "events", "Streams the events of groups.",
    {200: ("The stream.", {"type": "string"}, *MEDIA)}, description=STREAM,
    parameters=(GROUPS, FORMAT, in_query("last", "The id of the last event that the client has, as `Last-Event-ID`.")))
operation(
    "get", "/v1/stats", "statistics", 'query of `"*"`', "Tells the broker's statistics.",
    {200: ("The statistics.", STATISTICS)})
operation(
    "get", "/v1/groups", "listGroups", "query", "Lists the groups that the broker knows, with the numbers of their popups.",
    {200: ("A page of groups.", bodies.reference("GroupsResult"))},
    parameters=(
        in_query("group", "A name or a pattern; all groups without it."),
        in_query("after", "The name after which the groups begin.")))
operation(
    "get", "/v1/suspensions", "listSuspensions", "query", "Lists the suspensions that apply to groups.",
    {200: ("The suspensions.", bodies.reference("SuspensionsResult"))},
    parameters=(in_query("group", "A name or a pattern; all groups without it."),))
operation(
    "get", "/v1/policy", "policies", "query", "Lists the policies, or tells the one in force for a group.",
    {200: ("The policies; with `group`, the one in force.",
           {"anyOf": [bodies.reference("PoliciesResult"), bodies.reference("PolicyInForce")]})},
    parameters=(in_query("group", "A name or a pattern."),))
command("put", "/v1/policy", "setPolicy", "control", "Sets a policy.", bodies.reference("SetPolicy"))
command(
    "post", "/v1/advance/{group}", "advanceGroup", "control", "Closes the popup that a group shows.", parameters=(GROUP,))
command("post", "/v1/clear", "clearPopups", "control", "Closes the selected popups.", bodies.reference("Clear"))
command(
    "post", "/v1/suspend", "suspendGroups", "control", "Holds groups back until `resume`.", bodies.reference("Suspend"))
command("post", "/v1/resume", "resumeGroups", "control", "Ends a suspension.", bodies.reference("Resume"))
command("post", "/v1/session", "setSession", "control", "Sets the session of a group.", bodies.reference("SetSession"))
command("post", "/v1/page", "setPage", 'control of `"*"`', "Tells which pages are open.", bodies.reference("Page"))
operation(
    "post", "/v1/commands", "sendCommands", "each command's", "Sends a command or a batch.",
    {200: ("What became of each command. A lone command has the status of its result.", RESULTS),
     **{status: (PROBLEMS[status], {"anyOf": [RESULTS, {"$ref": "#/components/schemas/Problem"}]}, "application/json",
                 "application/problem+json") for status in (404, 409, 501)}},
    body={"anyOf": [bodies.reference("Command"), {"allOf": [bodies.reference("Batch")], "required": ["commands"]}]},
    parameters=(OF_TAB, BATCH_KEY))
operation(
    "post", "/v1/what-if", "whatIf", "query on `*`",
    "Tells the popups whose outcome would differ if this policy had been in force.",
    {200: ("The popups whose outcome differs, at most 200.", WHAT_IF)}, body=bodies.reference("SetPolicy"),
    parameters=(in_query("since", "How far back popups count; an hour without it.", TIME),), problems=(404,))
operation(
    "post", "/v1/hooks/{name}", "takeHook", "show, to close popups also dismiss",
    "Takes the messages of another service: a webhook.",
    {202: ("The popups of the messages.", {
        "type": "object", "required": ["ids"], "properties": {"ids": {"type": "array", "items": {"type": "string"}}}})},
    body={}, media="*/*", parameters=(in_path("name", "The name of the token that has the hook."),), problems=(404, 409, 501))
operation(
    "get", "/v1/session-cookie", "rights", "any", "Tells what the token may do.",
    {200: ("The rights of the token.", RIGHTS)})
operation(
    "post", "/v1/session-cookie", "setCookie", "any", "Puts the token into a cookie, for the dashboard.",
    {204: ("The cookie is set.", None)})
operation(
    "delete", "/v1/session-cookie", "removeCookie", "any", "Removes the cookie.", {204: ("The cookie is removed.", None)})


def document():
    # A lone command's refusal is answered with its status.
    for status in EVERYWHERE:
        if status != 401 and status != 421:
            paths["/v1/commands"]["post"]["responses"][str(status)] = {
                "description": PROBLEMS[status],
                "content": {
                    "application/json": {"schema": RESULTS},
                    "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}},
                },
            }
    responses = {
        str(status): {
            "description": text,
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status, text in PROBLEMS.items()
    }
    version = re.search(r'current = "([^"]+)"', SWIFT_VERSION.read_text(encoding="utf-8"))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "PopupBroker gateway",
            "version": version[1] if version else sys.exit(f"openapi: there is no version in {SWIFT_VERSION}"),
            "description": "Popups for everything that speaks HTTP. Documentation/Gateway.md tells more.",
        },
        "servers": [{"url": "http://127.0.0.1:8570"}],
        "security": [{"token": []}, {"cookie": []}, {"secureCookie": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "popup"},
                "secureCookie": {"type": "apiKey", "in": "cookie", "name": "__Host-popup"},
            },
            "responses": responses,
            "schemas": {"Problem": PROBLEM, **dict(sorted(bodies.used.items()))},
        },
    }


def main():
    content = json.dumps(document(), indent=1, ensure_ascii=False) + "\n"
    if "--check" in sys.argv:
        if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != content:
            sys.exit("openapi: Gateway/web/openapi.json is another one; run Scripts/openapi.py and Scripts/web_files.py")
        return
    TARGET.write_text(content, encoding="utf-8")


main()
