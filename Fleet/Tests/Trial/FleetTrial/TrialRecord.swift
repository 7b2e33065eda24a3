/// What a node of a trial told the world, one line each.
package enum TrialRecord: Hashable, Sendable {
    /// It became the owner, in an epoch.
    case owns(epoch: UInt64)
    /// It offered a number to its log.
    case offered(UInt64)
    /// It acknowledged a number, whose entry has an index.
    case acknowledged(UInt64, index: UInt64)
    /// It published a state: its epoch, entry and time, and a digest.
    case published(epoch: UInt64, index: UInt64, time: Int64, digest: UInt64)

    /// The line.
    package var line: String {
        switch self {
        case .owns(let epoch): "owns \(epoch)"
        case .offered(let number): "offered \(number)"
        case .acknowledged(let number, let index): "acknowledged \(number) \(index)"
        case .published(let epoch, let index, let time, let digest): "published \(epoch) \(index) \(time) \(digest)"
        }
    }

    /// Creates the record of a line; `nil` for another, such as one that a killed process did not finish.
    package init?(line: some StringProtocol) {
        let words = line.split(separator: " ")
        let numbers = words.dropFirst().compactMap { UInt64(String($0)) }
        guard numbers.count == words.count - 1 else { return nil }
        switch (words.first.map { "\($0)" }, numbers.count) {
        case ("owns", 1): self = .owns(epoch: numbers[0])
        case ("offered", 1): self = .offered(numbers[0])
        case ("acknowledged", 2): self = .acknowledged(numbers[0], index: numbers[1])
        case ("published", 4):
            self = .published(
                epoch: numbers[0], index: numbers[1], time: Int64(clamping: numbers[2]), digest: numbers[3])
        default: return nil
        }
    }
}
