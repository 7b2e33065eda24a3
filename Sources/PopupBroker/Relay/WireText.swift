import PopupProtocol

/// Checks of texts where they lie: the quick answers for what is common.
enum WireText {
    /// Whether these bytes are UTF-8.
    @inline(__always)
    static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        isASCII(bytes) || isLongUTF8(bytes)
    }

    /// Whether these bytes are an id, key or surface as `CommandValidator` has them, ASCII at that. The others are left
    /// to it.
    @inline(__always)
    static func isPlainID(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= WireLimits.maximumIDBytes else { return false }
        for byte in bytes where byte &- 0x20 >= 0x5F { return false }
        return true
    }

    @inline(__always)
    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress else { return true }
        var position = 0
        var high: UInt64 = 0
        while position + 8 <= bytes.count {
            high |= (start + position).loadUnaligned(as: UInt64.self)
            position += 8
        }
        while position < bytes.count {
            high |= UInt64(bytes[position])
            position += 1
        }
        return high & 0x8080_8080_8080_8080 == 0
    }

    private static func isLongUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let span = Span<UInt8>(_unsafeElements: bytes.bindMemory(to: UInt8.self))
        return (try? UTF8Span(validating: span)) != nil
    }
}
