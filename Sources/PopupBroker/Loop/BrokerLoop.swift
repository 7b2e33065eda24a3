import Logging
import PopupProtocol
import PopupScheduling
import SystemCalls

/// Runs a core on the present thread until it is asked to stop: waits for messages, calls and time, and hands them
/// over.
struct BrokerLoop: ~Copyable {
    /// So many turns at most are made after the request to stop, for what has been received already.
    private static let lastTurns = 64
    /// In ms: the system doesn't count the time of a suspended machine while it waits. After that time a timer is so
    /// late at most.
    private static let longestWait: Milliseconds = 5000

    private var core: BrokerCore
    private let transport: any Transport
    private let mailbox: BrokerMailbox
    private let clock: any BrokerClock
    private var waitingCalls: [Int: @Sendable (CommandRefusal?) -> Void] = [:]
    private var madeCalls = 0

    init(core: consuming BrokerCore, transport: any Transport, mailbox: BrokerMailbox, clock: any BrokerClock) {
        self.core = core
        self.transport = transport
        self.mailbox = mailbox
        self.clock = clock
    }

    /// Runs until `BrokerMailbox.stop`.
    ///
    /// - Throws: When transport or journal failed for good.
    mutating func run() throws {
        // Their threads must not outlive the journal.
        defer { core.pipeline.stopThreads() }
        while true {
            let begun = MonotonicTime.microseconds
            let mail = mailbox.take()
            for call in mail.calls { try perform(call) }
            if mail.isStopping { break }
            let hasMore = try core.turn(at: clock.now())
            core.turnTimes.note(MonotonicTime.microseconds - begun)
            if core.pipeline.isBackPressured { try waitForCommit() }
            try transport.wait(milliseconds: hasMore || core.pipeline.isBackPressured ? 0 : timeout())
        }
        for _ in 0..<Self.lastTurns {
            guard try core.turn(at: clock.now()) || core.pipeline.isBackPressured else { break }
            if core.pipeline.isBackPressured { try waitForCommit() }
        }
        try core.close()
    }

    /// Waits for the batch in flight; what is decided leaves before.
    private func waitForCommit() throws {
        try transport.flush()
        core.pipeline.wait()
    }

    /// How long there is nothing to do but to receive; `nil`: for ever.
    private func timeout() -> Int? {
        core.nextDeadline.map { Int(min(max(0, $0 - clock.now()), Self.longestWait)) }
    }

    private mutating func perform(_ call: BrokerMailbox.Call) throws {
        switch call {
        case .reconfigure(let configuration, let done):
            do {
                try core.reconfigure(configuration)
                done(.success(()))
            } catch {
                done(.failure(error))
            }
        case .command(let command, let done):
            madeCalls += 1
            waitingCalls[madeCalls] = done
            try core.perform(command, call: madeCalls, at: clock.now())
            for answered in core.takeAnsweredCalls() {
                waitingCalls.removeValue(forKey: answered.call)?(answered.refusal)
            }
        }
    }
}

extension BrokerCore {
    /// Carries out one command from another thread as a batch of its own.
    mutating func perform(_ command: WireCommand, call: Int, at time: Milliseconds) throws {
        try drain()
        clock = max(clock, time + clockLag)
        advanceClock()
        try fireTimers()
        // It is as a frame of its own.
        mistakes = 0
        frameVisits = 0
        admit(.success(command), call: call)
        try commit()
    }

    mutating func takeAnsweredCalls() -> [(call: Int, refusal: CommandRefusal?)] {
        defer { answeredCalls.removeAll(keepingCapacity: true) }
        return answeredCalls
    }
}
