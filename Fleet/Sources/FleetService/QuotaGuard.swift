public import PopupBroker
public import PopupProtocol
public import PopupScheduling
internal import Synchronization

/// A plugin that refuses commands which need more room while etcd is nearly full, before etcd takes nothing any more.
///
/// What closes popups, and what renderers say, is admitted: it needs little room, and makes some.
public final class QuotaGuard: BrokerPlugin, Sendable {
    /// The size of etcd's database.
    public struct Use: Hashable, Sendable {
        /// The size of the largest file of a member, in bytes. It does not become smaller before a defragmentation.
        public var fileBytes: Int64
        /// The greatest number of bytes in use in such a file.
        public var usedBytes: Int64
        /// Whether etcd has raised its alarm: it takes nothing before an operator disarms it.
        public var isAlarmed: Bool

        /// Creates a size.
        public init(fileBytes: Int64, usedBytes: Int64, isAlarmed: Bool = false) {
            self.fileBytes = fileBytes
            self.usedBytes = usedBytes
            self.isAlarmed = isAlarmed
        }
    }

    /// The percentage of the quota in use at which commands are refused.
    static let fullPercentage: Int64 = 80
    /// The percentage of the quota that the file may have, also if not all of it is in use: etcd's alarm goes by the file.
    static let fullFilePercentage: Int64 = 95
    /// The interval in ms at which the use is looked up, and after which a refused command may be sent again.
    public static let interval: UInt32 = 10_000

    /// The quota in bytes; `nil`: nothing is refused.
    public let quota: Int64?
    private let use = Mutex<Use?>(nil)
    private let reason = Mutex<String?>(nil)

    /// Creates a guard that admits everything until it knows the use.
    ///
    /// - Parameter quota: etcd's `--quota-backend-bytes`; `nil`: nothing is refused.
    public init(quota: Int64?) { self.quota = quota }

    /// The name in the log.
    public var name: String { "etcd-quota" }

    /// The use that was looked up last; `nil` for none.
    public var lastUse: Use? { use.withLock { $0 } }

    /// Whether commands are refused.
    public var isFull: Bool { reason.withLock { $0 != nil } }

    /// Records the use.
    public func record(_ use: Use) {
        self.use.withLock { $0 = use }
        let reason = quota.flatMap { Self.reason(use, quota: $0) }
        self.reason.withLock { $0 = reason }
    }

    /// Refuses a command that needs room while there is little.
    ///
    /// - Throws: `OVERLOAD` with the time after which the use is looked up again.
    public func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) {
        guard Self.needsRoom(command.kind), let reason = reason.withLock({ $0 }) else { return }
        throw CommandRefusal(.overload, reason, retryAfter: Self.interval)
    }

    private static func needsRoom(_ kind: CommandKind) -> Bool {
        switch kind {
        case .show, .update, .suspend, .setPolicy, .setSession, .page: true
        case .dismiss, .advance, .clear, .resume, .unsetPolicy, .report, .answer, .lease, .query: false
        }
    }

    private static func reason(_ use: Use, quota: Int64) -> String? {
        if use.isAlarmed { return "the quota of etcd is reached; compact and defragment it, then disarm its alarm" }
        if use.usedBytes >= quota / 100 * fullPercentage {
            return "\(use.usedBytes) of the \(quota) bytes of etcd's quota are in use; send it again later"
        }
        if use.fileBytes >= quota / 100 * fullFilePercentage {
            return "etcd's file has \(use.fileBytes) bytes, and its quota is \(quota); defragment it"
        }
        return nil
    }
}
