import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// A producer without acknowledgements, that sends a `show` again, with the same id, until it has seen that it
/// happened: an event of the popup, or the answer to a query about it.
final class SimulatedProducer: SimulatedSender {
    private struct Pending {
        var frames: [[UInt8]]
        var next: Milliseconds
        var pause: Milliseconds = 250
        var overloads = 0
    }

    /// After so many refusals for want of room it gives up.
    private static let maxOverloads = 3

    let name: String
    let prefixes: [String]
    private let handwriting: Handwriting
    private var pending: [String: Pending] = [:]

    init(name: String, handwriting: Handwriting) {
        self.name = name
        self.handwriting = handwriting
        prefixes = ["events/", "replies/\(name)/"]
    }

    /// The popups that it does not know to have happened.
    var unsettled: [String] { pending.keys.sorted() }

    func send(_ commands: [WireCommand], at now: Milliseconds, _ hand: inout Hand) {
        let frames = handwriting.frames(commands)
        hand.send(frames)
        if commands.count == 1, case .show(let popup) = commands[0].command, !popup.id.isEmpty {
            pending[popup.id] = Pending(frames: frames, next: now + 250)
            hand.wake(at: now + 250)
        }
    }

    func receive(_ topic: String, _ body: [UInt8], at now: Milliseconds, _ hand: inout Hand) {
        if topic.hasPrefix("events/"), let event = try? WireEvent(serializedBytes: body) {
            note(event)
        } else if let reply = try? WireReply(serializedBytes: body), case .explain(let answer) = reply.reply.result,
            answer.phase != .unknown
        {
            pending[answer.id] = nil
        }
    }

    private func note(_ event: WireEvent) {
        guard case .refused(let refused) = event.event else {
            pending[event.popup] = nil
            return
        }
        switch refused.reason {
        case .invalid, .unsupported, .tooLarge, .permissionDenied:
            pending[event.popup] = nil
        case .overload:
            pending[event.popup]?.overloads += 1
            if let overloads = pending[event.popup]?.overloads, overloads >= Self.maxOverloads {
                pending[event.popup] = nil
            }
        default: break
        }
    }

    func wake(at now: Milliseconds, _ hand: inout Hand) {
        for id in unsettled {
            guard var popup = pending[id], popup.next <= now else { continue }
            hand.send(popup.frames)
            let query = WireCommand.with {
                $0.query.client = name
                $0.query.nonce = id
                $0.query.explain.id = id
            }
            hand.send(handwriting.frames([query]))
            popup.pause = min(popup.pause * 2, 2000)
            popup.next = now + popup.pause
            pending[id] = popup
            hand.wake(at: popup.next)
        }
    }
}
