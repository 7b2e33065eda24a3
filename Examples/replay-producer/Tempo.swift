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
        case .show(let popup):
            command.show.durationMs = scaled(popup.durationMs)
            command.show.ttlMs = scaled(popup.ttlMs)
            command.show.delayMs = scaled(popup.delayMs)
            command.show.minDisplayMs = scaled(popup.minDisplayMs)
            command.show.offerMs = scaled(popup.offerMs)
            if popup.flow.holdMs > 0 { command.show.flow.holdMs = scaled(popup.flow.holdMs) }
        case .update(let update):
            if update.hasDurationMs { command.update.durationMs = scaled(update.durationMs) }
        case .setPolicy(let policy):
            command.setPolicy = scaled(policy)
        default: break
        }
        return command
    }

    private func scaled(_ policy: GroupPolicy) -> GroupPolicy {
        var result = policy
        if policy.hasGapMs { result.gapMs = scaled(policy.gapMs) }
        if policy.hasGapMinMs { result.gapMinMs = scaled(policy.gapMinMs) }
        if policy.hasGapMaxMs { result.gapMaxMs = scaled(policy.gapMaxMs) }
        if policy.hasGatherMs { result.gatherMs = scaled(policy.gatherMs) }
        if policy.hasDefaultDurationMs { result.defaultDurationMs = scaled(policy.defaultDurationMs) }
        if policy.hasMaxDurationMs { result.maxDurationMs = scaled(policy.maxDurationMs) }
        if policy.hasOfferMs { result.offerMs = scaled(policy.offerMs) }
        if policy.hasRetryMs { result.retryMs = scaled(policy.retryMs) }
        if policy.hasDisplayTimeoutMs { result.displayTimeoutMs = scaled(policy.displayTimeoutMs) }
        if policy.hasAgingMs { result.agingMs = scaled(policy.agingMs) }
        for index in result.caps.indices { result.caps[index].perMs = scaled(policy.caps[index].perMs) }
        return result
    }

    /// Returns a time in ms at this tempo. 0 means "none" and stays 0; no other time becomes 0.
    private func scaled(_ milliseconds: UInt32) -> UInt32 {
        guard milliseconds > 0 else { return 0 }
        return UInt32(min(max(1, (Double(milliseconds) / factor).rounded()), Double(UInt32.max)))
    }
}
