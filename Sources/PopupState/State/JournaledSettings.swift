package import PopupScheduling

/// The limits of the scheduler and of the producers' records, as the journal contains them: a command that was refused
/// because a table was full is refused again by a replay, even if the configuration has other limits then.
package struct JournaledSettings: Equatable {
    package var limits: Limits
    /// The seed of the gaps of an empty scheduler.
    package var seed: UInt64
    /// The seed of the hash tables and trees of an empty scheduler.
    package var hashSeed: UInt64
    package var producers: ProducerSessions.Bounds

    /// The limits in the order in which they are written, before the seed of hash tables. None can be added here: a new one
    /// is written after that.
    private static let fields: [any WritableKeyPath<Limits, Int> & Sendable] = [
        \.groups, \.popups, \.waitingPerGroup, \.maxIDs, \.contentBytes, \.suspensions, \.policies, \.membersPerFlow,
        \.renderers, \.renderersPerPopup, \.groupsPerLease, \.pageTrees, \.pagesPerTree, \.pageDepth, \.cappedShowings,
        \.accounts,
    ]

    /// The greatest limit. Greater ones are read as this one, to which any time or count can be added.
    private static let largest: UInt64 = 1 << 60

    package init(
        limits: Limits, seed: UInt64, hashSeed: UInt64 = 0,
        producers: ProducerSessions.Bounds = ProducerSessions.Bounds()
    ) {
        self.limits = limits
        self.seed = seed
        self.hashSeed = hashSeed
        self.producers = producers
    }

    /// The encoding in the journal, 8 bytes per number, little-endian: the seed; the deduplication window; the producer
    /// window, the maximum number of producers and that of their gaps; the limits; the seed of hash tables; 1 if users
    /// have shares, otherwise nothing. A new limit follows it.
    package var bytes: [UInt8] {
        let numbers =
            [
                seed, UInt64(bitPattern: limits.deduplicationWindow), UInt64(bitPattern: producers.deduplicationWindow),
                UInt64(producers.producers), UInt64(producers.gaps),
            ] + Self.fields.map { UInt64(bitPattern: Int64(limits[keyPath: $0])) } + [hashSeed]
            + (limits.usersHaveShares ? [1] : [])
        return numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
    }

    /// Decodes settings. Limits that an older version did not write have their defaults, and both seeds are then the same.
    ///
    /// - Throws: `JournalContentError` if they are damaged, `NewerContentError` if they have more limits than this version
    ///   knows.
    package init(_ bytes: ArraySlice<UInt8>) throws {
        guard bytes.count.isMultiple(of: 8), bytes.count >= 40 else {
            throw JournalContentError(what: "the limits of a run are damaged")
        }
        let read = stride(from: bytes.startIndex, to: bytes.endIndex, by: 8).map { start in
            (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[start + $1]) << UInt64($1 * 8) }
        }
        let others = read.dropFirst(5 + Self.fields.count)
        guard others.count <= 1 || others.count == 2 && others.last == 1 else {
            throw NewerContentError(what: "a limit")
        }
        let bounds = read.dropFirst().prefix(4 + Self.fields.count)
        guard bounds.allSatisfy({ $0 <= UInt64(Int64.max) }) else {
            throw JournalContentError(what: "the limits of a run are below zero")
        }
        let numbers = bounds.map { Int64(min($0, Self.largest)) }
        seed = read[0]
        hashSeed = others.first ?? read[0]
        limits = Limits()
        limits.usersHaveShares = others.count == 2
        limits.deduplicationWindow = numbers[0]
        producers = ProducerSessions.Bounds(
            producers: Int(numbers[2]), gaps: Int(numbers[3]), deduplicationWindow: numbers[1])
        for (field, number) in zip(Self.fields, numbers.dropFirst(4)) { limits[keyPath: field] = Int(number) }
    }
}
