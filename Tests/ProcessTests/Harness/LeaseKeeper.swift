import Foundation
import Synchronization

/// Leases that are renewed each second, as renderers do, by a thread of its own: whatever a test waits for, they do not end
/// before the test lets go of them.
final class LeaseKeeper: Sendable {
    private final class End: Sendable {
        let isReached = Mutex(false)
    }

    private let end = End()

    /// - Parameter leases: The groups of each client.
    init(_ leases: [(client: String, groups: [String])], ingress: String, egress: String) {
        let commands = leases.map { client, groups in
            #"{"lease":{"client":"\#(client)","groups":[\#(groups.map { "\"\($0)\"" }.joined(separator: ","))]}}"#
        }
        Thread.detachNewThread { [end] in
            // A broker that does not take them is the matter of the test, which sees that they have ended.
            try? Self.renew(commands, ingress, egress) { end.isReached.withLock { $0 } }
        }
    }

    deinit {
        end.isReached.withLock { $0 = true }
    }

    private static func renew(
        _ commands: [String], _ ingress: String, _ egress: String, until isOver: () -> Bool
    ) throws {
        let wire = try Wire(connectingTo: ingress, egress)
        while !isOver() {
            _ = try wire.waits(before: .after(.milliseconds(20))) { $0.isHeard }
            guard wire.isHeard else { continue }
            try wire.send(commands)
            _ = try wire.waits(before: .after(.seconds(1))) { !$0.isHeard || isOver() }
        }
    }
}
