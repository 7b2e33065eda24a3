import PopupProtocol

/// Commands with their times, in order, for a simulation. A file of lines is one implementation.
protocol Recording {
    /// Returns the next step; `nil` after the last.
    ///
    /// - Throws: `RecordingFault`.
    mutating func next() throws(RecordingFault) -> RecordedStep?
}

/// The actions at one time.
struct RecordedStep {
    enum Action {
        /// The commands of a frame, each decoded or refused. Whether leases last until the renderer leaves.
        case commands([ReceivedCommand], leasesLast: Bool)
        /// The removal of the policy of a name or pattern, by a configuration that was read again.
        case removePolicy(GroupPattern)
        /// The wall clock was set: so many ms ahead of the recording's time, or behind it.
        case setWallClock(ahead: Int64)
    }

    /// The time in ms from the start.
    var time: Int64
    var action: Action
}

/// The error that a recording cannot be read.
struct RecordingFault: Error {
    /// The error message.
    var text: String
    /// Whether the file is missing or cannot be read at all.
    var isMissing = false
}
