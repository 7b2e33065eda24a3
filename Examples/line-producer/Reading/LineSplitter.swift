/// A splitter that cuts bytes into lines as they come.
struct LineSplitter {
    /// The greatest number of bytes of a line. The rest of a longer line is left out.
    static let maximumBytes = 4096

    private var pending: [UInt8] = []

    /// Returns the lines that these bytes complete.
    mutating func lines(adding bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(Self.line(pending))
                pending.removeAll(keepingCapacity: true)
            } else if pending.count < Self.maximumBytes {
                pending.append(byte)
            }
        }
        return lines
    }

    /// Returns the line that the end of the input completes, if one was begun.
    mutating func finish() -> String? {
        defer { pending.removeAll() }
        return pending.isEmpty ? nil : Self.line(pending)
    }

    /// Returns the text of a line. Invalid UTF-8 is repaired, colours and other sequences for a terminal are left out.
    private static func line(_ bytes: [UInt8]) -> String {
        var line = String(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes[...], as: UTF8.self)
        if bytes.contains(0x1B) {
            line.replace(/\u{1B}(?:\[[0-?]*[ -\/]*[@-~]|\][^\u{07}\u{1B}]*(?:\u{07}|\u{1B}\\)|[@-Z\\-_])/, with: "")
        }
        return line
    }
}
