import SwiftProtobuf

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The error that an intact batch or snapshot has commands, fields, values or limits that this version does not know: a
/// newer version has written it.
package struct NewerContentError: Error, Hashable, CustomStringConvertible {
    /// The part that is not known.
    package var what: String

    package var description: String {
        "the journal has \(what) that this version does not know; install a newer version, or restore a backup"
    }
}

/// A visitor of a message that finds what this version does not know: a field, or a value of an enum.
struct NewerContent: Visitor {
    /// Looks at a message and those within it.
    ///
    /// - Throws: `NewerContentError` at the first thing that is not known.
    static func check(_ message: some Message) throws {
        var visitor = NewerContent()
        try message.traverse(visitor: &visitor)
    }

    mutating func visitUnknown(bytes: Data) throws {
        if !bytes.isEmpty { throw NewerContentError(what: "a field") }
    }

    mutating func visitSingularEnumField<E: Enum>(value: E, fieldNumber: Int) throws {
        guard let type = E.self as? any CaseIterable.Type else { return }
        func isKnown<Known: CaseIterable>(_ type: Known.Type) -> Bool {
            type.allCases.contains { $0 as? E == value }
        }
        if !isKnown(type) { throw NewerContentError(what: "a value of a field") }
    }

    mutating func visitSingularMessageField<M: Message>(value: M, fieldNumber: Int) throws {
        try value.traverse(visitor: &self)
    }

    mutating func visitMapField<KeyType, ValueType>(
        fieldType: _ProtobufMessageMap<KeyType, ValueType>.Type,
        value: _ProtobufMessageMap<KeyType, ValueType>.BaseType, fieldNumber: Int
    ) throws {
        for message in value.values { try message.traverse(visitor: &self) }
    }

    mutating func visitMapField<KeyType, ValueType>(
        fieldType: _ProtobufEnumMap<KeyType, ValueType>.Type,
        value: _ProtobufEnumMap<KeyType, ValueType>.BaseType, fieldNumber: Int
    ) throws {
        for value in value.values { try visitSingularEnumField(value: value, fieldNumber: fieldNumber) }
    }

    // The other values are known whatever they are.
    mutating func visitMapField<KeyType, ValueType: MapValueType>(
        fieldType: _ProtobufMap<KeyType, ValueType>.Type, value: _ProtobufMap<KeyType, ValueType>.BaseType,
        fieldNumber: Int
    ) {}
    mutating func visitSingularDoubleField(value: Double, fieldNumber: Int) {}
    mutating func visitSingularInt64Field(value: Int64, fieldNumber: Int) {}
    mutating func visitSingularUInt64Field(value: UInt64, fieldNumber: Int) {}
    mutating func visitSingularBoolField(value: Bool, fieldNumber: Int) {}
    mutating func visitSingularStringField(value: String, fieldNumber: Int) {}
    mutating func visitSingularBytesField(value: Data, fieldNumber: Int) {}
}
