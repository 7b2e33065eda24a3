import PopupProtocol
import PopupScheduling

// The record of a producer in a snapshot:
//
//     name (16 bytes)  settledAt  cumulative
//     the number of ranges; for each its distance from the end of the one before, and its length minus one
//     the digests (8 bytes each, little-endian) of the settled ones of the last 256 sequences, in ascending order
//     the number of refusals; for each its distance from the sequence before, its reason, the length of its detail, and
//     its detail
//     the length of the owner's name and the name, if there is an owner
//
// Numbers have 7 bits per byte. The sequences of the digests follow from the settled ranges.
extension ProducerRecord {
    func append(to bytes: inout [UInt8]) {
        bytes.append(producer)
        bytes.appendVarint(UInt64(bitPattern: settledAt))
        bytes.appendVarint(cumulative)
        bytes.appendVarint(UInt64(ranges.count))
        var end = cumulative
        for range in ranges {
            bytes.appendVarint(range.lowerBound - end)
            bytes.appendVarint(range.upperBound - range.lowerBound)
            end = range.upperBound
        }
        visitCompared { bytes.appendWord(digest(of: $0) ?? 0) }
        bytes.appendVarint(UInt64(refusals.count))
        var before: UInt64 = 0
        for refused in refusals {
            bytes.appendVarint(refused.sequence - before)
            bytes.append(refused.refusal)
            before = refused.sequence
        }
        guard !owner.isEmpty else { return }
        bytes.appendVarint(UInt64(owner.utf8.count))
        bytes.append(contentsOf: owner.utf8)
    }

    /// Decodes a record.
    ///
    /// - Throws: `JournalContentError` if it is damaged.
    init(bytes: ArraySlice<UInt8>) throws(JournalContentError) {
        var fields = JournalFields(bytes, of: "what is known of a producer")
        let producer = try fields.producer()
        let settledAt = Milliseconds(bitPattern: try fields.number())
        let cumulative = try fields.number()
        var ranges: [ClosedRange<UInt64>] = []
        var end = cumulative
        for _ in 0..<(try fields.count(ofBytes: 2)) {
            let (lower, isBeyond) = end.addingReportingOverflow(try fields.number())
            let (upper, endsBeyond) = lower.addingReportingOverflow(try fields.number())
            guard !isBeyond, !endsBeyond, lower > end, lower - end > 1 else { throw fields.damaged() }
            ranges.append(lower...upper)
            end = upper
        }
        self.init(producer, at: settledAt, cumulative: cumulative, ranges: ranges)
        var compared: [UInt64] = []
        visitCompared { compared.append($0) }
        for sequence in compared { restore(try fields.word(), of: sequence) }
        var sequence: UInt64 = 0
        for _ in 0..<(try fields.count(ofBytes: 3)) {
            let (next, isBeyond) = sequence.addingReportingOverflow(try fields.number())
            guard !isBeyond, next > sequence, isSettled(next) else { throw fields.damaged() }
            restore(RefusedSequence(sequence: next, refusal: try fields.refusal()))
            sequence = next
        }
        outcomeBytes = countedOutcomeBytes
        guard !fields.isAtEnd else { return }
        owner = try fields.text()
        guard fields.isAtEnd, !owner.isEmpty else { throw fields.damaged() }
    }
}
