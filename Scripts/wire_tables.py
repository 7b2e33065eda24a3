#!/usr/bin/env python3
"""Writes what the wire's code knows of the schema, beside protoc-gen-swift's code in Sources/PopupProtocol/Generated:

    WireTables.swift    the messages and enums, each with its fields or values, for the reader of JSON
    WireKeys.swift      the number and the name of each field, for what is read and written without a message
    WireValues.swift    how each message is filled from JSON and written in it
    WireChecks.swift    the limits, and what is checked of each field of a command

With `--check` it only says, by its exit code, whether that is what is there.
"""

import sys

from wire_schema import ROOT, SCHEMA, Schema, json_name, swift_name, swift_type

GENERATED = ROOT / "Sources/PopupProtocol/Generated"
HEAD = """// Made by Scripts/wire_tables.py from Schema/popup_broker.proto: don't edit.
// swift-format-ignore-file
"""

KINDS = {
    "string": "text", "bytes": "bytes", "bool": "flag", "int32": "signed", "uint32": "unsigned", "uint64": "long",
}
# What may stand more than once in a message.
REPEATED = {"text", "message"}


def tables(schema):
    messages, enums = list(schema.messages), list(schema.enums)
    yield HEAD
    yield "extension WireSchema {"
    for name in messages:
        schema.refuse_cycles(name)
    yield "    /// All enums, each with its values."
    yield "    static let enums: [WireEnum] = ["
    for name in enums:
        values = ", ".join(f'("{value}", {number})' for value, number in schema.enums[name])
        yield f'        WireEnum("{name}", [{values}]),'
    yield "    ]"
    yield ""
    yield "    /// All messages, each with its fields in the order of their numbers."
    yield "    static let messages: [WireMessage] = ["
    for name in messages:
        fields = sorted(schema.messages[name])
        yield f'        WireMessage("{name}", [' + ("" if fields else "]),")
        for number, field, type_, label, oneof in fields:
            full = schema.resolve(type_, name)
            place = 0
            if full in messages:
                kind, place = "message", messages.index(full)
            elif full in enums:
                kind, place = "choice", enums.index(full)
            else:
                kind = KINDS.get(type_) or sys.exit(f"{SCHEMA}: {name}.{field}: no code for {type_}")
            if number > 63:
                sys.exit(f"{SCHEMA}: {name}.{field}: no code for numbers above 63")
            if label == "repeated" and kind not in REPEATED:
                sys.exit(f"{SCHEMA}: {name}.{field}: no code for repeated {type_}")
            options = [f'"{json_name(field)}"', f".{kind}"]
            if json_name(field) != field:
                options.append(f'schemaName: "{field}"')
            if kind in ("message", "choice"):
                options.append(f"of: {place}")
            if label == "repeated":
                options.append("isRepeated: true")
            elif label == "optional" or oneof or kind == "message":
                options.append("hasPresence: true")
            if oneof:
                options.append(f"oneof: {oneof}")
            yield f"            .init({number}, {', '.join(options)}),"
        if fields:
            yield "        ]),"
    yield "    ]"
    yield "}"


def keys(schema):
    yield HEAD
    yield "/// The number and the name of each field, by its message."
    yield "public enum WireKeys {"
    for name in schema.messages:
        fields = sorted(schema.messages[name])
        if not fields:
            continue
        yield f"    public enum {name} {{"
        for number, field, type_, _, _ in fields:
            wire_type = 0 if is_varint(schema, type_, name) else 2
            key = f'WireKey(tag: {number << 3 | wire_type}, name: "{json_name(field)}")'
            yield f"        @inlinable package static var {swift_name(field)}: WireKey {{ {key} }}"
        yield "    }"
    yield "}"


def is_varint(schema, type_, message):
    return schema.resolve(type_, message) in schema.enums or KINDS.get(type_) in ("flag", "signed", "unsigned", "long")


VALUES = {"string": "text", "bytes": "data", "bool": "flag", "int32": "int32", "uint32": "uint32", "uint64": "uint64"}
DEFAULTS = {"string": "!{}.isEmpty", "bytes": "!{}.isEmpty", "bool": "{}"}


def values(schema):
    messages, enums = list(schema.messages), list(schema.enums)
    yield HEAD
    for name in enums:
        yield f"extension {swift_type(name)}: SchemaEnum {{"
        yield f"    package static var schemaPlace: Int {{ {enums.index(name)} }}"
        yield "}"
        yield ""
    for name in messages:
        fields = sorted(schema.messages[name])
        yield f"extension {swift_type(name)}: SchemaMessage {{"
        yield f"    package static var schemaPlace: Int {{ {messages.index(name)} }}"
        if fields:
            yield from setter(schema, name, fields)
            yield from reader(schema, name, fields)
            yield from writer(schema, name, fields)
        yield "}"
        yield ""


def setter(schema, name, fields):
    yield ""
    yield "    package mutating func set(_ number: UInt8, _ value: FieldValue) {"
    yield "        switch number {"
    for number, field, type_, label, oneof in fields:
        property_, capital = swift_name(field), swift_name(field)[:1].upper() + swift_name(field)[1:]
        full = schema.resolve(type_, name)
        value = "value.choice()" if full in schema.enums else f"value.{VALUES.get(type_)}"
        if full in schema.messages:
            # A message is read; here it is only taken away.
            if label == "repeated" or oneof:
                continue
            code = f"clear{capital}()"
        elif label == "repeated":
            code = f"self.{property_}.append({value})"
        elif oneof:
            code = f"{schema.oneof_names[name, oneof]} = .{property_}({value})"
        elif label == "optional":
            code = f"if value.isNone {{ clear{capital}() }} else {{ self.{property_} = {value} }}"
        else:
            code = f"self.{property_} = {value}"
        yield f"        case {number}: {code}"
    yield "        default: break"
    yield "        }"
    yield "    }"


def reader(schema, name, fields):
    inner = [field for field in fields if schema.resolve(field[2], name) in schema.messages]
    if not inner:
        return
    yield ""
    yield "    package mutating func read("
    yield "        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>"
    yield "    ) throws(JSONSyntaxError) {"
    yield "        switch number {"
    for number, field, _, label, oneof in inner:
        property_ = swift_name(field)
        if label == "repeated":
            code = f"{property_}.append(try reader.readValue(in: text))"
        elif oneof:
            code = f"{schema.oneof_names[name, oneof]} = .{property_}(try reader.readValue(in: text))"
        else:
            code = f"{property_} = try reader.readValue(in: text)"
        yield f"        case {number}: {code}"
    yield "        default: break"
    yield "        }"
    yield "    }"


def writer(schema, name, fields):
    yield ""
    yield "    package func writeFields(to json: inout JSONWriter) {"
    for _, field, type_, label, oneof in fields:
        property_, capital = swift_name(field), swift_name(field)[:1].upper() + swift_name(field)[1:]
        full = schema.resolve(type_, name)
        value = property_
        if label == "repeated":
            condition = f"!{property_}.isEmpty"
        elif oneof:
            condition, value = f"case .{property_}(let value)? = {schema.oneof_names[name, oneof]}", "value"
        elif label == "optional" or full in schema.messages:
            condition = f"has{capital}"
        elif full in schema.enums:
            condition = f"{property_}.rawValue != 0"
        else:
            condition = DEFAULTS.get(type_, "{} != 0").format(property_)
        yield f"        if {condition} {{ json.member(WireKeys.{name}.{property_}, {value}) }}"
    yield "    }"


# The names that code knows limits by.
LINES = {
    "id": "maxIDBytes", "label": "maxLabelBytes", "language": "maxLanguageBytes",
    "separator": "maxSeparatorBytes",
}
LISTS = {("Popup", "actions"): "maxActions", ("SetPolicy", "caps"): "maxListedRules"}
# Rules whose check takes an absent text for what it is.
LENIENT = {"id": "optionalID", "label": "label", "language": "language", "separator": "separator", "producer": "producer"}


def checks(schema):
    yield HEAD
    yield "extension WireLimits {"
    for rule, name in LINES.items():
        yield f"    /// In bytes: one line that is [{rule}] in the schema."
        yield f"    public static let {name} = {schema.limits[rule]}"
    for field, name in LISTS.items():
        yield f"    /// Elements of `{field[1]}` in `{field[0]}`."
        yield f"    public static let {name} = {int(schema.rules[field][0])}"
    yield "}"
    commands = sorted(field for field in schema.messages["Command"] if field[4])
    yield ""
    yield "extension WireCommand.OneOf_Command {"
    yield "    /// The command's name in JSON."
    yield "    public var name: String {"
    yield "        switch self {"
    for _, field, _, _, _ in commands:
        yield f'        case .{swift_name(field)}: "{json_name(field)}"'
    yield "        }"
    yield "    }"
    yield ""
    yield "    /// Checks each field on its own."
    yield "    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {"
    yield "        switch self {"
    for _, field, type_, _, _ in commands:
        yield f"        case .{swift_name(field)}(let value): try value.checkFields(check)"
    yield "        }"
    yield "    }"
    yield "}"
    for message in reachable(schema, [type_ for _, _, type_, _, _ in commands]):
        if lines := list(check_lines(schema, message)):
            yield ""
            yield f"extension {swift_type(message)} {{"
            yield "    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {"
            yield from ("        " + line for line in lines)
            yield "    }"
            yield "}"


def reachable(schema, names):
    found = []
    while names:
        name = names.pop(0)
        if name in schema.messages and name not in found:
            found.append(name)
            names += [schema.resolve(type_, name) for _, _, type_, _, _ in schema.messages[name]]
    return found


def check_lines(schema, message):
    for _, field, type_, label, oneof in sorted(schema.messages[message]):
        rule, is_required = schema.rules.get((message, field), (None, False))
        value, name, full = swift_name(field), f'"{json_name(field)}"', schema.resolve(type_, message)
        oneof = schema.oneof_names[message, oneof] if oneof else None
        element = f'"{json_name(field)}[\\(place)]"'
        if full in schema.enums:
            yield f"try check.known({value}, {name})"
        elif full in schema.messages:
            if rule:
                yield f"try check.count({value}.count, {name}, maximum: {int(rule)})"
            if not any(check_lines(schema, full)):
                continue
            if label == "repeated":
                yield f"for (place, value) in {value}.enumerated() {{ try value.checkFields(check.inside({element})) }}"
            elif oneof:
                yield f"if case .{value}(let value)? = {oneof} {{ try value.checkFields(check.inside({name})) }}"
            else:
                yield f"if has{value[:1].upper() + value[1:]} {{ try {value}.checkFields(check.inside({name})) }}"
        elif rule == "content":
            count = "value.utf8.count" if type_ == "string" else "value.count"
            yield f"if case .{value}(let value)? = {oneof} {{ try check.content({count}, {name}) }}"
        elif rule and label == "repeated":
            yield f"for (place, value) in {value}.enumerated() {{ {text_check(rule, is_required, 'value', element)} }}"
        elif rule:
            yield text_check(rule, is_required, value, name)
        elif type_ in ("string", "bytes"):
            sys.exit(f"{SCHEMA}: {message}.{field} has no limit")


def text_check(rule, is_required, value, name):
    if rule in LENIENT:
        return f"try check.{rule if is_required else LENIENT[rule]}({value}, {name})"
    check = f"try check.{rule}({value}, {name})"
    return check if is_required else f"if !{value}.isEmpty {{ {check} }}"


schema = Schema(SCHEMA.read_text())
files = {"WireTables.swift": tables, "WireKeys.swift": keys, "WireValues.swift": values, "WireChecks.swift": checks}
texts = {GENERATED / name: "\n".join(lines(schema)).rstrip() + "\n" for name, lines in files.items()}
if sys.argv[1:] == ["--check"]:
    sys.exit(any(not path.exists() or path.read_text() != text for path, text in texts.items()))
for path, text in texts.items():
    path.write_text(text)
