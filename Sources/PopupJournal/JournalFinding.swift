/// Damage in a journal: reported when the journal is opened or verified.
///
/// Everything intact is recovered nevertheless. Damaged data is skipped, never guessed.
public enum JournalFinding: Sendable, Hashable {
    /// Committed batches are missing.
    case missing(ClosedRange<UInt64>)
    /// The checksum of a batch is wrong. The batch is not applied.
    case damagedBatch(UInt64)
    /// A snapshot cannot be used. The previous one and the batches since are used instead.
    case damagedSnapshot(file: String, reason: String)
    /// A file cannot be read, or only in part.
    case damagedFile(file: String, reason: String)
}

extension JournalFinding: CustomStringConvertible {
    /// One sentence that says what is wrong.
    public var description: String {
        switch self {
        case .missing(let range) where range.count == 1:
            "batch \(range.lowerBound) was committed, but is missing"
        case .missing(let range):
            "batches \(range.lowerBound) to \(range.upperBound) were committed, but are missing"
        case .damagedBatch(let sequence):
            "batch \(sequence) is damaged: its checksum is wrong"
        case .damagedSnapshot(let file, let reason):
            "the snapshot \(file) is damaged: \(reason)"
        case .damagedFile(let file, let reason):
            "\(file) is damaged: \(reason)"
        }
    }
}
