import PopupBroker
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// A plugin that refuses some commands, changes others, and looks on. What it does with a command follows from the seed and
/// the command alone: a repetition fares like the original.
final class SimulatedPlugin: BrokerPlugin {
    let name = "simulated"
    private let seed: UInt64
    private let onTold: (CommittedBatch) -> Void
    private(set) var refused = 0
    private(set) var changed = 0

    /// - Parameter onTold: Sees each batch that the broker tells.
    init(seed: UInt64, onTold: @escaping (CommittedBatch) -> Void) {
        self.seed = seed
        self.onTold = onTold
    }

    func admit(_ command: inout AdmittedCommand, at now: Milliseconds) throws(CommandRefusal) {
        switch command.kind {
        case .show: try admit(&command, show: command.command.show)
        case .update:
            let id = command.command.update.id
            var dice = Dice(seed, for: "plugin update \(id)")
            guard dice.percent(10) else { return }
            refused += 1
            throw CommandRefusal(.permissionDenied, "nobody may change \(id)")
        default: break
        }
    }

    private func admit(_ command: inout AdmittedCommand, show popup: WirePopup) throws(CommandRefusal) {
        var dice = Dice(seed, for: "plugin show \(popup.id) \(popup.group) \(popup.priority)")
        if dice.percent(6) {
            refused += 1
            throw CommandRefusal(.permissionDenied, "nobody may show \(popup.id)")
        }
        guard dice.percent(20) else { return }
        changed += 1
        switch dice.below(4) {
        case 0: command.command.show.text = "changed"
        case 1: command.command.show.priority = Int32(dice.below(5)) - 1
        case 2: command.command.show.durationMs = UInt32(100 * (1 + dice.below(20)))
        // What was given anew is the same again: for the journal nothing is changed.
        default: command.command.show = popup
        }
    }

    func committed(_ outcome: CommittedBatch) { onTold(outcome) }
}
