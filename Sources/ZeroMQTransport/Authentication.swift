import Dispatch
import PopupBroker
import Synchronization
import SystemCalls
import ZeroMQ

/// The thread that decides which clients may connect over CURVE. So handshakes do not wait for the loop, nor the loop
/// for them.
///
/// libzmq attaches the public key of its sender to each message, not the user's name. So a connection is recognized
/// whose key has been replaced since.
final class Authentication: Sendable {
    let users: UserKeys

    private let context: Context
    /// The means to end the wait of the thread.
    private let wakeup: Wakeup
    private let refusals = Mutex(RefusedConnections())
    /// The error with which the thread ended.
    private let failure = Mutex<ZeroMQError?>(nil)
    private let isStarted = Atomic(false)
    private let isEnding = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    /// Creates the authentication of a context's sockets. It has no effect before `start`.
    init(_ context: Context, users: UserKeys) throws(ZeroMQError) {
        self.context = context
        self.users = users
        wakeup = try Wakeup()
    }

    /// Starts the thread, and waits until it answers requests. Call it once, before the sockets are bound.
    ///
    /// - Throws: `ThreadError` if the system has no more threads; `ZeroMQError`.
    func start() throws {
        let begun = DispatchSemaphore(value: 0)
        try DedicatedThread.start { [self] in
            defer { ended.signal() }
            do throws(ZeroMQError) {
                let authenticator = try Authenticator(context)
                begun.signal()
                try run(authenticator)
            } catch {
                failure.withLock { $0 = error }
                begun.signal()
            }
        }
        isStarted.store(true, ordering: .relaxed)
        begun.wait()
        try check()
    }

    /// Checks that the thread runs. Without it, no client can connect over CURVE.
    ///
    /// - Throws: The error with which it ended.
    func check() throws(ZeroMQError) {
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Ends the thread, and waits for its end.
    func stop() {
        guard isStarted.exchange(false, ordering: .relaxed) else { return }
        isEnding.store(true, ordering: .releasing)
        wakeup.signal()
        ended.wait()
    }

    /// Removes and returns the refused connections.
    func takeRefusals() -> [CutConnection] {
        refusals.withLock { $0.take() }
    }

    private func run(_ authenticator: borrowing Authenticator) throws(ZeroMQError) {
        var poller = Poller()
        let wakeupItem = poller.add(wakeup)
        _ = authenticator.add(to: &poller)
        while !isEnding.load(ordering: .acquiring) {
            _ = try poller.wait(timeoutMilliseconds: nil)
            if poller[wakeupItem].contains(.readable) { wakeup.drain() }
            while try authenticator.answerNext(decide) {
                if isEnding.load(ordering: .acquiring) { return }
            }
        }
    }

    private func decide(_ request: AuthenticationRequest) -> String? {
        guard case .curve(let publicKey) = request.mechanism else { return nil }
        let key = publicKey.description
        if users.isKnown(key) { return key }
        refusals.withLock {
            $0.add(
                CutConnection(
                    socket: "CURVE", peer: request.address, reason: "its public key \(key) is not one of a user"))
        }
        return nil
    }
}
