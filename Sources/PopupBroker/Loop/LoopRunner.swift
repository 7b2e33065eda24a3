import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling
import SystemCalls

/// The driver of the loop on its thread: it waits for messages, calls and deadlines, and runs turns until it is
/// requested to stop.
struct LoopRunner: ~Copyable {
    /// The maximum number of turns after the request to stop, for messages that have already been received.
    private static let lastTurns = 64
    /// The maximum wait in ms. The system does not count the time of a suspended machine while it waits, so a timer is
    /// at most this late afterwards.
    private static let longestWait: Milliseconds = 5000
    /// The pause in µs after which a broker that must not publish checks its tenure again.
    private static let tenureCheckMicroseconds: UInt32 = 10_000
    /// The maximum time in ms for which a turn waits for a commit while the next batch is full. Then subscriptions,
    /// repeated states and timers have a turn, and the tenure is checked.
    private static let commitMilliseconds = 5
    /// The minimum number of turns in the time that the supervisor allows for one.
    private static let turnsPerInterval: Milliseconds = 3

    private(set) var loop: BrokerLoop
    private let transport: any Transport
    private let mailbox: BrokerMailbox
    private let clock: any BrokerClock
    private let supervisor: (any Supervisor)?
    /// The right to publish; `nil`: no other process can own the journal.
    private let tenure: (any Tenure)?
    /// The maximum wait of the loop in ms.
    private let longestWait: Milliseconds
    /// The calls taken from the mailbox that have not begun, in reverse order.
    private var takenCalls: [BrokerMailbox.Call] = []

    init(
        loop: consuming BrokerLoop, transport: any Transport, mailbox: BrokerMailbox, clock: any BrokerClock,
        supervisor: (any Supervisor)? = nil, tenure: (any Tenure)? = nil
    ) {
        self.loop = loop
        self.transport = transport
        self.mailbox = mailbox
        self.clock = clock
        self.supervisor = supervisor
        self.tenure = tenure
        longestWait = min(
            Self.longestWait, supervisor?.turnInterval.map { max(1, $0 / Self.turnsPerInterval) } ?? .max)
    }

    /// Runs until `BrokerMailbox.stop` is called.
    ///
    /// - Throws: The error of the transport or the journal if it failed permanently.
    mutating func run() throws {
        // The threads of the pipeline must end before the journal is closed.
        defer { loop.stopThreads() }
        do { try runUntilStopped() } catch {
            rejectCalls()
            throw error
        }
    }

    private mutating func runUntilStopped() throws {
        while true {
            switch try pass() {
            case .wait(let milliseconds): try transport.wait(milliseconds: milliseconds)
            case .pause: usleep(Self.tenureCheckMicroseconds)
            case .continue: break
            case .stop: return try finish()
            }
        }
    }

    /// The next step of the thread, after a pass.
    enum NextStep {
        /// It waits for messages and calls, at most for a time in ms; `nil`: without a limit.
        case wait(milliseconds: Int?)
        /// It does nothing for a short time, since the broker must not publish.
        case pause
        /// It continues at once.
        case `continue`
        /// It finishes: the broker is requested to stop.
        case stop
    }

    /// Runs calls and a turn, unless the broker must not publish, or is requested to stop. It waits for a commit at most,
    /// not for messages.
    ///
    /// - Throws: The error of the transport or the journal if it failed permanently.
    mutating func pass() throws -> NextStep {
        // Each use of the properties would copy them.
        let (supervisor, tenure) = (supervisor, tenure)
        supervisor?.recordTurn()
        tenure?.recordTurn()
        if let tenure, let step = try stepWithoutTenure(tenure) { return step }
        let begun = MonotonicTime.microseconds
        let mail = mailbox.take()
        takenCalls = mail.calls.reversed()
        loop.beginCalls(count: takenCalls.count)
        while let call = takenCalls.popLast() { try perform(call) }
        loop.countCallsNotBegun()
        if mail.isStopping { return .stop }
        loop.recordWallClock(ahead: clock.wallClockLead())
        let hasMore = try loop.turn(at: clock.now())
        if loop.isBackPressured { try waitForCommit(milliseconds: Self.commitMilliseconds) }
        // The wait counts: no client is served meanwhile.
        loop.recordTurn(microseconds: MonotonicTime.microseconds - begun)
        return .wait(milliseconds: hasMore || loop.isBackPressured ? 0 : timeout())
    }

    /// Applies what was received, and closes the loop.
    mutating func finish() throws {
        for _ in 0..<Self.lastTurns {
            guard try loop.turn(at: clock.now()) || loop.isBackPressured else { break }
            if loop.isBackPressured { try waitForCommit(milliseconds: nil) }
        }
        try loop.close()
    }

    /// Returns what the broker does instead of a turn, if it must not read and publish now; `nil` if it may.
    ///
    /// - Throws: `JournalLost` if another process owns the journal; the error of the transport.
    private mutating func stepWithoutTenure(_ tenure: any Tenure) throws -> NextStep? {
        switch tenure.standing {
        case .held: return nil
        case .lost: throw JournalLost()
        case .awaited, .unconfirmed:
            guard !mailbox.isStopping else { return nil }
            // The sockets are served. Commands wait, and subscriptions are answered when something may be published.
            try transport.wait(milliseconds: 0)
            return try loop.recordSubscriptions() ? .continue : .pause
        }
    }

    /// Sends pending messages, and waits until the outcome of the batch in flight is known, or a time in ms has passed;
    /// `nil`: without a limit.
    private func waitForCommit(milliseconds: Int?) throws {
        try transport.flush()
        loop.waitForCommit(milliseconds: milliseconds)
    }

    /// Returns the time in ms until the next deadline; `nil` if there is none.
    private func timeout() -> Int? {
        guard let deadline = loop.nextDeadline else {
            return supervisor?.turnInterval == nil ? nil : Int(longestWait)
        }
        return Int(min(max(0, deadline - clock.now()), longestWait))
    }

    private mutating func perform(_ call: BrokerMailbox.Call) throws {
        switch call {
        case .reconfigure(let configuration, let timeZones, let done):
            loop.perform(Reload(configuration, timeZones: timeZones, done))
        case .command(let command, let done):
            try loop.perform(command, at: clock.now(), done)
        }
    }

    /// Refuses the calls that are not answered, since the loop has failed.
    private mutating func rejectCalls() {
        loop.endCalls(
            CommandRefusal(
                .overload, "the broker failed before the outcome was known; ask for it when it runs again"))
        while let call = takenCalls.popLast() { call.reject() }
    }
}
