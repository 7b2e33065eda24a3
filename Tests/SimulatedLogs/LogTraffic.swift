/// What happens to calls of a shared log, to their answers and to hints on their way: they are late, lost and repeated.
package struct LogTraffic {
    /// What becomes of a call.
    package enum Delivery {
        /// It is carried out after a time in ms. The answer is perhaps lost.
        case call(after: Int64, answers: Bool)
        /// The node hears after a time in ms that the outcome is unknown, if it has not heard another one.
        case unknown(after: Int64)
    }

    /// Whether anything goes wrong.
    private let isFaulty: Bool

    /// Creates the traffic of a moment.
    package init(isFaulty: Bool) { self.isFaulty = isFaulty }

    /// Returns what becomes of a call.
    ///
    /// - Parameter isCut: Whether its node does not reach the log.
    package func deliveries(isCut: Bool, _ dice: inout FleetDice) -> [Delivery] {
        var deliveries: [Delivery] = []
        let isLost = isCut || isFaulty && dice.happens(40)
        let isSilent = isFaulty && dice.happens(60)
        let delay = isFaulty && dice.happens(30) ? dice.roll(500...9000) : dice.roll(1...12)
        if !isLost { deliveries.append(.call(after: delay, answers: !isSilent)) }
        if isFaulty, !isCut, dice.happens(60) {
            // Once more, by another endpoint.
            deliveries.append(.call(after: dice.roll(1...12_000), answers: false))
        }
        // The deadline, by the node's clock; an error can come sooner.
        deliveries.append(.unknown(after: isFaulty && dice.happens(20) ? dice.roll(5...900) : 1000))
        return deliveries
    }

    /// Returns how long a claim lasts, in ms.
    package func lease(_ dice: inout FleetDice) -> Int64 {
        isFaulty && dice.happens(100) ? dice.roll(0...15_000) : 4000
    }

    /// Whether the engine carries a write out, and then says that it has failed, as it does when its quota is reached.
    package func hidesSuccess(_ dice: inout FleetDice) -> Bool { isFaulty && dice.happens(20) }

    /// Returns after what times in ms a node sees a hint; none: not at all.
    package func hintDelays(_ dice: inout FleetDice) -> [Int64] {
        if isFaulty, dice.happens(150) { return [] }
        let delay = isFaulty && dice.happens(50) ? dice.roll(1...3000) : dice.roll(1...20)
        return isFaulty && dice.happens(50) ? [delay, delay + dice.roll(1...2000)] : [delay]
    }
}
