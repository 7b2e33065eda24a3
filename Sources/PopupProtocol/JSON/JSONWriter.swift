/// A writer of JSON text (RFC 8259) by the rules of proto3. Its buffer is reused.
package struct JSONWriter: Sendable {
    /// The text so far, in UTF-8.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty writer.
    package init() {}

    /// The size of the text in bytes.
    package var count: Int { bytes.count }

    /// Removes the bytes after the first `count`.
    package mutating func truncate(to count: Int) { bytes.removeSubrange(count...) }

    /// Removes all bytes, and keeps the memory.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Begins an object.
    package mutating func beginObject() { bytes.append(UInt8(ascii: "{")) }

    /// Ends an object.
    package mutating func endObject() { bytes.append(UInt8(ascii: "}")) }

    /// Appends the name of a member, after a comma unless it is the first of its object.
    package mutating func name(_ key: WireKey) {
        name(key.name)
    }

    mutating func name(_ name: StaticString) {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        append(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// Appends the name of a member that the schema does not have.
    mutating func name(text name: String) {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        append(text: name.utf8.span)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Appends a member.
    package mutating func member(_ key: WireKey, _ value: some JSONValue) {
        name(key)
        value.write(to: &self)
    }

    // MARK: - Lists

    mutating func beginList() { bytes.append(UInt8(ascii: "[")) }

    /// Ends a list. Removes the comma after the last value.
    mutating func endList() {
        if bytes.last == UInt8(ascii: ",") { bytes.removeLast() }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Continues a list that was ended and is not empty.
    mutating func reopenList() { bytes[bytes.count - 1] = UInt8(ascii: ",") }

    mutating func endValueOfList() { bytes.append(UInt8(ascii: ",")) }

    /// Appends a list of values that are JSON already, separated by commas.
    package mutating func append(list values: Span<UInt8>) {
        beginList()
        append(values)
        endList()
    }

    // MARK: - Values

    /// Appends text in quotes. Escapes the characters that JSON forbids (RFC 8259, section 7), and control characters
    /// beyond ASCII, which terminals obey.
    package mutating func append(text: Span<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        var position = 0
        while let next = text.firstEscaped(from: position) {
            append(text.extracting(start..<next))
            position = appendEscaped(text, at: next)
            start = position
        }
        append(text.extracting(start..<text.count))
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends an integer.
    package mutating func append(number: UInt64) {
        var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { digits in
            var index = digits.count
            var rest = number
            repeat {
                index &-= 1
                digits[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: digits[index...]))
        }
    }

    mutating func append(number: Int64) {
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        append(number: number.magnitude)
    }

    /// Appends an integer of 64 bits: in quotes, by the rules of proto3's JSON.
    package mutating func append(long: UInt64) {
        bytes.append(UInt8(ascii: "\""))
        append(number: long)
        bytes.append(UInt8(ascii: "\""))
    }

    package mutating func append(flag: Bool) { append(flag ? "true" : "false") }

    /// Appends the name of an enum's value, or its number if it has no name.
    mutating func append(choice number: UInt64, of choices: WireEnum) {
        guard let name = choices.name(of: number) else { return append(number: Int64(bitPattern: number)) }
        bytes.append(UInt8(ascii: "\""))
        append(name)
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func append(data: Span<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        bytes.appendBase64(data)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a number or `null` as it is written.
    mutating func append(literal text: String) { append(text.utf8.span) }

    // MARK: - Parts

    private mutating func append(_ text: Span<UInt8>) {
        text.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends the character at a position as an escape. Returns its end.
    private mutating func appendEscaped(_ text: Span<UInt8>, at position: Int) -> Int {
        let byte = text[position]
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0xC2:
            appendUnit(text[position + 1])
            return position + 2
        default: appendUnit(byte)
        }
        return position + 1
    }

    private mutating func appendUnit(_ byte: UInt8) {
        append("u00")
        for digit in [byte >> 4, byte & 0x0F] {
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}

extension Span<UInt8> {
    /// Returns the position of the next character that is escaped: a quote, a backslash, U+0000 to U+001F, U+007F to
    /// U+009F.
    fileprivate func firstEscaped(from start: Int) -> Int? {
        var position = start
        while position < count {
            let word = word(at: position, before: count)
            var found =
                ByteWord.equal(UInt64(UInt8(ascii: "\"")), word) | ByteWord.equal(UInt64(UInt8(ascii: "\\")), word)
                | ByteWord.below(0x20, word)
            found |= ByteWord.equal(0x7F, word) | ByteWord.equal(0xC2, word)
            if found == 0 {
                position &+= 8
                continue
            }
            // The bits above the first match may be wrong. The zeroes after the end are a match.
            position &+= (found.trailingZeroBitCount &- 7) / 8
            guard position < count else { return nil }
            if self[position] != 0xC2 || position &+ 1 < count && self[position &+ 1] < 0xA0 { return position }
            position &+= 1
        }
        return nil
    }
}

/// A value that can be written as JSON.
package protocol JSONValue {
    /// Appends the value.
    func write(to json: inout JSONWriter)
}

extension String: JSONValue {
    package func write(to json: inout JSONWriter) { json.append(text: utf8.span) }
}

extension Bool: JSONValue {
    package func write(to json: inout JSONWriter) { json.append(flag: self) }
}

extension Int32: JSONValue {
    package func write(to json: inout JSONWriter) { json.append(number: Int64(self)) }
}

extension UInt32: JSONValue {
    package func write(to json: inout JSONWriter) { json.append(number: UInt64(self)) }
}

extension UInt64: JSONValue {
    package func write(to json: inout JSONWriter) { json.append(long: self) }
}

extension Array: JSONValue where Element: JSONValue {
    package func write(to json: inout JSONWriter) {
        json.beginList()
        for element in self {
            element.write(to: &json)
            json.endValueOfList()
        }
        json.endList()
    }
}
