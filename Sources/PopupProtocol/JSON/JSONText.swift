/// Strings in JSON text.
public enum JSONText {
    /// Returns a text as a JSON string, in quotes. Escapes the characters that JSON forbids (RFC 8259, section 7), and
    /// control characters beyond ASCII, which terminals obey.
    public static func quoted(_ text: some StringProtocol) -> String {
        var json = JSONWriter()
        json.append(text: String(text).utf8.span)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
