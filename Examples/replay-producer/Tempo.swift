import PopupClient

/// The speed of a replay: 2 is twice as fast as recorded. The times inside the commands change with it, so that the
/// same popups are shown in the same order, only sooner.
struct Tempo: Equatable, Sendable {
    let factor: Double

    /// Creates a tempo; `nil` if `factor` is not a speed.
    init?(_ factor: Double) {
        guard factor > 0, factor <= 1000 else { return nil }
        self.factor = factor
    }

    /// Returns a time of the recording at this tempo.
    func time(_ written: Duration) -> Duration { written / factor }

    /// Returns a command with its times at this tempo.
    func command(_ written: PopupCommand) -> PopupCommand {
        guard factor != 1 else { return written }
        var command = written
        switch written.command {
        case .show(var popup):
            popup.durationMs = scaled(popup.durationMs)
            popup.ttlMs = scaled(popup.ttlMs)
            popup.delayMs = scaled(popup.delayMs)
            popup.minDisplayMs = scaled(popup.minDisplayMs)
            popup.offerMs = scaled(popup.offerMs)
            if let flow = popup.flow { popup.flow?.holdMs = scaled(flow.holdMs) }
            command.show = popup
        case .update(let update):
            command.update?.durationMs = update.durationMs.map(scaled)
        case .setPolicy(let policy):
            command.setPolicy = scaled(policy)
        default: break
        }
        return command
    }

    private func scaled(_ policy: GroupPolicy) -> GroupPolicy {
        var result = policy
        result.gapMs = policy.gapMs.map(scaled)
        result.gapMinMs = policy.gapMinMs.map(scaled)
        result.gapMaxMs = policy.gapMaxMs.map(scaled)
        result.gatherMs = policy.gatherMs.map(scaled)
        result.defaultDurationMs = policy.defaultDurationMs.map(scaled)
        result.maxDurationMs = policy.maxDurationMs.map(scaled)
        result.offerMs = policy.offerMs.map(scaled)
        result.retryMs = policy.retryMs.map(scaled)
        result.displayTimeoutMs = policy.displayTimeoutMs.map(scaled)
        result.agingMs = policy.agingMs.map(scaled)
        for index in result.caps.indices { result.caps[index].perMs = scaled(policy.caps[index].perMs) }
        return result
    }

    /// Returns a time in ms at this tempo. 0 means "none" and stays 0; no other time becomes 0.
    private func scaled(_ milliseconds: UInt32) -> UInt32 {
        guard milliseconds > 0 else { return 0 }
        return UInt32(min(max(1, (Double(milliseconds) / factor).rounded()), Double(UInt32.max)))
    }
}
