import Dispatch
import PopupBroker
import Synchronization
import SystemCalls
import ZeroMQ

/// A thread that cuts connections whose subscriptions prevent the loop from cutting them itself.
///
/// It sleeps while there are no connections. Otherwise it checks a few times per second whether the loop makes
/// progress, and whether subscriptions take long.
///
/// It also reads the events of both sockets' connections, so that libzmq keeps few of them while the loop is busy.
final class SubscriberGuard: Sendable {
    private static let reason = "it sends subscriptions without a pause, which delays the broker"

    /// The connections of the socket.
    let events: ConnectionEvents
    /// The connections of the other socket.
    private let others: ConnectionEvents
    /// Signalled when there are events of either socket for the loop.
    let arrivals: Wakeup
    /// The means to end the wait of the thread.
    private let wakeup: Wakeup
    /// The maximum size of a connection's prefixes in bytes.
    private let subscriptionBytes: Int
    /// The maximum size of the framing around them in bytes.
    private let framingBytes: Int
    private let turns = Atomic<UInt64>(0)
    private let longReceptions = Atomic<UInt64>(0)
    private let isStarted = Atomic(false)
    private let isEnding = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Creates the guard of a monitored socket. It has no effect before `start`.
    ///
    /// - Parameters:
    ///   - monitor: The monitor of the socket.
    ///   - subscriptionBytes: The maximum size of a connection's prefixes in bytes.
    ///   - framingBytes: The maximum size of the framing around them in bytes.
    ///   - others: The connections of the other socket, whose events are only read.
    init(
        monitor: consuming sending SocketMonitor, subscriptionBytes: Int, framingBytes: Int, others: ConnectionEvents
    ) throws(ZeroMQError) {
        self.others = others
        self.subscriptionBytes = subscriptionBytes
        self.framingBytes = framingBytes
        wakeup = try Wakeup()
        arrivals = try Wakeup()
        events = try ConnectionEvents(monitor: monitor, taken: wakeup)
    }

    /// Starts the thread. Call it once.
    ///
    /// - Throws: `ThreadError` if the system has no more threads.
    func start() throws(ThreadError) {
        try DedicatedThread.start { [self] in
            defer { ended.signal() }
            // The loop encounters the same error, and stops.
            try? run()
        }
        isStarted.store(true, ordering: .relaxed)
    }

    /// Ends the thread, and waits for its end.
    func stop() {
        guard isStarted.exchange(false, ordering: .relaxed) else { return }
        isEnding.store(true, ordering: .releasing)
        wakeup.signal()
        ended.wait()
    }

    /// Records progress of the loop. Only the loop's thread calls it.
    func recordTurn() { turns.store(turns.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

    /// Records that a reception of subscriptions took long. Only the loop's thread calls it.
    func recordLongReception() {
        longReceptions.store(longReceptions.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// The current time in ms.
    private static var now: Int64 { Int64(MonotonicTime.microseconds / 1000) }

    /// The time after a check in which there is no other one, as a multiple of how long it took: with thousands of
    /// connections, checks take at most a tenth of a processor.
    private static let restPerCheck: Int64 = 9

    private func run() throws {
        var poller = Poller()
        let wakeupItem = poller.add(wakeup)
        _ = poller.add(fileDescriptor: events.fileDescriptor)
        _ = poller.add(fileDescriptor: others.fileDescriptor)
        var flood = SubscriptionFlood<AcceptedConnection>(limit: subscriptionBytes, framing: framingBytes)
        var count = 0
        var (lastCheck, rest) = (Self.now, Int64(0))
        // The time in ms until the next check.
        func wait(at now: Int64) -> Int64 { lastCheck + max(flood.interval(at: now), rest) - now }
        while true {
            let timeout = count == 0 ? nil : Int(max(wait(at: Self.now), 0))
            _ = try poller.wait(timeoutMilliseconds: timeout)
            if poller[wakeupItem].contains(.readable) { wakeup.drain() }
            if isEnding.load(ordering: .acquiring) { return }
            let overview = try events.look()
            let now = Self.now
            if try others.look().hasEvents || overview.hasEvents { arrivals.signal() }
            if overview.count > count { flood.recordArrivals(at: now) }
            count = overview.count
            // The events of connections wake the thread, too.
            guard wait(at: now) <= 0 else { continue }
            check(&flood, overview.connected, at: now)
            lastCheck = Self.now
            rest = Self.restPerCheck * (lastCheck - now)
        }
    }

    private func check(
        _ flood: inout SubscriptionFlood<AcceptedConnection>, _ connected: [AcceptedConnection?], at now: Int64
    ) {
        let excessive = flood.look(
            turns: turns.load(ordering: .relaxed), longReceptions: longReceptions.load(ordering: .relaxed), at: now
        ) {
            connected.compactMap { connection in
                guard let connection, let bytes = connection.bytesRead else { return nil }
                return (connection, bytes)
            }
        }
        for connection in excessive { events.shutDown(connection, because: Self.reason) }
    }
}
