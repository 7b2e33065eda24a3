internal import PopupJournal

/// The version of a node's program, such as `0.2.0` or `1.0.0-rc.1`, in the order of Semantic Versioning.
struct NodeVersion: Hashable, Sendable {
    private let numbers: [UInt]
    private let isPrerelease: Bool

    /// Creates the version that a text names; `nil` if it names none.
    init?(_ text: String) {
        let core = text.prefix { $0 != "-" && $0 != "+" }
        let parts = core.split(separator: ".", omittingEmptySubsequences: false)
        numbers = parts.compactMap { UInt($0) }
        isPrerelease = text.dropFirst(core.count).first == "-"
        guard parts.count == 3, numbers.count == 3 else { return nil }
    }

    /// Returns whether it is older than another one. Of two prereleases of one version, neither is.
    func isOlder(than other: NodeVersion) -> Bool {
        guard numbers == other.numbers else { return numbers.lexicographicallyPrecedes(other.numbers) }
        return isPrerelease && !other.isPrerelease
    }
}

extension EtcdLog {
    /// Whether a node of an older version runs. It might not read a snapshot of this version, and makes its own.
    var hasOlderNode: Bool {
        get async throws(SharedLogError) {
            guard let own = settings.version.flatMap({ NodeVersion($0) }) else { return false }
            return try await nodes().contains { NodeVersion($0.version)?.isOlder(than: own) == true }
        }
    }
}
