import PopupClient

/// Follows groups:
///
///     following                        it has asked for what they show
///     shown ID REVISION EPOCH GROUP    a screen
///     empty REVISION EPOCH GROUP       one that shows nothing
///     done ID                          its dismissal is accepted
///     late ID                          its dismissal came too late, or for an older screen: refused
struct RendererRole {
    let endpoints: BrokerEndpoints
    let groups: String
    let isDismissing: Bool

    func play() async throws {
        let renderer = try Renderer(endpoints, limits: .patient)
        let screens = try renderer.states(of: groups)
        Fact.tell("following")
        try await withThrowingTaskGroup(of: Void.self) { dismissals in
            var dismissed: Set<Answered> = []
            for try await screen in screens {
                let version = "\(screen.state.revision) \(screen.state.epoch) \(screen.group)"
                guard let popup = screen.popup else {
                    Fact.tell("empty \(version)")
                    continue
                }
                Fact.tell("shown \(popup.id) \(version)")
                guard isDismissing, screen.group.hasPrefix("kept/") else { continue }
                let answered = Answered(popup: popup.id, since: popup.sinceRevision)
                guard dismissed.insert(answered).inserted else { continue }
                dismissals.addTask { try await dismiss(screen, renderer) }
            }
            try await dismissals.waitForAll()
        }
    }

    /// The popup as it was shown: an answer to it is given once.
    private struct Answered: Hashable {
        let popup: String
        let since: UInt64
    }

    private func dismiss(_ screen: GroupState, _ renderer: Renderer) async throws {
        guard let popup = screen.popup else { return }
        do {
            try await renderer.dismiss(screen, action: "ok")
            Fact.tell("done \(popup.id)")
        } catch ClientError.refused(let refusal) where refusal.reason == .stale || refusal.reason == .notFound {
            Fact.tell("late \(popup.id)")
        }
    }
}
