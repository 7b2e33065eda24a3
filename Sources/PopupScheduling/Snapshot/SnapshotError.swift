/// The reason for which bytes are not a valid state of a scheduler.
public enum SnapshotError: Error, Sendable, Equatable {
    /// The state has an unknown version of the format.
    case version(UInt64)
    /// The state is damaged. `at` is the offset of the invalid data.
    case damaged(String, at: Int)
}

extension SnapshotError: CustomStringConvertible {
    /// The error in a sentence, with advice.
    public var description: String {
        switch self {
        case .version(let version):
            "the state is of version \(version), and this program reads versions 1 to \(Scheduler.stateVersion); "
                + "use the program that wrote it"
        case .damaged(let what, let offset):
            "the state is damaged: \(what), at byte \(offset); use an older one"
        }
    }
}
