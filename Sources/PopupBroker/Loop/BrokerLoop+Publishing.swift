import PopupProtocol
import PopupScheduling

// What is published in addition to the results of commands: answers to subscriptions, repetitions and acknowledgements.
extension BrokerLoop {
    /// Handles subscriptions, and answers subscriptions to acknowledgements. Returns whether there may be more.
    mutating func takeSubscriptions() throws -> Bool {
        var requests = SubscriptionRequests()
        let hasMore = try publisher.takeSubscriptions(in: &state, at: time.clock, &access, &requests)
        for (producer, channels) in requests.acks {
            guard let ack = acknowledgements.forSubscriber(of: producer, in: state.producers) else { continue }
            try publisher.publish(ack, in: state, to: channels)
        }
        telemetry.reportRefused(requests, at: now)
        return hasMore
    }

    /// Records subscriptions while nothing may be published, and logs the connections that were cut. What was
    /// subscribed to is answered as soon as something may be.
    ///
    /// - Returns: Whether there may be more.
    mutating func recordSubscriptions() throws -> Bool {
        // Renewals of leases wait, too: they are read before leases end.
        leases.waitForMessages(true)
        var requests = SubscriptionRequests()
        let hasMore = try publisher.recordSubscriptions(&access, state.producers, &requests)
        telemetry.reportRefused(requests, at: now)
        recordCutConnections()
        return hasMore
    }

    /// Ends the subscriptions under names that no longer belong to their users.
    mutating func endReadingOfLostNames() {
        let losers = access.takeLosersOfNames()
        if !losers.isEmpty { publisher.endReading(of: losers, access, state.producers) }
    }

    /// Publishes a bounded number of pending acknowledgements. Returns whether there are more.
    mutating func sendAcks() throws -> Bool {
        guard publisher.wantsAcks else {
            acknowledgements.forgetPending()
            return false
        }
        var budget = PublishingBudget()
        while !budget.isSpent {
            guard let ack = acknowledgements.takePending(in: state.producers, at: now) else { return false }
            budget.spend(bytes: try publisher.publish(ack, in: state))
        }
        return acknowledgements.hasPending
    }

    /// Counts and logs the connections that were cut.
    mutating func recordCutConnections() {
        for cut in transport.takeCutConnections() { telemetry.report(cut, at: now) }
    }

    /// Publishes a bounded part of what has to be repeated. Returns whether there is more.
    mutating func republishDue() throws -> Bool {
        let hasMore = try publisher.republishDue(in: state, at: time.clock)
        acknowledgements.repeatDue(at: now)
        return hasMore
    }
}
