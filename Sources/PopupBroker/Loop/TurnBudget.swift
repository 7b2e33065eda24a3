import PopupScheduling

/// The amount of work of one turn on committed batches and timers. The rest follows in the next turns, as if it were
/// one turn.
///
/// It counts work, not time, since the loop reads no clock. A unit takes from a third of a microsecond to four, so a
/// turn ends after at most some 16 ms, plus the longest single step.
struct TurnBudget {
    /// The budget of a turn: half the work of a full batch of ordinary commands.
    static let ofTurn = 4096

    /// The budget of each turn.
    private let perTurn: Int
    /// The work that is left; without a limit outside turns.
    private var left = Int.max

    init(perTurn: Int = TurnBudget.ofTurn) { self.perTurn = perTurn }

    /// Begins a turn.
    mutating func begin() { left = perTurn }

    /// Lifts the limit, for work that must not be interrupted.
    mutating func lift() { left = .max }

    var isSpent: Bool { left <= 0 }

    mutating func spend(_ count: Int) { left -= count }
}

/// The work that the scheduler has done so far. The difference of two marks is the cost of a step.
struct WorkMark {
    var visits: Int
    var events: Int
    var changes: Int
}
