@_spi(Wire) internal import PopupClient
internal import PopupProtocol

/// The state of a group as JSON, encoded once for all streams. A stream that waits for its reader keeps a reference.
final class EncodedState: Sendable {
    let group: String
    let epoch: UInt64
    let revision: UInt64
    /// Whether the group has an active, waiting or paused popup.
    let isOccupied: Bool
    /// The number of waiting popups.
    let waiting: UInt32
    /// The time when it came from the broker.
    let received: ContinuousClock.Instant
    /// The popup that the group shows, and the revision that made it active or last updated it.
    let active: (id: String, since: UInt64)?
    /// The JSON before and after the value of `remainingMs`. Without that field, all of the JSON is in `head`.
    private let head: [UInt8]
    private let tail: [UInt8]
    private let remainingMs: UInt32?

    init(_ state: GroupState) {
        var wire = state.state.wire
        group = wire.group
        epoch = wire.epoch
        revision = wire.revision
        received = state.received
        waiting = wire.waiting
        active = wire.hasActive ? (wire.active.id, wire.active.sinceRevision) : nil
        isOccupied = wire.hasActive || wire.waiting > 0 || wire.paused > 0
        guard wire.hasActive, wire.active.hasRemainingMs else {
            head = (try? WireJSON.encode(wire)) ?? []
            tail = []
            remainingMs = nil
            return
        }
        remainingMs = wire.active.remainingMs
        // No text has these bytes: within a JSON string, a quote has a backslash before it.
        wire.active.remainingMs = .max
        let json = (try? WireJSON.encode(wire)) ?? []
        let place = Self.place(of: Self.name + Self.number, in: json)
        head = place.map { Array(json[..<($0 + Self.name.count)]) } ?? json
        tail = place.map { Array(json[($0 + Self.name.count + Self.number.count)...]) } ?? []
    }

    private static let name = Array("\"remainingMs\":".utf8)
    private static let number = Array("\(UInt32.max)".utf8)

    /// Returns where some bytes begin; `nil`: nowhere. `firstRange(of:)` takes tens of times as long.
    private static func place(of wanted: [UInt8], in bytes: [UInt8]) -> Int? {
        (0...max(0, bytes.count - wanted.count)).first { bytes[$0...].starts(with: wanted) }
    }

    /// Whether its popup has a display time, which elapses or stands still.
    var hasDisplayTime: Bool { remainingMs != nil }

    /// Creates the same state with another display time that is left.
    private init(_ state: EncodedState, remainingMs: UInt32, received: ContinuousClock.Instant) {
        (group, epoch, revision) = (state.group, state.epoch, state.revision)
        (isOccupied, waiting, active) = (state.isOccupied, state.waiting, state.active)
        (head, tail) = (state.head, state.tail)
        self.remainingMs = remainingMs
        self.received = received
    }

    /// Returns the same state with the display time that its popup has left, as the broker has answered; `nil` if it says about
    /// the same already, does not show this popup with a display time, or came after the question.
    func corrected(
        _ popup: String, remainingMs: UInt32, askedAt asked: ContinuousClock.Instant, at now: ContinuousClock.Instant
    ) -> EncodedState? {
        guard active?.id == popup, received < asked, let left = left(at: now),
            abs(left - Double(remainingMs)) > Self.tolerance
        else { return nil }
        return EncodedState(self, remainingMs: remainingMs, received: now)
    }

    /// The difference of display times that readers need not learn, in ms.
    private static let tolerance = 250.0

    /// The version: a client takes a state with a greater one.
    var version: String { "\(epoch):\(revision)" }

    /// Returns the JSON at a time, with the display time that is left then.
    func json(at now: ContinuousClock.Instant) -> [UInt8] {
        guard let left = left(at: now) else { return head }
        return head + Array("\(UInt32(left))".utf8) + tail
    }

    /// Returns the display time that is left at a time, in ms, if its clock runs; `nil` if it has none.
    private func left(at now: ContinuousClock.Instant) -> Double? {
        guard let remainingMs else { return nil }
        let held = received.duration(to: now) / .milliseconds(1)
        return max(0, Double(remainingMs) - max(0, held))
    }
}
