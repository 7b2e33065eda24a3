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

    /// A renderer may start before its broker: it says so and goes on. Ends only with an error.
    func reportMissingBroker(_ tell: (String) async -> Void) async throws {
        do {
            try await renderer.connected()
        } catch let error as ClientError {
            await tell("\(error); waiting for it")
            while (try? await renderer.connected()) == nil { try Task.checkCancellation() }
            await tell("connected")
        }
        try await Task.sleep(for: .seconds(Int64(UInt32.max)))
    }

    /// Waits until the last answer has left.
    func close() async {
        await answers.stop()
        await renderer.close()
    }
}
