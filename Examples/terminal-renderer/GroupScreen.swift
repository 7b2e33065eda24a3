import PopupClient

/// The screen of one group: its renderer, and an answerer in place of the user.
struct GroupScreen: Sendable {
    let group: String
    let renderer: Renderer
    let answers: AutoAnswer

    /// Follows the states of the group until the task is cancelled.
    func follow(_ show: (GroupState) async -> Void) async throws {
        for try await screen in try renderer.states(of: group) {
            await show(screen)
            await answers.answer(screen)
        }
    }

    /// Waits until the last answer is sent.
    func close() async {
        await answers.stop()
        await renderer.close()
    }
}

extension [GroupScreen] {
    /// Reports when the broker is gone and when it is back; the renderers go on without it. Ends only with an error, also
    /// that of a user who may not see a group.
    ///
    /// - Parameter tell: Receives the sentence about an outage; `nil` when it is over.
    func reportMissingBroker(_ tell: (String?) async -> Void) async throws {
        guard let first else { return }
        let connection = first.renderer.connection
        do {
            try await first.renderer.connected()
        } catch let error as ClientError {
            await tell("\(error); waiting for it")
            while !connection.isConnected { try await Task.sleep(for: Self.interval) }
            await tell(nil)
        }
        try await checkRights()
        try await connection.reportOutages(every: Self.interval) { isConnected in
            await tell(
                isConnected ? nil : "no broker at \(connection.endpoints.egress): what is shown may be outdated")
            if isConnected { try await checkRights() }
        }
    }

    /// Checks that the broker sends the states of the groups.
    private func checkRights() async throws {
        try await first?.renderer.checkRight(.watch, in: map(\.group))
    }

    /// The time between two checks whether the broker is there.
    private static var interval: Duration { .milliseconds(250) }
}
