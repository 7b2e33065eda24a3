// Conversions of strings.
extension JSONReader {
    /// Returns the beginning of a string, for a description of a mistake.
    func excerpt(_ string: Text, in text: Span<UInt8>) -> String {
        switch string {
        case .plain(let range): JSONFault.excerpt(range, of: text)
        case .unescaped: JSONFault.excerpt(0..<unescaped.count, of: unescaped.span)
        case .unpaired: "a name that is not text"
        }
    }

    /// Whether a string is equal to a text.
    func isText(_ string: Text, _ wanted: StaticString, in text: Span<UInt8>) -> Bool {
        switch string {
        case .plain(let range): text.equals(wanted, range)
        case .unescaped: unescaped.span.equals(wanted, 0..<unescaped.count)
        case .unpaired: false
        }
    }

    /// Returns a string that can be an id or a name; an empty one otherwise.
    func line(_ string: Text, in text: Span<UInt8>) -> String {
        switch string {
        case .plain(let range) where range.count <= WireLimits.maxIDBytes && text.isLine(range):
            String(decoding: range.map { text[$0] }, as: UTF8.self)
        case .unescaped where unescaped.count <= WireLimits.maxIDBytes && isLine(unescaped.span):
            String(decoding: unescaped, as: UTF8.self)
        default: ""
        }
    }

    private func isLine(_ bytes: Span<UInt8>) -> Bool { bytes.isLine(0..<bytes.count) }
}
