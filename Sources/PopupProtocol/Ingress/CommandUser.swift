/// The user that sent a command, as the journal keeps it: behind the command, in a field that only the broker sets.
///
/// What a producer sent stays as it is, byte for byte. `Popup.by` has the number of `Command.by`: a `show` that ends with
/// its popup ends, with this field, with a popup that says who asked for it.
public enum CommandUser {
    /// The bytes of tag and length: a name has at most 64 bytes.
    private static var headBytes: Int { 3 }

    /// Returns the field for a user of this name, `[]` for a client without a key.
    public static func field(_ name: String?) -> [UInt8] {
        guard let name, !name.isEmpty else { return [] }
        var bytes: [UInt8] = []
        bytes.appendVarint(WireKeys.Command.by.tag)
        bytes.appendVarint(UInt64(name.utf8.count))
        bytes.append(contentsOf: name.utf8)
        return bytes
    }

    /// Returns the name of the user in the bytes of a popup that the broker keeps; empty for a client without a key.
    public static func name(inPopup popup: Span<UInt8>) -> String {
        var reader = FieldReader(0..<popup.count)
        var name = 0..<0
        while !reader.isAtEnd, let tag = reader.tag(in: popup) {
            switch tag & 7 {
            case 0: guard reader.varint(in: popup) != nil else { return "" }
            case 2:
                guard let bytes = reader.bytes(in: popup) else { return "" }
                if tag == WireKeys.Popup.by.tag { name = bytes }
            // No field of a popup is written otherwise; a client that knows more fields than the broker may have sent one.
            case 1: guard reader.skip(8) else { return "" }
            case 5: guard reader.skip(4) else { return "" }
            default: return ""
            }
        }
        return popup.withUnsafeBytes { String(decoding: $0[name], as: UTF8.self) }
    }

    /// Returns the number of bytes of the field for a name of so many bytes; 0 without a name.
    public static func fieldBytes(ofName count: Int) -> Int { count == 0 ? 0 : headBytes + count }
}
