import PopupProtocol

/// Refusals of commands that nobody waited for, until somebody asks.
struct UnreportedRefusals {
    private let limit: Int
    private var refusals: [CommandRefusal] = []
    private var count = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func note(_ refusal: CommandRefusal) {
        if refusals.count < limit { refusals.append(refusal) }
        count += 1
    }

    /// What has been refused since it was asked the last time, as an error.
    mutating func take() -> ClientError? {
        defer {
            refusals.removeAll()
            count = 0
        }
        if count == 1, let refusal = refusals.first { return .refused(refusal) }
        return count == 0 ? nil : .partiallyRejected(refusals, count: count)
    }
}
