import Logging
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Whoever subscribes to `sync/CLIENT/NONCE/GROUP/` is sent the present states there, some thousands a turn, then the
// end. What changes meanwhile comes on `state/…`, to which it subscribed before.
extension BrokerCore {
    /// Begins the answer to a subscription, if it is to the topic of one.
    mutating func answerSync(_ prefix: [UInt8], of connection: ConnectionID) {
        guard case .sync(_, _, let group, let encoding)? = Topic(String(decoding: prefix, as: UTF8.self)) else {
            // Shorter ones are no questions: a client may subscribe to all answers that it will ask for.
            guard prefix.count(where: { $0 == UInt8(ascii: "/") }) >= 4 else { return }
            let text = String(decoding: prefix, as: UTF8.self)
            return refusals.note(
                .invalid, "`\(text)` is no topic of sync; give CLIENT/NONCE/ and a group's name, or * for all",
                group: "",
                popup: "", at: now)
        }
        let answer = Syncs.Answer(
            topic: prefix, connection: connection, isJSON: encoding == .json,
            prefix: group.map { Array("\($0)/".utf8) } ?? [])
        guard syncs.add(answer) else {
            return logger.debug(
                "too many answers to sync wait; the client asks again", metadata: ["limit": "queuedSyncs"])
        }
    }

    /// Goes on with the answers that are under way. Returns whether there is more to do.
    mutating func serveSyncs() throws -> Bool {
        var budget = Syncs.Budget()
        while !budget.isSpent, var answer = syncs.takeNext() {
            if try sendPart(of: &answer, &budget) { syncs.fill() } else { syncs.putBack(answer) }
        }
        return !syncs.isEmpty
    }

    /// Sends the next part. Returns whether the answer is finished.
    private mutating func sendPart(of answer: inout Syncs.Answer, _ budget: inout Syncs.Budget) throws -> Bool {
        let scope = answer.scope ?? scope(of: answer)
        answer.scope = scope
        body.removeAll(keepingCapacity: true)
        var states = 0
        while states < Syncs.statesInPart, budget.groups > 0, let group = scope.group(at: answer.next) {
            budget.groups -= 1
            if writeState(of: group, below: answer.prefix) {
                let count = stateWriter.bytes.count
                let length = ProtobufSize.field(1, count: count)
                if !body.isEmpty, body.count + length > Syncs.bytesInPart { break }
                body.appendLength(1, count)
                body.append(contentsOf: stateWriter.bytes.bindMemory(to: UInt8.self))
                states += 1
            }
            answer.next += 1
        }
        answer.states += UInt64(states)
        budget.bytes -= body.count * (answer.isJSON ? Syncs.costOfJSON : 1)
        if states > 0 { try publishSync(answer) }
        guard scope.group(at: answer.next) == nil else { return false }
        body.removeAll(keepingCapacity: true)
        body.appendLength(2, ProtobufSize.field(1, epoch) + ProtobufSize.field(2, answer.states))
        body.appendField(1, epoch)
        body.appendField(2, answer.states)
        try publishSync(answer)
        return true
    }

    private mutating func scope(of answer: Syncs.Answer) -> Syncs.Scope {
        if !answer.prefix.isEmpty {
            let groups = state.groups(withPrefix: answer.prefix.span.bytes, limit: Syncs.mostListed + 1)
            if groups.count <= Syncs.mostListed { return .listed(groups) }
        }
        return .all(capacity: state.scheduler.groupCapacity)
    }

    /// Writes the state of a group into `state`, if it is there and one of those below the prefix.
    private mutating func writeState(of group: GroupIndex, below prefix: [UInt8]) -> Bool {
        guard let view = state.scheduler.view(of: group, at: now) else { return false }
        topic.removeAll(keepingCapacity: true)
        topic.append(contentsOf: view.name)
        topic.append(UInt8(ascii: "/"))
        guard topic.starts(with: prefix) else { return false }
        stateWriter.write(view, epoch: epoch, in: output)
        return true
    }

    private mutating func publishSync(_ answer: Syncs.Answer) throws {
        if answer.isJSON { body = try WireSync(serializedBytes: body).jsonUTF8Bytes() }
        try transport.publish(topic: answer.topic.span.bytes, body: body.span.bytes)
    }
}

extension Syncs.Scope {
    func group(at place: Int) -> GroupIndex? {
        switch self {
        case .listed(let groups): place < groups.count ? groups[place] : nil
        case .all(let capacity): place < capacity ? GroupIndex(rawValue: Int32(place)) : nil
        }
    }
}
