import PopupClient

/// What shows one group: its renderer, and who answers in the person's place.
struct GroupScreen: Sendable {
    let group: String
    let renderer: Renderer
    let answers: AutoAnswer

    /// Follows what the group shows, until the task is cancelled.
    func follow(_ show: (GroupState) async -> Void) async throws {
        for try await screen in try renderer.states(of: group) {
            await show(screen)
            await answers.answer(screen)
        }
    }

    /// Says when the broker is gone and when it is back: a renderer goes on without it. Ends only with an error.
    ///
    /// - Parameter tell: is told what to say of an outage; nil when it is over.
    func reportMissingBroker(_ tell: (String?) async -> Void) async throws {
        let connection = renderer.connection
        do {
            try await renderer.connected()
        } catch let error as ClientError {
            await tell("\(error); waiting for it")
            while !connection.isConnected { try await Task.sleep(for: Self.interval) }
            await tell(nil)
        }
        var isConnected = true
        while true {
            try await Task.sleep(for: Self.interval)
            guard connection.isConnected != isConnected else { continue }
            isConnected.toggle()
            await tell(
                isConnected
                    ? nil : "no broker at \(connection.endpoints.egress): what is shown may be outdated; waiting for it"
            )
        }
    }

    /// How often it looks whether the broker is there.
    private static let interval: Duration = .milliseconds(250)

    /// Waits until the last answer has left.
    func close() async {
        await answers.stop()
        await renderer.close()
    }
}
