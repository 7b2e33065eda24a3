import Dispatch
import PopupBroker
import Synchronization
import SystemCalls
import ZeroMQ

/// A thread that cuts off connections whose subscriptions keep the loop from cutting them off itself.
///
/// It sleeps while nobody is connected, and looks a few times a second whether the loop goes on while somebody is.
final class SubscriberGuard: Sendable {
    private static let reason = "it sends subscriptions without a pause, and holds the broker up"

    /// The connections that it looks after.
    let events: ConnectionEvents
    /// Signalled when the loop has events to take.
    let arrivals: Wakeup
    /// Ends the thread's wait.
    private let wakeup: Wakeup
    private let turns = Atomic<UInt64>(0)
    private let isStarted = Atomic(false)
    private let isEnding = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    /// A guard of a monitored socket, which does nothing before `start`.
    init(monitor: consuming sending SocketMonitor) throws(ZeroMQError) {
        wakeup = try Wakeup()
        arrivals = try Wakeup()
        events = try ConnectionEvents(monitor: monitor, taken: wakeup)
    }

    /// Starts the thread. Call it once.
    ///
    /// - Throws: `ThreadError` when the system has no more threads.
    func start() throws(ThreadError) {
        try DedicatedThread.start { [self] in
            defer { ended.signal() }
            // The loop meets whatever fails here, too, and stops.
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

    /// Takes note that the loop goes on. Only the loop's thread calls it.
    func noteTurn() { turns.store(turns.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

    /// In ms.
    private static var now: Int64 { Int64(MonotonicTime.microseconds / 1000) }

    private func run() throws {
        var poller = Poller()
        let wakeupItem = poller.add(wakeup)
        _ = poller.add(fileDescriptor: events.fileDescriptor)
        var flood = SubscriptionFlood<AcceptedConnection>()
        var count = 0
        while true {
            let timeout = count == 0 ? nil : Int(flood.interval(at: Self.now))
            _ = try poller.wait(timeoutMilliseconds: timeout)
            if poller[wakeupItem].contains(.readable) { wakeup.drain() }
            if isEnding.load(ordering: .acquiring) { return }
            let overview = try events.look()
            let now = Self.now
            if overview.hasEvents { arrivals.signal() }
            if overview.count > count { flood.noteArrivals(at: now) }
            count = overview.count
            let excessive = flood.look(turns: turns.load(ordering: .relaxed), at: now) {
                overview.connected.compactMap { connection in
                    guard let connection, let bytes = connection.bytesRead else { return nil }
                    return (connection, bytes)
                }
            }
            for connection in excessive { events.shutDown(connection, because: Self.reason) }
        }
    }
}
