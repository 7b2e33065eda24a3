import PopupProtocol

/// Commands with their times, in order: what a simulation runs. A file of lines is one; whatever else keeps commands can
/// be another.
protocol Recording {
    /// What comes next; `nil` after the last.
    ///
    /// - Throws: `RecordingFault`.
    mutating func next() throws(RecordingFault) -> RecordedStep?
}

/// What was done at one time.
struct RecordedStep {
    enum Action {
        /// A frame came: its commands, each decoded or refused. Whether leases last until the renderer leaves.
        case commands([Result<WireCommand, CommandRefusal>], leasesLast: Bool)
        /// A configuration that was read again took back the policy of a name or pattern.
        case removePolicy(GroupPattern)
    }

    /// In ms from the start.
    var time: Int64
    var action: Action
}

/// Why a recording can't be read on.
struct RecordingFault: Error {
    /// The sentence for the one who asked.
    var text: String
    /// Whether it is there and readable at all.
    var isMissing = false
}
