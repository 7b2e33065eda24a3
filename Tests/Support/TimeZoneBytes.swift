/// TZif data as a test wants it.
package struct TimeZoneBytes {
    private var version: UInt8
    private var offsets: [Int32]
    private var changes: [(at: Int64, type: UInt8)]
    private var footer: String
    private var leapSeconds: Int

    /// Creates data of a version, whose changes lead to the offsets of their types.
    package init(
        version: UInt8, offsets: [Int32], changes: [(at: Int64, type: UInt8)], footer: String = "", leapSeconds: Int = 0
    ) {
        self.version = version
        self.offsets = offsets
        self.changes = changes
        self.footer = footer
        self.leapSeconds = leapSeconds
    }

    /// The content of the file.
    package var bytes: [UInt8] {
        guard version >= 0x32 else { return block(timeSize: 4) }
        // The first block is passed over: an empty one will do.
        let empty = TimeZoneBytes(version: version, offsets: [0], changes: []).block(timeSize: 4)
        return empty + block(timeSize: 8) + Array("\n\(footer)\n".utf8)
    }

    private func block(timeSize: Int) -> [UInt8] {
        var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
        for count in [0, 0, leapSeconds, changes.count, offsets.count, 4] { bytes += number(Int64(count), 4) }
        for change in changes { bytes += number(change.at, timeSize) }
        bytes += changes.map(\.type)
        for offset in offsets { bytes += number(Int64(offset), 4) + [0, 0] }
        return bytes + Array("LMT\0".utf8) + [UInt8](repeating: 0, count: leapSeconds * (timeSize + 4))
    }

    private func number(_ value: Int64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * Int64($0))) }
    }
}
