package import SwiftProtobuf

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A message of the schema. `Generated/WireValues.swift` has what each one needs.
package protocol SchemaMessage: Message, JSONValue {
    /// Its place in the tables.
    static var schemaPlace: Int { get }

    /// Sets the field of this number; appends to a list. `none` makes it absent.
    mutating func set(_ number: UInt8, _ value: FieldValue)

    /// Reads the message that the field of this number holds.
    mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError)

    /// Writes the fields that say something, in the order of their numbers.
    func writeFields(to json: inout JSONWriter)
}

// A message without fields, or without messages in it.
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
    /// Its place in the tables.
    static var schemaPlace: Int { get }
}

extension SchemaEnum where RawValue == Int {
    /// The name of the value as the schema has it; the number of one that this version doesn't know.
    package var schemaName: String {
        WireSchema.enums[Self.schemaPlace].name(of: UInt64(bitPattern: Int64(rawValue))).map { "\($0)" }
            ?? "\(rawValue)"
    }

    package func write(to json: inout JSONWriter) {
        json.append(choice: UInt64(bitPattern: Int64(rawValue)), of: WireSchema.enums[Self.schemaPlace])
    }
}

/// A value that a field is set to.
package enum FieldValue {
    /// Absent.
    case none
    /// A number, a truth value or the value of an enum, as binary has them.
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
