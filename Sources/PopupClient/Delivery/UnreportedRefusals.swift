import PopupValues

/// The refusals of commands that no caller waited for, until `flush` reports them.
struct UnreportedRefusals {
    private let limit: Int
    private var refusals: [Refusal] = []
    private var count = 0

    init(limit: Int) {
        self.limit = limit
    }

    mutating func record(_ refusal: Refusal) {
        if refusals.count < limit { refusals.append(refusal) }
        count += 1
    }

    /// Returns the refusals since the last call as an error.
    mutating func take() -> ClientError? {
        defer {
            refusals.removeAll()
            count = 0
        }
        if count == 1, let refusal = refusals.first { return .refused(refusal) }
        return count == 0 ? nil : .partiallyRejected(refusals, count: count)
    }
}
