/// The strategy of a carrier: its next step after the outcome of an offer.
struct Bargaining: Equatable {
    enum Next: Equatable {
        /// The carrier offers a lower price.
        case offer(price: Int)
        /// The negotiation is over, for a reason in a few words.
        case stop(String)
    }

    private(set) var price: Int
    let floor: Int
    let step: Int

    /// Returns the next step after an offer.
    ///
    /// - Parameters:
    ///   - reason: The close reason of the offer's popup, by its name in the protocol.
    ///   - action: The answer of the shipper.
    mutating func next(reason: String, action: String) -> Next {
        switch (reason, action) {
        case ("DISMISSED", "accept"): return .stop("has the load for \(price) €")
        case ("DISMISSED", "counter") where price > floor:
            price = max(floor, price - step)
            return .offer(price: price)
        case ("DISMISSED", "counter"): return .stop("can't go below \(floor) € and leaves")
        case ("DISMISSED", _): return .stop("is turned down")
        case ("SUPERSEDED", _): return .stop("learns that the order is cancelled")
        case ("CLEARED", _): return .stop("learns that another has the load")
        default: return .stop("leaves (\(reason))")
        }
    }
}
