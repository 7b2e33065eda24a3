import PopupBroker
import PopupJournal
import PopupProtocol
import PopupSimulation
import SQLiteJournal

/// A comparison of policies on what is in a data directory. It takes no lock and changes nothing, so a broker may use the
/// directory meanwhile.
struct JournalComparison: ~Copyable {
    private let policies: [WireSetPolicy]
    private let replacement: PolicyComparison.Replacement
    private let settings: SimulationSettings
    private var comparison: PolicyComparison?
    private var last: UInt64 = 0
    /// Sentences for the user about the beginning and about gaps.
    private(set) var notes: [String] = []

    /// Creates a comparison with these policies instead of recorded ones.
    init(policies: [WireSetPolicy], replacing replacement: PolicyComparison.Replacement) {
        self.policies = policies
        self.replacement = replacement
        var settings = SimulationSettings(BrokerConfiguration())
        // What a journal contains was accepted, whatever limit was configured.
        settings.popupContentBytes = Ingress.maxFrameBytes
        self.settings = settings
    }

    /// Runs the commands of a directory, up to the last one that was committed when this was called.
    ///
    /// - Throws: `SQLiteJournalError`; `CommandRefusal` for a policy that is invalid; what is wrong with a snapshot or a
    ///   batch.
    mutating func read(_ directory: DataDirectory) throws {
        try JournalInspection(directory: directory).replay { snapshot in
            comparison = try PolicyComparison.ofJournal(
                from: snapshot, under: policies, replacing: replacement, settings)
            guard let snapshot else { return }
            last = snapshot.sequence
            notes.append(
                "a snapshot has replaced the commands before batch \(snapshot.sequence + 1): both runs begin with its "
                    + "popups, and the policies of --policy hold from there")
        } _: { batch in
            if batch.sequence > last + 1 {
                notes.append("the batches \(last + 1) to \(batch.sequence - 1) are missing: both runs are without them")
            }
            last = batch.sequence
            try comparison?.apply(batch)
        }
    }

    /// Returns the two runs as they are after the last command.
    consuming func finish() throws -> PolicyComparison {
        guard let comparison else {
            return try PolicyComparison(policies: policies, replacing: replacement, settings)
        }
        return comparison
    }
}
