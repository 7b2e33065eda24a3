import PopupFleet
import PopupJournal

/// The broker beside a node that owns the log: it has a state of its own, handles timers until the horizon, and names the time
/// of each batch.
struct SimulatedTenure {
    /// The time before a timer at which a later horizon is asked for.
    private static let notice: Int64 = 1000

    private(set) var state: TimerMachine
    /// The time until which timers are handled.
    private(set) var handled: Int64
    /// The index of the last batch that it has applied, or of the entry that began the tenure.
    private(set) var index: UInt64
    private let ahead: Int64
    private var underWay: (commands: [UInt8], time: Int64)?

    /// Begins with the state before the take-over.
    ///
    /// - Parameters:
    ///   - index: The index of the entry that began the tenure.
    ///   - begins: Its time.
    ///   - ahead: By how much the log's time is ahead of the machine's clock.
    init(_ beginning: LogSnapshot, index: UInt64, at begins: Int64, ahead: Int64) {
        // A state machine that its own snapshot does not make is a bug of the test.
        state = (try? TimerMachine(snapshot: beginning.state)) ?? TimerMachine()
        state.advance(to: begins)
        handled = begins
        self.index = index
        self.ahead = ahead
    }

    /// Returns the time of the log.
    func time(at boot: Int64) -> Int64 { max(handled, boot + ahead) }

    /// Handles timers until now, or the time of the batch under way; never beyond the horizon.
    ///
    /// - Returns: Its clock and the time until which no timer is left, if the next one needs a later horizon.
    mutating func handleTimers(at boot: Int64, until horizon: Int64) -> (clock: Int64, handled: Int64)? {
        let now = underWay?.time ?? time(at: boot)
        handled = max(handled, min(now, horizon))
        state.advance(to: handled)
        guard underWay == nil, let due = state.nextDeadline, due > horizon, due <= now + Self.notice else { return nil }
        return (now, min(now, due - 1))
    }

    /// Begins a batch, and returns its time; `nil` while another one is under way.
    mutating func begin(_ commands: [UInt8], at boot: Int64) -> Int64? {
        guard underWay == nil else { return nil }
        let time = time(at: boot)
        underWay = (commands, time)
        return time
    }

    /// Applies the batch under way, which is in the log.
    mutating func apply(_ index: UInt64) {
        guard let (commands, time) = underWay else { return }
        underWay = nil
        self.index = index
        state.advance(to: time)
        handled = max(handled, time)
        try? state.apply(
            LogEntry(.batch, epoch: 1, index: index, time: time, horizon: time, chain: 0, commands: commands))
    }
}
