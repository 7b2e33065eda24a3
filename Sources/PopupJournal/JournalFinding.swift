/// Something in a journal that is not as it was written: told when it is opened, and by whoever verifies it.
///
/// What is whole is recovered in spite of it; what is damaged is passed over, never guessed.
public enum JournalFinding: Sendable, Hashable {
    /// Batches that were committed are not there.
    case missing(ClosedRange<UInt64>)
    /// The checksum of a batch doesn't fit: it is not applied.
    case damagedBatch(UInt64)
    /// A snapshot can't be used; the one before it and the batches since are.
    case damagedSnapshot(file: String, reason: String)
    /// A file can't be read, or not whole.
    case damagedFile(file: String, reason: String)
}

extension JournalFinding: CustomStringConvertible {
    /// A sentence.
    public var description: String {
        switch self {
        case .missing(let range) where range.count == 1:
            "batch \(range.lowerBound) was committed and is missing"
        case .missing(let range):
            "batches \(range.lowerBound) to \(range.upperBound) were committed and are missing"
        case .damagedBatch(let sequence):
            "batch \(sequence) is damaged: its checksum doesn't fit"
        case .damagedSnapshot(let file, let reason):
            "the snapshot \(file) is damaged: \(reason)"
        case .damagedFile(let file, let reason):
            "\(file) is damaged: \(reason)"
        }
    }
}
