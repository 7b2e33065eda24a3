import PopupScheduling

/// How much may be applied in one turn of what is committed, and of timers, before others are served. The rest follows in
/// the next turns, as if it were one.
///
/// It counts what is done, not time: the loop reads no clock. One is about a microsecond at most, so that a turn ends after
/// some milliseconds, and the longest single step.
struct TurnBudget {
    /// What a turn may do: as much as a full batch of ordinary commands.
    static let ofTurn = 8192

    private var left: Int

    init(_ count: Int) { left = count }

    /// Of what nobody else is to come between.
    static var unlimited: TurnBudget { TurnBudget(.max) }

    var isSpent: Bool { left <= 0 }

    mutating func spend(_ count: Int) { left -= count }
}

/// What a scheduler has done so far, by which the cost of a step is told.
struct WorkMark {
    var visits: Int
    var events: Int
    var changes: Int
}
