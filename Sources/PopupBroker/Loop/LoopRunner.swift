import Logging
import PopupProtocol
import PopupScheduling
import SystemCalls

/// The thread's part of the loop: waits for messages, calls and time, and gives the loop its turns until it is asked to
/// stop.
struct LoopRunner: ~Copyable {
    /// So many turns at most are made after the request to stop, for what has been received already.
    private static let lastTurns = 64
    /// In ms: the system doesn't count the time of a suspended machine while it waits. After that time a timer is so
    /// late at most.
    private static let longestWait: Milliseconds = 5000
    /// So many turns at least are made in the time that the supervisor allows for one.
    private static let turnsPerInterval: Milliseconds = 3

    private var loop: BrokerLoop
    private let transport: any Transport
    private let mailbox: BrokerMailbox
    private let clock: any BrokerClock
    private let supervisor: (any Supervisor)?
    /// In ms: the loop waits so long at most.
    private let longestWait: Milliseconds
    /// The calls that were taken from the mailbox and not begun, the next one last.
    private var takenCalls: [BrokerMailbox.Call] = []

    init(
        loop: consuming BrokerLoop, transport: any Transport, mailbox: BrokerMailbox, clock: any BrokerClock,
        supervisor: (any Supervisor)? = nil
    ) {
        self.loop = loop
        self.transport = transport
        self.mailbox = mailbox
        self.clock = clock
        self.supervisor = supervisor
        longestWait = min(
            Self.longestWait, supervisor?.turnInterval.map { max(1, $0 / Self.turnsPerInterval) } ?? .max)
    }

    /// Runs until `BrokerMailbox.stop`.
    ///
    /// - Throws: When transport or journal failed for good.
    mutating func run() throws {
        // Their threads must not outlive the journal.
        defer { loop.pipeline.stopThreads() }
        do { try runUntilStopped() } catch {
            rejectCalls()
            throw error
        }
    }

    private mutating func runUntilStopped() throws {
        while true {
            supervisor?.noteTurn()
            let begun = MonotonicTime.microseconds
            let mail = mailbox.take()
            takenCalls = mail.calls.reversed()
            while let call = takenCalls.popLast() { try perform(call) }
            if mail.isStopping { break }
            loop.noteWallClock(ahead: clock.wallClockLead())
            let hasMore = try loop.turn(at: clock.now())
            loop.turnTimes.note(MonotonicTime.microseconds - begun)
            if loop.pipeline.isBackPressured { try waitForCommit() }
            try transport.wait(milliseconds: hasMore || loop.pipeline.isBackPressured ? 0 : timeout())
        }
        for _ in 0..<Self.lastTurns {
            guard try loop.turn(at: clock.now()) || loop.pipeline.isBackPressured else { break }
            if loop.pipeline.isBackPressured { try waitForCommit() }
        }
        try loop.close()
    }

    /// Waits for the batch in flight; what is decided leaves before.
    private func waitForCommit() throws {
        try transport.flush()
        loop.pipeline.wait()
    }

    /// How long there is nothing to do but to receive; `nil`: for ever.
    private func timeout() -> Int? {
        guard let deadline = loop.nextDeadline else {
            return supervisor?.turnInterval == nil ? nil : Int(longestWait)
        }
        return Int(min(max(0, deadline - clock.now()), longestWait))
    }

    private mutating func perform(_ call: BrokerMailbox.Call) throws {
        switch call {
        case .reconfigure(let configuration, let timeZones, let done):
            do {
                try loop.reconfigure(configuration, timeZones: timeZones)
                done(.success(()))
            } catch {
                done(.failure(error))
            }
        case .command(let command, let done):
            try loop.perform(command, at: clock.now(), done)
        }
    }

    /// Tells those who called that the loop has failed: they would wait for ever.
    private mutating func rejectCalls() {
        loop.calls.endAll(
            CommandRefusal(
                .overload, "the broker failed before the outcome was known; ask for it when it runs again"))
        while let call = takenCalls.popLast() { call.reject() }
    }
}

extension BrokerLoop {
    /// Carries out one command from another thread as a batch of its own, and tells the caller what came of it.
    mutating func perform(
        _ command: WireCommand, at time: Milliseconds, _ completion: @escaping CallsInHand.Completion
    ) throws {
        let call = calls.add(completion)
        try drain()
        clock = max(clock, time + clockLag)
        advanceClock()
        try fireTimers()
        // It is as a frame of its own.
        admission.beginFrame()
        admit(.success(command), call: call)
        try commit()
        calls.deliver()
    }
}
