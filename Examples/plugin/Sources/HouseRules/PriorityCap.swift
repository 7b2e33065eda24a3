public import PopupBroker
public import PopupProtocol
public import PopupScheduling

/// A plugin that limits the priorities that producers may ask for, and keeps `exclusive: ALL` for trusted producers.
///
/// It works before the commit: the journal contains the command as the plugin has changed it, so a restart does not ask
/// the plugin again.
public final class PriorityCap: BrokerPlugin {
    /// The highest priority of popups in some groups.
    public struct Cap: Sendable, Hashable {
        /// The groups.
        public var groups: GroupPattern
        /// The highest priority there.
        public var most: Int32

        /// Creates a cap.
        public init(groups: GroupPattern, most: Int32) {
            self.groups = groups
            self.most = most
        }
    }

    /// The name of the plugin in the log.
    public let name = "priority-cap"
    private let caps: [Cap]
    private let trusted: Set<ProducerName>

    /// Creates a plugin.
    ///
    /// - Parameters:
    ///   - caps: The caps. For a group, the one with the most specific pattern applies.
    ///   - trusted: The producers to which no cap applies.
    public init(_ caps: [Cap], trusted: Set<ProducerName> = []) {
        self.caps = caps.sorted { $0.groups > $1.groups }
        self.trusted = trusted
    }

    /// Lowers priorities that are too high.
    ///
    /// - Throws: `PERMISSION_DENIED` for `exclusive: ALL`.
    public func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) {
        // The kind is known without decoding: most commands cost nothing here.
        guard command.kind == .show || command.kind == .update else { return }
        if let producer = command.producer, trusted.contains(producer) { return }
        if command.kind == .show {
            try admitShow(&command)
        } else {
            admitUpdate(&command)
        }
    }

    private func admitShow(_ command: inout AdmittedCommand) throws(CommandRefusal) {
        let popup = command.command.show
        let group = GroupName(popup.group)
        guard popup.exclusive != .all else {
            throw CommandRefusal(
                .permissionDenied, "only trusted producers may clear every screen; use `exclusive: GROUP`",
                group: group,
                popup: popup.id)
        }
        guard let group, let cap = caps.first(where: { $0.groups.matches(group) }), popup.priority > cap.most else {
            return
        }
        command.command.show.priority = cap.most
    }

    /// Lowers the priority of an update. It names no group, so the lowest of all caps applies.
    private func admitUpdate(_ command: inout AdmittedCommand) {
        let update = command.command.update
        guard update.hasPriority, let most = caps.map(\.most).min(), update.priority > most else { return }
        command.command.update.priority = most
    }
}
