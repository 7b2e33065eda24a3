import PopupJournal
import PopupProtocol
import SwiftProtobuf

// Refusals are entries of the batch, so that they are published in the order of the commands.
extension BrokerLoop {
    /// Adds the refusal of an encoded command to the batch.
    mutating func refuse(_ refusal: CommandRefusal, ofBytes bytes: RawSpan) {
        let bytes = bytes.withUnsafeBytes { Array($0) }
        refuse(refusal, of: (try? WireCommand(serializedBytes: bytes)) ?? WireCommand())
    }

    /// Adds a refusal to the batch. Its group and popup are those of the command, unless they are set.
    mutating func refuse(
        _ refusal: CommandRefusal, of command: WireCommand, _ number: NumberedCommand? = nil, call: Int? = nil
    ) {
        var refusal = refusal
        let subject = command.subject
        if refusal.group == nil { refusal.group = GroupName(subject.group) }
        if refusal.popup.isEmpty { refusal.popup = subject.popup }
        var query: WireQuery?
        if case .query(let asked) = command.command { query = asked }
        refuse(refusal, number, query: query, call: call)
    }

    /// Adds a refusal to the batch. The refusal of a numbered command settles its sequence, unless it is temporary.
    mutating func refuse(
        _ refusal: CommandRefusal, _ number: NumberedCommand? = nil, query: WireQuery? = nil, call: Int? = nil
    ) {
        var refusal = refusal
        var query = query
        if call == nil {
            refusal.user = access.user?.text ?? ""
            if let group = refusal.group, !access.isOpen, !access.reportsRefusal(in: group, at: now) {
                refusal.group = nil
            }
            // The reply would go to the client that has this name.
            if let asked = query, !access.isOpen, !access.hears(client: asked.client) { query = nil }
        }
        if number == nil { admission.record(refusal) }
        var index: NumberedBatch.Index?
        if let number,
            let registered = acknowledgements.register(number, refusedFor: refusal, in: state.producers, at: now)
        {
            pipeline.gathered.append(refusedSequence: registered.entry.bytes.span.bytes)
            index = registered.number
        }
        if pipeline.isCommitting, let query { reply(WireReply(to: query, refusedFor: refusal)) }
        pipeline.gathered.enter(.refused(refusal, pipeline.isCommitting ? nil : query), call: call, number: index)
    }
}
