import PopupClient

/// Shows popups, `NAME-1` to `NAME-COUNT`, in a few groups:
///
///     safe ID        the outbox file has it
///     accepted ID    the broker's acknowledgement is there
///     named TEXT     the same, of a popup whose id the broker made
///     settled NAME   all of this process are settled
///     torn BYTES     the outbox file of a killed process ended with a part of a record
struct ProducerRole {
    /// Calls that wait for their acknowledgements at a time, without an outbox.
    private static let atOnce = 8

    let endpoints: BrokerEndpoints
    let name: String
    let count: Int
    let outbox: String?

    func play() async throws {
        let producer = try Producer(endpoints, outbox: outbox, limits: .patient)
        if let lost = producer.connection.outbox?.lostBytes, lost > 0 { Fact.tell("torn \(lost)") }
        if outbox != nil {
            for number in 0..<count {
                let popup = popup(number)
                try await producer.submit([popup])
                Fact.tell("safe \(popup.id)")
            }
        } else {
            try await showAll(producer)
        }
        try await producer.flush()
        Fact.tell("settled \(name)")
        try await waitForTheEnd()
    }

    private func showAll(_ producer: Producer) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= Self.atOnce { try await group.next() }
                group.addTask { try await show(number, producer) }
            }
            try await group.waitForAll()
        }
    }

    private func show(_ number: Int, _ producer: Producer) async throws {
        var popup = popup(number)
        if number % 7 == 6 {
            popup.id = ""
            try await AdminClient(producer.connection).show(popup)
            Fact.tell("named \(popup.contentText)")
        } else {
            try await producer.show(popup)
            Fact.tell("accepted \(popup.id)")
        }
    }

    /// One of five kinds: three that end by themselves, one of them over another, and two that stay until dismissed.
    private func popup(_ number: Int) -> Popup {
        let id = "\(name)-\(number + 1)"
        switch number % 5 {
        case 0: return Popup(id: id, group: "kept/1", text: id)
        case 1: return Popup(id: id, group: "timed/1", duration: .milliseconds(15), text: id)
        case 2: return Popup(id: id, group: "timed/2", text: id)
        case 3: return Popup(id: id, group: "kept/2", text: id)
        default: return Popup(id: id, group: "timed/1", priority: 5, duration: .milliseconds(25), text: id)
        }
    }
}
