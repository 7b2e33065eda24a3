/// The tag of a field in the binary encoding and its name in JSON. `Generated/WireKeys.swift` contains those of the
/// schema.
public struct WireKey: Sendable {
    /// The number and the wire type, with which the field begins in the binary encoding.
    @usableFromInline package let tag: UInt64
    /// The name in JSON.
    @usableFromInline package let name: StaticString

    /// The number of the field.
    @inlinable package var number: UInt64 { tag >> 3 }

    @inlinable
    package init(tag: UInt64, name: StaticString) {
        self.tag = tag
        self.name = name
    }
}
