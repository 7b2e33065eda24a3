extension BrokerConnection {
    /// Calls `tell` when the broker is gone and when it is back, until the task is cancelled or `tell` throws. Call it while the
    /// broker is connected.
    ///
    /// - Parameters:
    ///   - interval: The time between two checks; a shorter outage may not be seen.
    ///   - tell: Receives whether the broker is connected again.
    package func reportOutages(
        every interval: Duration, to tell: (_ isConnected: Bool) async throws -> Void
    ) async throws {
        var isConnected = true
        while true {
            try await Task.sleep(for: interval)
            guard self.isConnected != isConnected else { continue }
            isConnected.toggle()
            try await tell(isConnected)
        }
    }
}
