#!/usr/bin/env python3
"""Writes the values that applications have from the client libraries: Sources/PopupValues/Generated/PopupValues.swift.

Each message and enum of the schema that a client takes or returns becomes a type of its own, over the message of the wire.
With `--check` it only says, by its exit code, whether that is what is there.
"""

import re
import sys

from wire_schema import ROOT, SCHEMA, Schema, comments, swift_name, swift_type

TARGET = ROOT / "Sources/PopupValues/Generated/PopupValues.swift"
HEAD = """// Made by Scripts/popup_values.py from Schema/popup_broker.proto: don't edit.
// swift-format-ignore-file

public import PopupProtocol

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif"""

# The name of each value.
NAMES = {
    "Popup": "Popup",
    "Popup.Exclusive": "Popup.Exclusive",
    "Action": "PopupAction",
    "Presentation": "PopupPresentation",
    "Presentation.Scene": "PopupPresentation.Scene",
    "Presentation.Animation": "PopupPresentation.Animation",
    "Flow": "PopupFlow",
    "Requirement": "PopupRequirement",
    "PageBinding": "PageBinding",
    "PageBinding.Scope": "PageBinding.Scope",
    "Update": "PopupUpdate",
    "Selector": "PopupSelector",
    "SetPolicy": "GroupPolicy",
    "Preset.Name": "PolicyPreset",
    "Interruption.Kind": "GroupPolicy.Interruption",
    "Resumption.Kind": "GroupPolicy.Resumption",
    "DisplayClock.Kind": "GroupPolicy.DisplayClock",
    "OfferDefault.Choice": "GroupPolicy.OfferDefault",
    "Undisplayed.Choice": "GroupPolicy.Undisplayed",
    "RendererLost.Choice": "GroupPolicy.RendererLost",
    "Overflow.Choice": "GroupPolicy.Overflow",
    "Cap": "PopupCap",
    "QuietWindow": "QuietWindow",
    "PolicyInForce": "PolicyInForce",
    "PolicySource.Name": "PolicyInForce.Source",
    "Event": "PopupEvent",
    "Shown": "PopupEvent.Shown",
    "Refused": "PopupEvent.Refused",
    "Refused.Reason": "RefusalReason",
    "Closed": "PopupClosed",
    "Closed.Reason": "PopupClosed.Reason",
    "GroupState": "PublishedState",
    "Cause": "PopupCause",
    "Cause.Kind": "PopupCause.Kind",
    "Phase.Name": "PopupPhase",
    "PopupSummary": "PopupSummary",
    "ListResult": "PopupList",
    "PeekResult": "GroupQueue",
    "PathResult": "PagePath",
    "ExplainResult": "PopupExplanation",
    "HoldingRule": "HoldingRule",
    "WhoamiResult": "BrokerIdentity",
    "AccessGrant": "BrokerIdentity.Grant",
    "DeniedSubscription": "BrokerIdentity.DeniedSubscription",
    "HistoryResult": "PopupHistory",
    "ClosedPopup": "ClosedPopup",
    "GroupCounts": "GroupCounts",
    "Suspension": "PopupSuspension",
    "Renderer": "RendererSummary",
    "DisplayedPopup": "RendererSummary.DisplayedPopup",
    "ProducerSequences": "ProducerSequences",
    "StatsResult": "BrokerStatistics",
    "TurnTimes": "BrokerStatistics.TurnTimes",
    "DeniedCount": "BrokerStatistics.DeniedCount",
    "CommandCount": "BrokerStatistics.CommandCount",
    "EventCount": "BrokerStatistics.EventCount",
    "ClosedCount": "BrokerStatistics.ClosedCount",
    "RefusedCount": "BrokerStatistics.RefusedCount",
    "Histogram": "BrokerStatistics.Histogram",
    "HistogramBucket": "BrokerStatistics.HistogramBucket",
    "LimitUse": "BrokerStatistics.LimitUse",
    "Command": "PopupCommand",
    "Dismiss": "PopupCommand.Dismiss",
    "Advance": "PopupCommand.Advance",
    "Clear": "PopupCommand.Clear",
    "Suspend": "PopupCommand.Suspend",
    "Resume": "PopupCommand.Resume",
    "UnsetPolicy": "PopupCommand.UnsetPolicy",
    "SetSession": "PopupCommand.SetSession",
    "Report": "PopupCommand.Report",
    "Answer": "PopupCommand.Answer",
    "Later": "PopupCommand.Later",
    "Lease": "PopupCommand.Lease",
    "Page": "PopupCommand.Page",
    "OpenPage": "PopupCommand.OpenPage",
    "PageNode": "PopupCommand.PageNode",
}
# The description of a value whose comment in the schema is about the wire, or is missing.
DESCRIPTIONS = {
    "Popup": "A popup, as it is asked for and as it is shown.",
    "Action": "An answer that a user can choose, with its id and label.",
    "Presentation": "The presentation of a popup: title, icon, style and scene.",
    "Update": "A change of a live popup.",
    "Selector": "A selection of popups, for `clear`, `list` and `count`.",
    "SetPolicy": "The policy of a group, or of all groups of a pattern.",
    "Preset.Name": "A preset of a policy.",
    "PolicyInForce": "A policy in force: every rule of it, and where it comes from.",
    "Event": "An event in the life of a popup.",
    "GroupState": "A state as the broker sent it; see `GroupState`.",
    "Cause": "The cause of a state: the first event of the step that led to it.",
    "Closed": "The end of a popup: the reason and the action.",
    "PopupSummary": "One popup in the reply to a query.",
    "ListResult": "The popups that a selector selects, and whether there are more.",
    "PeekResult": "The popups of a group in order, the active one first, and whether there are more.",
    "Flow": "The membership of a popup in a flow.",
    "Requirement": "The member of a flow that must close first, and how.",
    "PageBinding": "The page that a popup is bound to.",
    "Cap": "A cap on how often popups are shown.",
    "QuietWindow": "A time of each day in which popups are held back.",
    "PathResult": "The path from the root of a tree of pages to a page.",
    "ExplainResult": "The phase of a popup and the rules that hold it back.",
    "HoldingRule": "A rule that holds a popup back, with its fields.",
    "WhoamiResult": "The identity of a client to the broker, and its rights.",
    "HistoryResult": "The popups that closed last.",
    "ClosedPopup": "A popup that has closed: its group, the reason, the action and the time.",
    "GroupCounts": "A group and how many popups it has.",
    "Suspension": "A suspension in force.",
    "Renderer": "A renderer with a lease: its groups, and what it displays.",
    "ProducerSequences": "A producer whose sequences the broker remembers.",
    "StatsResult": "The counters of the broker.",
    "Command": "A command, for connections that send any of them.",
    "Popup.Exclusive": "The popups that a popup closes when it arrives.",
    "Presentation.Scene": "The place of a popup on the screen.",
    "Presentation.Animation": "The way in which a popup appears and disappears.",
    "PageBinding.Scope": "The pages on which a bound popup is shown.",
    "Interruption.Kind": "The effect of a newcomer on the active popup.",
    "Resumption.Kind": "The display time of a resumed popup.",
    "DisplayClock.Kind": "The time that counts as display time.",
    "OfferDefault.Choice": "The outcome of an offer that is not answered.",
    "Undisplayed.Choice": "The outcome if no renderer displays a popup in time.",
    "RendererLost.Choice": "The outcome if the last renderer that displayed a popup disappears.",
    "Overflow.Choice": "The popup that gives way when too many wait.",
    "PolicySource.Name": "The origin of a policy in force.",
    "Phase.Name": "The phase in the life of a popup.",
    "Cause.Kind": "The kind of the event that led to a state.",
    "Closed.Reason": "The reason for the end of a popup.",
    "Refused.Reason": "The reason of a refusal, in one word.",
    "Clear": "The end of all selected popups (`CLEARED`). An empty selector is refused; the group `*` selects all popups.",
}
# The same of fields and of values of enums.
MEMBERS = {
    ("Popup", "id"): "The permanent identity of the popup: at most 200 bytes without control characters. If it is empty, the "
    "client makes one when it is shown.",
    ("Popup", "data"): "The content as bytes. One of `text` and `data`.",
    ("PageBinding.Scope", "SCOPE_UNSPECIFIED"): "Same as `current`.",
    ("SetPolicy", "preset"): "The policy that the other fields change; `unspecified`: `priority`.",
    ("ExplainResult", "rule"): "The rule that keeps it there, by its name in the protocol: `gap`.",
    ("HoldingRule", "rule"): "The rule, by its name in the protocol: `gap`.",
    ("GroupCounts", "revision"): "The revision, as in a state of the group.",
    ("StatsResult", "commands_by_kind"): "`commands` by kind: every kind but queries.",
    ("StatsResult", "events_by_kind"): "`events` by kind: every kind.",
    ("StatsResult", "last_snapshot_at"): "The time at which the last snapshot began, in ms since 1970-01-01T00:00:00Z; absent "
    "before the first one.",
    ("CommandCount", "kind"): "The kind: `show`.",
    ("EventCount", "kind"): "The kind: `closed`.",
    ("Command", "producer"): "The id of the sender for this run: 32 hexadecimal digits. A connection has its own, and sends a "
    "command with another one as it is, without an acknowledgement; empty: that of the connection.",
    ("Command", "sequence"): "The number of the command within its producer; 0: that of the connection.",
}
# The description of the first value of enums.
UNSPECIFIED = "Not set."
# The enums whose names people read in lower case, as on the lines of `popupctl`.
LOWERCASE = {"Phase.Name", "Cause.Kind"}
# The messages that an empty one stands for as well as none; the other ones are optional.
ALWAYS = {
    ("Popup", "presentation"), ("Clear", "selector"), ("PolicyInForce", "policy"), ("GroupState", "cause"),
    ("ClosedPopup", "closed"), ("StatsResult", "turns"), ("StatsResult", "commit_times"), ("StatsResult", "waiting_times"),
    ("StatsResult", "timer_lateness"),
}
# The type of each oneof, and its description.
CHOICES = {
    ("Popup", "content"): ("Content", "The content: text or bytes"),
    ("Update", "content"): ("Content", "The new content: text or bytes"),
    ("Event", "event"): ("Kind", "The event"),
    ("Command", "command"): ("Kind", "The command itself"),
    ("Report", "report"): ("Kind", "The report itself"),
    ("Answer", "answer"): ("Choice", "The answer to the offer"),
    ("Page", "page"): ("Change", "The change of the tree"),
}
# Members that are not of a value: queries are functions of a client, and the broker alone writes `by`.
LEFT_OUT = {("Command", "query"), ("Command", "by")}
SCALARS = {
    "string": "String", "bytes": "Data", "bool": "Bool", "int32": "Int32", "uint32": "UInt32", "uint64": "UInt64",
}
KEYWORDS = {"defer"}


def words(text):
    """The words of a comment as lines of documentation."""
    line, lines = "", []
    for word in text.split():
        if len(line) + len(word) > 100:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    return [*lines, line]


class Values:
    def __init__(self, text):
        self.schema, self.comments = Schema(text), comments(text)
        self.fields = {
            (wire, field[1]): field for wire in NAMES for field in self.schema.messages.get(wire, [])}
        known = set(self.schema.messages) | set(self.schema.enums)
        members = set(self.fields) | {(enum, value) for enum in self.schema.enums for value, _ in self.schema.enums[enum]}
        stale = (set(NAMES) | set(DESCRIPTIONS)) - known | (set(MEMBERS) | ALWAYS | LEFT_OUT) - members
        if stale:
            sys.exit(f"{SCHEMA} does not have {', '.join(map(str, sorted(stale, key=str)))}, which Scripts/popup_values.py names")
        reached = {self.schema.resolve(field[2], key[0]) for key, field in self.fields.items() if key not in LEFT_OUT}
        for wire in sorted(reached & known - set(NAMES)):
            if not self.is_empty(wire):
                sys.exit(f"{SCHEMA}: {wire} is reached by a value and has no name in Scripts/popup_values.py")

    def is_empty(self, message):
        return message in self.schema.messages and not self.schema.messages[message]

    def documentation(self, wire, member, indent):
        text = self.comments.get((wire, member)) or (UNSPECIFIED if member.endswith("UNSPECIFIED") else None)
        text = MEMBERS.get((wire, member), text) if member else DESCRIPTIONS.get(wire, text)
        if not text:
            sys.exit(f"{SCHEMA}: {wire}.{member} has no comment, which the values of clients need")
        if (wire, member) in self.fields:
            field = self.fields[wire, member]
            none = "`nil`" if self.is_optional(wire, field) else "0" if "int" in field[2] else "empty"
            text = re.sub(r"\babsent\b", none, text)
        return [f"{indent}/// {line}" for line in words(text)]

    def is_optional(self, wire, field):
        _, name, type_, label, oneof = field
        if label == "repeated":
            return False
        is_message = self.schema.resolve(type_, wire) in self.schema.messages
        return label == "optional" or bool(oneof) or is_message and (wire, name) not in ALWAYS

    def lines(self):
        yield HEAD
        for wire, name in NAMES.items():
            outer, _, own = name.rpartition(".")
            indent = "    " if outer else ""
            yield ""
            if outer:
                yield f"extension {outer} {{"
            body = self.enum(wire, name, own) if wire in self.schema.enums else self.message(wire, own)
            for line in [*self.documentation(wire, "", ""), *body]:
                yield indent + line if line else line
            if outer:
                yield "}"

    def enum(self, wire, name, own):
        prefix = re.sub(r"(?<=.)(?=[A-Z])", "_", wire.rpartition(".")[2]).upper() + "_"
        values = [(value, swift_name(value.removeprefix(prefix).lower())) for value, _ in self.schema.enums[wire]]
        generated = swift_type(wire)
        yield f"public enum {own}: Hashable, Sendable, CaseIterable {{"
        for value, case in values:
            yield from self.documentation(wire, value, "    ")
            yield f"    case `{case}`" if case in KEYWORDS else f"    case {case}"
        yield "    /// A value that this version does not have, by its number."
        yield "    case unrecognized(Int)"
        yield ""
        yield "    /// All values that this version has."
        yield f"    public static var allCases: [{name}] {{ [{', '.join('.' + case for _, case in values)}] }}"
        yield ""
        if wire in LOWERCASE:
            yield "    /// The name of the value in the schema, in lower case."
            yield "    public var name: String { wire.schemaName.lowercased() }"
        else:
            yield "    /// The name of the value in the schema."
            yield "    public var name: String { wire.schemaName }"
        yield ""
        yield f"    @_spi(Wire) public init(wire: {generated}) {{"
        yield "        switch wire {"
        for _, case in values:
            yield f"        case .{case}: self = .{case}"
        yield "        case .UNRECOGNIZED(let number): self = .unrecognized(number)"
        yield "        }"
        yield "    }"
        yield ""
        yield f"    @_spi(Wire) public var wire: {generated} {{"
        yield "        switch self {"
        for _, case in values:
            yield f"        case .{case}: .{case}"
        yield "        case .unrecognized(let number): .UNRECOGNIZED(number)"
        yield "        }"
        yield "    }"
        yield "}"

    def message(self, wire, own):
        fields = [field for field in sorted(self.schema.messages[wire]) if (wire, field[1]) not in LEFT_OUT]
        yield f"public struct {own}: Hashable, Sendable, CustomStringConvertible {{"
        yield f"    @_spi(Wire) public var wire: {swift_type(wire)}"
        yield ""
        yield "    /// Creates a value without any field set."
        yield f"    public init() {{ wire = {swift_type(wire)}() }}"
        yield ""
        yield f"    @_spi(Wire) public init(wire: {swift_type(wire)}) {{ self.wire = wire }}"
        yield ""
        yield "    /// The value as the JSON of the protocol."
        yield "    public var description: String { String(decoding: wire.jsonBytes, as: UTF8.self) }"
        told = set()
        for field in fields:
            if field[4] and field[4] not in told:
                told.add(field[4])
                yield from self.choice(wire, [other for other in fields if other[4] == field[4]])
            if not self.is_empty(self.schema.resolve(field[2], wire)):
                yield ""
                yield from self.field(wire, field)
            elif not field[4]:
                sys.exit(f"{SCHEMA}: {wire}.{field[1]}: no code for an empty message outside a oneof")
        yield "}"

    def field(self, wire, field):
        _, name, type_, label, oneof = field
        full, property_ = self.schema.resolve(type_, wire), swift_name(name)
        capital = property_.strip("`")[:1].upper() + property_.strip("`")[1:]
        yield from self.documentation(wire, name, "    ")
        value, reads, writes = self.conversion(full, type_)
        if label == "repeated":
            if value in SCALARS.values():
                yield from self.property(property_, f"[{value}]", f"wire.{property_}", f"wire.{property_} = newValue")
            else:
                yield from self.property(
                    property_, f"[{value}]", f"wire.{property_}.map({value}.init(wire:))",
                    f"wire.{property_} = newValue.map(\\.wire)")
        elif oneof:
            choice = self.schema.oneof_names[wire, oneof]
            case = f"case .{property_}"
            yield f"    public var {property_}: {value}? {{"
            yield f"        get {{ if {case}(let value)? = wire.{choice} {{ {reads('value')} }} else {{ nil }} }}"
            yield "        set {"
            yield "            if let newValue {"
            yield f"                wire.{choice} = .{property_}({writes('newValue')})"
            yield f"            }} else if {case}? = wire.{choice} {{"
            yield f"                wire.{choice} = nil"
            yield "            }"
            yield "        }"
            yield "    }"
        elif self.is_optional(wire, field):
            yield f"    public var {property_}: {value}? {{"
            yield f"        get {{ wire.has{capital} ? {reads(f'wire.{property_}')} : nil }}"
            yield "        set {"
            yield f"            if let newValue {{ wire.{property_} = {writes('newValue')} }} else {{ wire.clear{capital}() }}"
            yield "        }"
            yield "    }"
        else:
            yield from self.property(
                property_, value, reads(f"wire.{property_}"), f"wire.{property_} = {writes('newValue')}")

    def property(self, name, type_, get, set_):
        yield f"    public var {name}: {type_} {{"
        yield f"        get {{ {get} }}"
        yield f"        set {{ {set_} }}"
        yield "    }"

    def conversion(self, full, type_):
        """The type of a value, and the code that makes it of a message of the wire, and the other way round."""
        if full in NAMES:
            name = NAMES[full]
            return name, lambda text: f"{name}(wire: {text})", lambda text: f"{text}.wire"
        return SCALARS[type_], lambda text: text, lambda text: text

    def choice(self, wire, fields):
        name = self.schema.oneof_names[wire, fields[0][4]]
        type_, description = CHOICES[wire, name]
        generated = f"{swift_type(wire)}.OneOf_{name[:1].upper()}{name[1:]}"
        yield ""
        yield f"    /// {description}."
        yield f"    public enum {type_}: Hashable, Sendable {{"
        reading, writing = [], []
        for _, field, kind, _, _ in fields:
            full, case = self.schema.resolve(kind, wire), swift_name(field)
            yield from self.documentation(wire, field, "        ")
            if self.is_empty(full):
                yield f"        case {case}"
                reading.append(f"case .{case}: self = .{case}")
                writing.append(f"case .{case}: .{case}({swift_type(full)}())")
            else:
                value, reads, writes = self.conversion(full, kind)
                yield f"        case {case}({value})"
                reading.append(f"case .{case}(let value): self = .{case}({reads('value')})")
                writing.append(f"case .{case}(let value): .{case}({writes('value')})")
        if len(fields) < sum(oneof == fields[0][4] for *_, oneof in self.schema.messages[wire]):
            reading.append("default: return nil")
        for head, subject, cases in (
            (f"init?(wire: {generated})", "wire", reading), (f"@_spi(Wire) public var wire: {generated}", "self", writing),
        ):
            yield ""
            yield f"        {head} {{"
            yield f"            switch {subject} {{"
            yield from ("            " + case for case in cases)
            yield "            }"
            yield "        }"
        yield "    }"
        yield ""
        yield f"    /// {description}; `nil`: nothing."
        yield from self.property(
            name, f"{type_}?", f"wire.{name}.flatMap({type_}.init(wire:))", f"wire.{name} = newValue?.wire")


text = "\n".join(Values(SCHEMA.read_text()).lines()).rstrip() + "\n"
if sys.argv[1:] == ["--check"]:
    sys.exit(not TARGET.exists() or TARGET.read_text() != text)
TARGET.parent.mkdir(exist_ok=True)
TARGET.write_text(text)
