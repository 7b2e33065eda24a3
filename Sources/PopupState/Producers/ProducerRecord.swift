public import PopupProtocol
public import PopupScheduling

/// The settled sequences of one producer.
///
///     1 2 3 4 5 6 7 8 9 …      settled: 1–3, 5, 8–9
///     ━━━━━ · ━ · · ━━━        cumulative 3, ranges 5…5 and 8…9, gaps 4 and 6–7
public struct ProducerRecord {
    /// The maximum number of refusals with details. Of older ones only the reason is remembered.
    static let maxDetails = 32
    /// The maximum number of refusals. Those of the lowest sequences are removed first. A producer that observes its
    /// window never has so many.
    static let maxRefusals = 512

    @usableFromInline package let producer: ProducerName
    /// The time at which a sequence was settled last.
    @usableFromInline var settledAt: Milliseconds
    /// The sequence up to which all are settled.
    @usableFromInline package internal(set) var cumulative: UInt64 = 0
    /// The ranges of settled sequences above the first gap, in ascending order, with a gap between any two of them.
    @usableFromInline package internal(set) var ranges: [ClosedRange<UInt64>] = []
    /// The refusals of sequences above the first gap, and of the 256 below it, in ascending order. A producer that
    /// observes its window needs no others.
    @usableFromInline package internal(set) var refusals: [RefusedSequence] = []
    @usableFromInline var digests = RecentDigests()
    /// The bytes of the ranges and refusals: see `OutcomeMemory`.
    package internal(set) var outcomeBytes = 0
    /// The user whose command was settled last; empty if none had a user.
    @usableFromInline package internal(set) var owner = ""

    init(_ producer: ProducerName, at time: Milliseconds) {
        self.producer = producer
        settledAt = time
    }

    /// The highest settled sequence; 0 if there is none.
    package var highest: UInt64 { ranges.last?.upperBound ?? cumulative }

    /// Whether a sequence is settled. O(1) up to the first gap, otherwise O(log n) in the number of ranges.
    @inlinable @inline(__always)
    package func isSettled(_ sequence: UInt64) -> Bool {
        if sequence <= cumulative { return true }
        return ranges.isEmpty ? false : isInRange(sequence)
    }

    @usableFromInline
    func isInRange(_ sequence: UInt64) -> Bool {
        let index = firstRange(above: sequence)
        return index > 0 && ranges[index - 1].upperBound >= sequence
    }

    /// Whether settling a sequence extends a range, or the sequences up to the first gap, so that it adds no range.
    package func adjoins(_ sequence: UInt64) -> Bool {
        if sequence - 1 == cumulative { return true }
        let index = firstRange(above: sequence)
        return index > 0 && ranges[index - 1].upperBound == sequence - 1
            || index < ranges.count && ranges[index].lowerBound - 1 == sequence
    }

    /// Returns the digest of the command that settled a sequence; `nil` if it is no longer remembered.
    @inlinable
    package func digest(of sequence: UInt64) -> UInt64? { digests[sequence] }

    /// Returns the refusal of a settled sequence, if it was refused and is one of the last.
    package func refusal(of sequence: UInt64) -> SettledRefusal? {
        refusals.last { $0.sequence == sequence }?.refusal
    }

    /// Settles a sequence that is not settled, and records in `memory` what that needs besides the plain count.
    @inlinable @inline(__always)
    mutating func settle(
        _ sequence: UInt64, digest: UInt64, refusal: SettledRefusal?, in memory: inout OutcomeMemory
    ) {
        if sequence - 1 == cumulative, ranges.isEmpty {
            cumulative = sequence
        } else {
            insert(sequence, in: &memory)
        }
        digests.insert(digest, of: sequence)
        if refusal != nil || !refusals.isEmpty { record(refusal, of: sequence, in: &memory) }
    }

    @usableFromInline
    mutating func insert(_ sequence: UInt64, in memory: inout OutcomeMemory) {
        let before = ranges.count
        insert(sequence)
        use((ranges.count - before) * OutcomeMemory.bytesOfRange, of: &memory)
    }

    private mutating func use(_ bytes: Int, of memory: inout OutcomeMemory) {
        outcomeBytes += bytes
        memory.add(bytes)
    }

    private mutating func insert(_ sequence: UInt64) {
        if sequence - 1 == cumulative {
            cumulative = sequence
            if let first = ranges.first, first.lowerBound - 1 == sequence {
                cumulative = first.upperBound
                ranges.removeFirst()
            }
            return
        }
        let index = firstRange(above: sequence)
        let joinsLower = index > 0 && ranges[index - 1].upperBound == sequence - 1
        let joinsUpper = index < ranges.count && ranges[index].lowerBound - 1 == sequence
        switch (joinsLower, joinsUpper) {
        case (true, true):
            ranges[index - 1] = ranges[index - 1].lowerBound...ranges[index].upperBound
            ranges.remove(at: index)
        case (true, false): ranges[index - 1] = ranges[index - 1].lowerBound...sequence
        case (false, true): ranges[index] = sequence...ranges[index].upperBound
        case (false, false): ranges.insert(sequence...sequence, at: index)
        }
    }

    private func firstRange(above sequence: UInt64) -> Int {
        if let last = ranges.last, last.lowerBound <= sequence { return ranges.count }
        return ranges.partitioningIndex { $0.lowerBound > sequence }
    }

    @usableFromInline
    mutating func record(_ refusal: SettledRefusal?, of sequence: UInt64, in memory: inout OutcomeMemory) {
        let oldest = cumulative < 256 ? 1 : cumulative - 255
        let isAnyOld = refusals.first.map { $0.sequence < oldest } ?? false
        guard isAnyOld || refusal != nil else { return }
        if isAnyOld { refusals.removeAll { $0.sequence < oldest } }
        if let refusal, sequence >= oldest { add(RefusedSequence(sequence: sequence, refusal: refusal)) }
        use(countedOutcomeBytes - outcomeBytes, of: &memory)
    }

    private mutating func add(_ refused: RefusedSequence) {
        let index = (refusals.lastIndex { $0.sequence < refused.sequence } ?? -1) + 1
        refusals.insert(refused, at: index)
        if refusals.count > Self.maxRefusals { refusals.removeFirst() }
        removeDetails(before: refusals.count - Self.maxDetails)
    }

    /// Removes the details of all refusals, of which the reasons stay.
    mutating func removeDetails(in memory: inout OutcomeMemory) {
        removeDetails(before: refusals.count)
        use(countedOutcomeBytes - outcomeBytes, of: &memory)
    }

    private mutating func removeDetails(before end: Int) {
        for index in 0..<max(0, end) where !refusals[index].refusal.detail.isEmpty {
            refusals[index].refusal.detail = ""
        }
    }
}

extension ProducerRecord {
    /// Creates a record that was read back; digests and refusals follow.
    init(
        _ producer: ProducerName, at time: Milliseconds, cumulative: UInt64, ranges: [ClosedRange<UInt64>]
    ) {
        self.init(producer, at: time)
        self.cumulative = cumulative
        self.ranges = ranges
    }

    /// Calls `visit` with each settled sequence whose digest is remembered, in ascending order.
    func visitCompared(_ visit: (UInt64) -> Void) {
        guard highest > 0 else { return }
        for sequence in RecentDigests.window(below: highest) where isSettled(sequence) { visit(sequence) }
    }

    /// Adds the digest of a snapshot.
    mutating func restore(_ digest: UInt64, of sequence: UInt64) {
        digests.insert(digest, of: sequence)
    }

    /// Adds a refusal of a snapshot. They have to be in ascending order.
    mutating func restore(_ refused: RefusedSequence) {
        refusals.append(refused)
    }
}
