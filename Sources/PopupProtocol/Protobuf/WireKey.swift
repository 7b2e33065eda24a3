/// A field's number, as binary has it, and its name, as JSON has it. `Generated/WireKeys.swift` has those of the schema.
public struct WireKey: Sendable {
    /// The number and how the value is written: what the field begins with in binary.
    @usableFromInline package let tag: UInt64
    /// The name in JSON.
    @usableFromInline package let name: StaticString

    /// The field's number.
    @inlinable package var number: UInt64 { tag >> 3 }

    @inlinable
    package init(tag: UInt64, name: StaticString) {
        self.tag = tag
        self.name = name
    }
}
