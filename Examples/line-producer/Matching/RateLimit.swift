/// At most so many in any span of time.
struct RateLimit: Equatable, Sendable {
    let most: Int
    let span: Duration
    private var passed: [Duration] = []
    /// How many have been held back since the last one that passed.
    private(set) var heldBack = 0

    init(most: Int, span: Duration) {
        self.most = most
        self.span = span
    }

    /// Whether one more may pass at a time, counted from any fixed point; time doesn't go back.
    ///
    /// - Returns: how many were held back before it; nil: this one is held back, too.
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
