public import PopupProtocol
public import PopupScheduling
import SwiftProtobuf

/// Gives popups what they don't name themselves, by the pattern of their group: a display time, a presentation, actions.
///
/// Of the patterns that match a group the most specific counts, as with policies; nothing is inherited between them.
public final class GroupDefaults: BrokerPlugin {
    /// What the broker is told of it in the log.
    public let name = "group-defaults"
    private let defaults: [(pattern: GroupPattern, popup: WirePopup)]

    /// A plugin with these defaults: each popup's `group` is the pattern, the rest the values. Of several for one
    /// pattern the last counts.
    ///
    /// - Throws: `INVALID` when a `group` is no pattern or a value is none that a popup can have.
    public init(_ defaults: [WirePopup]) throws(CommandRefusal) {
        var byPattern: [GroupPattern: WirePopup] = [:]
        for popup in defaults {
            guard let pattern = GroupPattern(popup.group) else {
                throw CommandRefusal(.invalid, "`\(popup.group)` is not a valid group name or pattern")
            }
            guard popup.id.isEmpty else {
                throw CommandRefusal(.invalid, "`id` cannot have a default; each popup has its own")
            }
            var command = WireCommand.with { $0.show = popup }
            command.show.group = "any"
            var admission = CommandAdmission(epoch: 0)
            try admission.admit(&command)
            byPattern[pattern] = popup
        }
        self.defaults = byPattern.sorted { $0.key > $1.key }.map { ($0.key, $0.value) }
    }

    /// Completes a `show`.
    public func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) {
        guard command.kind == .show, !defaults.isEmpty else { return }
        let popup = command.command.show
        guard let group = GroupName(popup.group), let match = defaults.first(where: { $0.pattern.matches(group) })
        else { return }
        let completed = Self.complete(popup, from: match.popup)
        if completed != popup { command.command.show = completed }
    }

    /// The popup over the defaults: protobuf's merge, save that a list, a content, a flow, a page and a quorum replace the
    /// default whole.
    private static func complete(_ popup: WirePopup, from defaults: WirePopup) -> WirePopup {
        var completed = defaults
        if !popup.actions.isEmpty { completed.actions = [] }
        if popup.hasFlow { completed.clearFlow() }
        if popup.hasPage { completed.clearPage() }
        if popup.quorum > 0 { completed.quorumAll = false }
        if popup.quorumAll { completed.quorum = 0 }
        guard let bytes: [UInt8] = try? popup.serializedBytes() else { return popup }
        do {
            try completed.merge(serializedBytes: bytes)
        } catch {
            return popup
        }
        return completed
    }
}
