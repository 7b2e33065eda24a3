/// A limit of popups in any span of time of a given length.
struct RateLimit: Equatable, Sendable {
    let most: Int
    let span: Duration
    private var passed: [Duration] = []
    /// The number of popups held back since the last one that passed.
    private(set) var heldBack = 0

    init(most: Int, span: Duration) {
        self.most = most
        self.span = span
    }

    /// Returns the number of popups that were held back before this one if it may pass; `nil` if it is held back, too.
    ///
    /// - Parameter time: The time since any fixed point. It never decreases.
    mutating func pass(at time: Duration) -> Int? {
        passed.removeAll { time - $0 >= span }
        guard passed.count < most else {
            heldBack += 1
            return nil
        }
        passed.append(time)
        defer { heldBack = 0 }
        return heldBack
    }
}
