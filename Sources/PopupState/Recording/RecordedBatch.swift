import PopupProtocol
package import PopupScheduling
import SwiftProtobuf

/// The commands that were committed together, copied out of the loop's memory.
package struct RecordedBatch: Sendable {
    package let time: Milliseconds
    let removedPolicies: [String]
    /// The wall clock was set, before the commands.
    let wallClock: WallClockEntry?
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    package init(time: Milliseconds, removedPolicies: [String] = [], wallClock: WallClockEntry? = nil) {
        self.time = time
        self.removedPolicies = removedPolicies
        self.wallClock = wallClock
    }

    /// Whether it results in no line.
    package var isEmpty: Bool { ends.isEmpty && removedPolicies.isEmpty && wallClock == nil }

    /// The number of bytes of its commands.
    package var size: Int { bytes.count + removedPolicies.reduce(0) { $0 + $1.utf8.count } }

    /// Adds an encoded command.
    package mutating func append(_ command: ArraySlice<UInt8>) {
        bytes += command
        ends.append(bytes.count)
    }

    /// Adds a lease. The broker does not commit renewals: a committed lease lasts until the renderer leaves.
    private static func isLasting(_ command: WireCommand) -> Bool {
        if case .lease(let lease)? = command.command { !lease.groups.isEmpty } else { false }
    }

    /// Calls a function with each line of the recording, in order and without line feed.
    package func forEachLine(_ take: (String) throws -> Void) rethrows {
        if let wallClock { try take("{\"at\":\(time),\"setWallClock\":{\"aheadMs\":\(wallClock.ahead)}}") }
        // Only a reload of the configuration removes policies, before it sets others.
        for pattern in removedPolicies {
            let removed = WireSetPolicy.with { $0.group = pattern }
            try take("{\"at\":\(time),\"removePolicy\":\(String(decoding: removed.jsonBytes, as: UTF8.self))}")
        }
        var start = 0
        for end in ends {
            defer { start = end }
            guard let command = try? WireCommand(serializedBytes: Array(bytes[start..<end])) else { continue }
            let line = SimulationLine.text(of: command, at: time)
            try take(Self.isLasting(command) ? line.dropLast() + ",\"lasts\":true}" : line)
        }
    }
}
