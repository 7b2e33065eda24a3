public import PopupProtocol
public import PopupScheduling

/// What is known of one producer's sequences.
///
///     1 2 3 4 5 6 7 8 9 …      settled: 1–3, 5, 8–9
///     ━━━━━ · ━ · · ━━━        cumulative 3, ranges 5…5 and 8…9, gaps 4 and 6–7
public struct ProducerRecord {
    /// So many of the refusals keep their details; of the older ones the reason is enough.
    static let mostDetails = 32
    /// Refusals kept at most; the lowest sequences go first. A producer within its window never has so many.
    static let mostRefusals = 512

    @usableFromInline package let producer: ProducerName
    /// When a sequence was settled last.
    @usableFromInline var settledAt: Milliseconds
    /// All sequences up to it are settled.
    @usableFromInline package internal(set) var cumulative: UInt64 = 0
    /// What is settled above the first gap, ascending; between two of them is a gap.
    @usableFromInline package internal(set) var ranges: [ClosedRange<UInt64>] = []
    /// Those of the sequences above the first gap, and of the 256 below it, ascending: a producer that keeps within its
    /// window waits for no other.
    @usableFromInline package internal(set) var refusals: [RefusedSequence] = []
    @usableFromInline var digests = RecentDigests()
    /// The user whose command was settled last; empty: none had a user.
    @usableFromInline package internal(set) var owner = ""

    init(_ producer: ProducerName, at time: Milliseconds) {
        self.producer = producer
        settledAt = time
    }

    /// The highest sequence that is settled; 0: none is.
    package var highest: UInt64 { ranges.last?.upperBound ?? cumulative }

    /// O(1) for what is in sequence, O(log n) in the ranges otherwise.
    @inlinable @inline(__always)
    package func isSettled(_ sequence: UInt64) -> Bool {
        if sequence <= cumulative { return true }
        return ranges.isEmpty ? false : isInRange(sequence)
    }

    @usableFromInline
    func isInRange(_ sequence: UInt64) -> Bool {
        let place = firstRange(above: sequence)
        return place > 0 && ranges[place - 1].upperBound >= sequence
    }

    /// Whether a sequence that isn't settled would not stand alone if it were: no range is opened by it.
    package func adjoins(_ sequence: UInt64) -> Bool {
        if sequence - 1 == cumulative { return true }
        let place = firstRange(above: sequence)
        return place > 0 && ranges[place - 1].upperBound == sequence - 1
            || place < ranges.count && ranges[place].lowerBound - 1 == sequence
    }

    /// The digest of the command that settled a sequence; `nil` when that is too old to be known.
    @inlinable
    package func digest(of sequence: UInt64) -> UInt64? { digests[sequence] }

    /// Why a settled sequence was refused, when it was and is one of the last.
    package func refusal(of sequence: UInt64) -> SettledRefusal? {
        refusals.last { $0.sequence == sequence }?.refusal
    }

    /// Settles a sequence that isn't settled.
    @inlinable @inline(__always)
    mutating func settle(_ sequence: UInt64, digest: UInt64, refusal: SettledRefusal?) {
        if sequence - 1 == cumulative, ranges.isEmpty {
            cumulative = sequence
        } else {
            insert(sequence)
        }
        digests.note(digest, of: sequence)
        if refusal != nil || !refusals.isEmpty { note(refusal, of: sequence) }
    }

    @usableFromInline
    mutating func insert(_ sequence: UInt64) {
        if sequence - 1 == cumulative {
            cumulative = sequence
            if let first = ranges.first, first.lowerBound - 1 == sequence {
                cumulative = first.upperBound
                ranges.removeFirst()
            }
            return
        }
        let place = firstRange(above: sequence)
        let joinsLower = place > 0 && ranges[place - 1].upperBound == sequence - 1
        let joinsUpper = place < ranges.count && ranges[place].lowerBound - 1 == sequence
        switch (joinsLower, joinsUpper) {
        case (true, true):
            ranges[place - 1] = ranges[place - 1].lowerBound...ranges[place].upperBound
            ranges.remove(at: place)
        case (true, false): ranges[place - 1] = ranges[place - 1].lowerBound...sequence
        case (false, true): ranges[place] = sequence...ranges[place].upperBound
        case (false, false): ranges.insert(sequence...sequence, at: place)
        }
    }

    private func firstRange(above sequence: UInt64) -> Int {
        if let last = ranges.last, last.lowerBound <= sequence { return ranges.count }
        return ranges.partitioningIndex { $0.lowerBound > sequence }
    }

    @usableFromInline
    mutating func note(_ refusal: SettledRefusal?, of sequence: UInt64) {
        let oldest = cumulative < 256 ? 1 : cumulative - 255
        if let old = refusals.first, old.sequence < oldest { refusals.removeAll { $0.sequence < oldest } }
        guard let refusal, sequence >= oldest else { return }
        let place = (refusals.lastIndex { $0.sequence < sequence } ?? -1) + 1
        refusals.insert(RefusedSequence(sequence: sequence, refusal: refusal), at: place)
        if refusals.count > Self.mostRefusals { refusals.removeFirst() }
        if refusals.count > Self.mostDetails {
            for index in 0..<refusals.count - Self.mostDetails where !refusals[index].refusal.detail.isEmpty {
                refusals[index].refusal.detail = ""
            }
        }
    }
}

extension ProducerRecord {
    /// What was read back; digests and refusals follow.
    init(
        _ producer: ProducerName, at time: Milliseconds, cumulative: UInt64, ranges: [ClosedRange<UInt64>]
    ) {
        self.init(producer, at: time)
        self.cumulative = cumulative
        self.ranges = ranges
    }

    /// Calls `visit` with each settled sequence whose digest is known, ascending.
    func visitCompared(_ visit: (UInt64) -> Void) {
        guard highest > 0 else { return }
        for sequence in RecentDigests.window(below: highest) where isSettled(sequence) { visit(sequence) }
    }

    /// Keeps a digest that was read back.
    mutating func restore(_ digest: UInt64, of sequence: UInt64) {
        digests.note(digest, of: sequence)
    }

    /// Keeps a refusal that was read back; they come ascending.
    mutating func restore(_ refused: RefusedSequence) {
        refusals.append(refused)
    }
}
