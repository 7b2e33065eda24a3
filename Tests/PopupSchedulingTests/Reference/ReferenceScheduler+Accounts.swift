import PopupScheduling

/// Who holds what.
extension ReferenceScheduler {
    /// Producers have an account each, as long as they hold something and there are not too many of them.
    func account(for producer: ProducerID?) -> ProducerID? {
        guard let producer else { return nil }
        let known = Set(popups.values.compactMap(\.account) + closed.values.compactMap(\.account))
        return known.contains(producer) || known.count < limits.accounts ? producer : nil
    }

    /// Beyond the limit the oldest closed ids are forgotten, of whoever has most: among equals of those without an account,
    /// then by the order of names. At most 64 at once.
    func forgetEarly() {
        for _ in 0..<64 where popups.count + closed.count > limits.rememberedIDs && !closed.isEmpty {
            let accounts = Dictionary(grouping: closed) { $0.value.account }
            let most = accounts.values.map(\.count).max()!
            let payer = accounts.filter { $0.value.count == most }.map(\.key).min(by: precedes)!
            let oldest = accounts[payer]!.min { $0.value.number < $1.value.number }!
            closed[oldest.key] = nil
        }
    }

    private func precedes(_ one: ProducerID?, _ other: ProducerID?) -> Bool {
        guard let one, let other else { return one == nil && other != nil }
        return (one.high, one.low) < (other.high, other.low)
    }
}
