internal import EtcdLog
internal import PopupConfiguration
internal import PopupJournal
internal import Synchronization

/// The configuration that all nodes share: as operators want it, and as this node goes by it. `nil`: each node goes by its
/// own file.
final class SharedText: Sendable {
    private struct Content {
        var wanted: [UInt8]?
        /// The one that was read last.
        var read: [UInt8]?
        /// The one that the broker goes by, apart from policies that were refused.
        var taken: [UInt8]?
        /// Whether the broker goes by any configuration: it begins with the one that it has read.
        var hasBegun = false
        var hasRefusedPolicies = false

        /// Whether the broker does not go by what is wanted.
        var isLate: Bool { hasRefusedPolicies || wanted != (hasBegun ? taken : read) }
    }

    private let content: Mutex<Content>

    /// Creates the configuration that operators want when the node starts.
    init(_ wanted: [UInt8]?) { content = Mutex(Content(wanted: wanted)) }

    /// Records what operators want. Returns whether the broker has to read it: also if it was wanted before, and refused.
    func want(_ bytes: [UInt8]?) -> Bool {
        content.withLock { content in
            content.wanted = bytes
            return content.isLate
        }
    }

    /// Returns what operators want, for a broker that reads its configuration.
    func read() -> SharedConfiguration? {
        content.withLock { content in
            content.read = content.wanted
            return content.read.map { SharedConfiguration(String(decoding: $0, as: UTF8.self)) }
        }
    }

    /// Records that the broker goes by what was read last.
    func take() {
        content.withLock { content in
            content.taken = content.read
            content.hasBegun = true
            content.hasRefusedPolicies = false
        }
    }

    /// Records that the policies of what was taken last are refused.
    func refusePolicies() { content.withLock { $0.hasRefusedPolicies = true } }

    /// The statement of a node about its configuration.
    var said: UInt32? {
        content.withLock { content in
            content.hasRefusedPolicies
                ? NodeRecord.refusedPolicies : LogOrders(configuration: content.taken).configurationChecksum
        }
    }
}
