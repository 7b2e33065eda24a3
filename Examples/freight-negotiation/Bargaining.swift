/// How a carrier bargains: what follows from what became of its offer.
struct Bargaining: Equatable {
    enum Next: Equatable {
        /// Offer less.
        case offer(price: Int)
        /// It is over; why, in a few words.
        case stop(String)
    }

    private(set) var price: Int
    let floor: Int
    let step: Int

    /// - Parameters:
    ///   - reason: how the offer's popup closed, in the protocol's word.
    ///   - action: what the shipper answered.
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
