internal import NIOCore
internal import Synchronization

/// The responses that are being written, with their connections.
final class ResponsesInProgress: Sendable {
    /// A response that is being written.
    struct Place: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct State {
        var count = 0
        var channels: [Place: any Channel] = [:]
    }

    private let state = Mutex(State())

    /// Records that a response is being written, until `end`.
    func begin(on channel: any Channel) -> Place {
        state.withLock { state in
            state.count += 1
            let place = Place(number: state.count)
            state.channels[place] = channel
            return place
        }
    }

    /// Records that a response is written, or cannot be.
    func end(_ place: Place) {
        state.withLock { $0.channels[place] = nil }
    }

    /// Waits until the responses that are being written now are written, and closes the connections of those that are not
    /// when a time is over: their readers take nothing.
    func finish(within time: Duration) async {
        let end = ContinuousClock.now + time
        var unfinished = state.withLock { $0.channels }
        while !unfinished.isEmpty, ContinuousClock.now < end {
            try? await Task.sleep(for: Self.checkInterval)
            state.withLock { state in unfinished = unfinished.filter { state.channels[$0.key] != nil } }
        }
        for channel in unfinished.values { channel.close(promise: nil) }
    }

    private static let checkInterval: Duration = .milliseconds(20)
}
