@testable import PopupClient
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// A screen with nothing but the rule of clients: what is older than the newest epoch, or than the revision that it shows, is
/// dropped.
final class SimulatedScreen: SimulatedClient {
    let name: String
    let prefixes = [Channel.state.prefix, Channel.events.prefix, Channel.heartbeat.prefix]
    private(set) var shown: [String: WireGroupState] = [:]
    private var closed: Set<String> = []
    /// The first thing that it should not have seen.
    private(set) var failure: Failure?

    init(name: String) { self.name = name }

    func receive(_ topic: String, _ body: [UInt8], at now: Milliseconds, _ hand: inout Hand) {
        switch EgressMessage(topic, body) {
        case .event(let event):
            if case .closed = event.event { closed.insert(event.popup) }
        case .state(let state): show(state)
        default: break
        }
    }

    func wake(at now: Milliseconds, _ hand: inout Hand) {}

    private func show(_ state: WireGroupState) {
        if let before = shown[state.group], state.revision < before.revision {
            // In one epoch it is a late one. The next owner knows all that this one has told.
            guard state.epoch > before.epoch else { return }
            return fail("a screen never goes back", "\(state.short) after \(before.short)")
        }
        if state.hasActive, closed.contains(state.active.id) {
            return fail("what a screen saw closed stays closed", state.short)
        }
        shown[state.group] = state
    }

    private func fail(_ check: String, _ detail: String) {
        failure = failure ?? Failure(check: check, detail: "\(name): \(detail)")
    }
}
