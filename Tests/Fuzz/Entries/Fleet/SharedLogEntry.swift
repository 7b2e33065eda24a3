import PopupJournal

/// Records of a fleet's shared log: bytes as they are; behind checksums that fit; and as a log that a replica, a history
/// and a node follow. What is read is written as it was, what is refused changes nothing, and all have the same state.
enum SharedLogEntry {
    static func run(_ input: [UInt8]) throws -> Bool {
        _ = try FuzzedRecord.hint(in: input)
        var reader = InputReader(input)
        var fleet = FuzzedFleet()
        for _ in 0..<Step.most where !reader.isAtEnd {
            try fleet.step(&reader)
            guard !fleet.isOver else { break }
        }
        return fleet.isAccepted
    }
}
