package import SwiftProtobuf

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A message of the schema. `Generated/WireValues.swift` implements this for each one.
package protocol SchemaMessage: Message, JSONValue {
    /// The index of the message in the tables.
    static var schemaPlace: Int { get }

    /// Sets the field with this number, or appends to it if it is repeated. `none` removes its value.
    mutating func set(_ number: UInt8, _ value: FieldValue)

    /// Reads the message that is the value of the field with this number.
    mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError)

    /// Writes the fields that have a value other than the default, in the order of their numbers.
    func writeFields(to json: inout JSONWriter)
}

// The defaults: for messages without fields, or without fields of message types.
extension SchemaMessage {
    package mutating func set(_ number: UInt8, _ value: FieldValue) {}

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {}

    package func writeFields(to json: inout JSONWriter) {}
}

extension SchemaMessage {
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        writeFields(to: &json)
        json.endObject()
    }

    /// The message in JSON.
    package var jsonBytes: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }
}

/// An enum of the schema.
package protocol SchemaEnum: Enum, JSONValue {
    /// The index of the enum in the tables.
    static var schemaPlace: Int { get }
}

extension SchemaEnum where RawValue == Int {
    /// The name of the value in the schema; its number if this version does not have it.
    package var schemaName: String {
        WireSchema.enums[Self.schemaPlace].name(of: UInt64(bitPattern: Int64(rawValue))).map { "\($0)" }
            ?? "\(rawValue)"
    }

    package func write(to json: inout JSONWriter) {
        json.append(choice: UInt64(bitPattern: Int64(rawValue)), of: WireSchema.enums[Self.schemaPlace])
    }
}

/// The value of a field.
package enum FieldValue {
    /// No value.
    case none
    /// A number, a Boolean or the value of an enum, as in the binary encoding.
    case number(UInt64)
    case text(String)
    case data([UInt8])

    var isNone: Bool { if case .none = self { true } else { false } }
    var uint64: UInt64 { if case .number(let value) = self { value } else { 0 } }
    var uint32: UInt32 { UInt32(truncatingIfNeeded: uint64) }
    var int32: Int32 { Int32(truncatingIfNeeded: uint64) }
    var flag: Bool { uint64 != 0 }
    var text: String { if case .text(let text) = self { text } else { "" } }
    var data: Data { if case .data(let bytes) = self { Data(bytes) } else { Data() } }

    func choice<Choice: Enum>() -> Choice where Choice.RawValue == Int {
        Choice(rawValue: Int(int32)) ?? Choice()
    }
}

extension Data: JSONValue {
    package func write(to json: inout JSONWriter) { json.append(data: Array(self).span) }
}
