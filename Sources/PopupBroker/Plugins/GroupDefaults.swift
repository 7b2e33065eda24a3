public import PopupProtocol
public import PopupScheduling
import SwiftProtobuf

/// A plugin that sets absent fields of popups, by the pattern of their group: a display time, a presentation, actions.
///
/// The most specific pattern that matches the group applies, as with policies. Nothing is inherited from other
/// patterns.
public final class GroupDefaults: BrokerPlugin {
    /// The name of the plugin in the log.
    public let name = "group-defaults"
    private let defaults: [(pattern: GroupPattern, popup: WirePopup)]

    /// Creates a plugin. The `group` of each popup is the pattern, its other fields are the defaults. Of several popups
    /// with one pattern, the last applies.
    ///
    /// - Throws: `INVALID` if a `group` is not a pattern, or another field is invalid.
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

    /// Returns the popup merged with the defaults, as protobuf does, except that a list, content, flow, page or quorum
    /// of the popup replaces that of the defaults completely.
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
