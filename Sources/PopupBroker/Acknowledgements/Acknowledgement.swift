import PopupProtocol

/// An acknowledgement of a producer's commands.
struct Acknowledgement {
    var producer: ProducerName
    /// The index of the producer's settled sequences; `nil` if none is settled.
    var session: ProducerSessions.Index?
    /// The temporary refusals.
    var passing: [AckScheduler.PassingRefusal] = []
}
