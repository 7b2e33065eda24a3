/// Base64 (RFC 4648).
extension [UInt8] {
    /// Replaces the bytes by those of a base64 text (RFC 4648, section 4 or 5, with or without padding; spaces are
    /// ignored).
    ///
    /// - Returns: Whether the text is base64. If not, the bytes are not valid.
    mutating func decodeBase64(_ text: Span<UInt8>) -> Bool {
        removeAll(keepingCapacity: true)
        var bits: UInt32 = 0
        var digits = 0
        var padding = 0
        // `+` and `/` belong to one alphabet, `-` and `_` to the other.
        var alphabets = (false, false)
        for index in text.indices {
            let byte = text[index]
            let digit: UInt32
            switch byte {
            case UInt8(ascii: " "): continue
            case UInt8(ascii: "="):
                padding += 1
                continue
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = UInt32(byte - UInt8(ascii: "A"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = UInt32(byte - UInt8(ascii: "a")) + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt32(byte - UInt8(ascii: "0")) + 52
            case UInt8(ascii: "+"), UInt8(ascii: "/"):
                alphabets.0 = true
                digit = byte == UInt8(ascii: "+") ? 62 : 63
            case UInt8(ascii: "-"), UInt8(ascii: "_"):
                alphabets.1 = true
                digit = byte == UInt8(ascii: "-") ? 62 : 63
            default: return false
            }
            guard padding == 0 else { return false }
            bits = bits << 6 | digit
            digits += 1
            if digits & 3 == 0 {
                append(UInt8(truncatingIfNeeded: bits >> 16))
                append(UInt8(truncatingIfNeeded: bits >> 8))
                append(UInt8(truncatingIfNeeded: bits))
                bits = 0
            }
        }
        guard alphabets != (true, true) else { return false }
        switch digits & 3 {
        case 0: return padding == 0
        case 2:
            append(UInt8(truncatingIfNeeded: bits >> 4))
            return padding == 0 || padding == 2
        case 3:
            append(UInt8(truncatingIfNeeded: bits >> 10))
            append(UInt8(truncatingIfNeeded: bits >> 2))
            return padding == 0 || padding == 1
        default: return false
        }
    }

    /// Appends bytes as base64 (RFC 4648, section 4).
    mutating func appendBase64(_ data: Span<UInt8>) {
        func digit(_ value: UInt32) -> UInt8 {
            switch UInt8(value & 63) {
            case let value where value < 26: UInt8(ascii: "A") + value
            case let value where value < 52: UInt8(ascii: "a") + value - 26
            case let value where value < 62: UInt8(ascii: "0") + value - 52
            case 62: UInt8(ascii: "+")
            default: UInt8(ascii: "/")
            }
        }
        var index = 0
        while index < data.count {
            let left = data.count - index
            var bits = UInt32(data[index]) << 16
            if left > 1 { bits |= UInt32(data[index + 1]) << 8 }
            if left > 2 { bits |= UInt32(data[index + 2]) }
            append(digit(bits >> 18))
            append(digit(bits >> 12))
            append(left > 1 ? digit(bits >> 6) : UInt8(ascii: "="))
            append(left > 2 ? digit(bits) : UInt8(ascii: "="))
            index += 3
        }
    }
}
