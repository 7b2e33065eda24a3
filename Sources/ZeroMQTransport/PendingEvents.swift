import ZeroMQ

/// The events of connections that the loop has not taken, up to a limit.
///
/// While the loop does not take them, clients may connect and leave without end. Beyond the limit, the events are
/// replaced by one that lists the current connections.
struct PendingEvents {
    /// The maximum number of events: more than those of all connections that a socket may have by default.
    static let maxCount = 16_384

    private var events: [ConnectionEvents.Event] = []
    /// Whether events were dropped since the last time that the loop took them.
    private var isIncomplete = false

    /// Whether there are events.
    var isEmpty: Bool { events.isEmpty && !isIncomplete }

    /// The number of events that are kept.
    var count: Int { events.count }

    /// Adds an event. Connections that were shut down remain, as many as fit.
    mutating func append(_ event: ConnectionEvents.Event) {
        if !isIncomplete, events.count == Self.maxCount {
            isIncomplete = true
            events.removeAll { !$0.isShutDown }
        }
        guard !isIncomplete || (event.isShutDown && events.count < Self.maxCount) else { return }
        events.append(event)
    }

    /// Removes and returns the events in order. `connected` are the current connections by their descriptors.
    mutating func takeAll(connected: [AcceptedConnection?]) -> [ConnectionEvents.Event] {
        guard !isEmpty else { return [] }
        defer { self = PendingEvents() }
        return isIncomplete ? events + [.relisted(connected)] : events
    }
}

extension ConnectionEvents.Event {
    fileprivate var isShutDown: Bool {
        if case .shutDown = self { true } else { false }
    }
}
