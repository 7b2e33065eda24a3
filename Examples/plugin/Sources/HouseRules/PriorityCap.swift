public import PopupBroker
public import PopupProtocol
public import PopupScheduling

/// Bounds the priorities that producers may ask for, so that nobody is more urgent than the house has agreed, and keeps
/// `exclusive: ALL` for those who may clear every screen.
///
/// It works before the journal: what is committed is what it has made of a command, and a restart need not ask it
/// again.
public final class PriorityCap: BrokerPlugin {
    /// The most that a group's popups may have.
    public struct Cap: Sendable, Hashable {
        /// The groups.
        public var groups: GroupPattern
        /// The highest priority there.
        public var most: Int32

        /// A cap.
        public init(groups: GroupPattern, most: Int32) {
            self.groups = groups
            self.most = most
        }
    }

    /// What the broker calls it in the log.
    public let name = "priority-cap"
    private let caps: [Cap]
    private let trusted: Set<ProducerName>

    /// - Parameters:
    ///   - caps: of those whose pattern has the group, the most specific pattern's counts.
    ///   - trusted: producers that are asked nothing.
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

    /// An update names no group: the lowest cap of all counts.
    private func admitUpdate(_ command: inout AdmittedCommand) {
        let update = command.command.update
        guard update.hasPriority, let most = caps.map(\.most).min(), update.priority > most else { return }
        command.command.update.priority = most
    }
}
