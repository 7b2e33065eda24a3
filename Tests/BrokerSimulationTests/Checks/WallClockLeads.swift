import PopupScheduling

/// What the wall clock was ahead of the broker's when events were told: their times go by it. A setting that is committed
/// comes into force some events later.
struct WallClockLeads {
    /// Those in force and committed since, in their order.
    private var leads: [Milliseconds] = [0]

    /// This one is in force.
    mutating func begin(_ lead: Milliseconds) { leads = [lead] }

    /// This one comes into force.
    mutating func commit(_ lead: Milliseconds) { leads.append(lead) }

    /// The broker's time of an event. Settings are hours, and events that follow one another are nearer.
    mutating func brokerTime(_ wall: Milliseconds, near time: Milliseconds) -> Milliseconds {
        let index = leads.indices.min { abs(wall - leads[$0] - time) < abs(wall - leads[$1] - time) }
        leads.removeFirst(index ?? 0)
        return wall - leads[0]
    }
}
