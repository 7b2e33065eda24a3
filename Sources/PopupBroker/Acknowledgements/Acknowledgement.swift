import PopupProtocol

/// What a producer is to be told of its commands.
struct Acknowledgement {
    var producer: ProducerName
    /// Where the settled sequences of the producer are; `nil`: none is settled.
    var place: ProducerSessions.Index?
    /// The refusals that settle nothing.
    var passing: [AckScheduler.PassingRefusal] = []
}
