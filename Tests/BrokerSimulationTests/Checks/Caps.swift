import PopupProtocol
import PopupScheduling

/// No more showings in a cap's window than the cap allows, counted since the policies last changed.
struct Caps {
    private var showings: [String: [(at: Milliseconds, capKey: String)]] = [:]
    /// What is shown up to then may have been before the policies changed.
    private var changedAt = Milliseconds.min
    /// The revision at which a popup of a group was last replaced.
    private var replaced: [String: UInt64] = [:]

    /// A popup was shown; `policies` are those in force. What takes the place of an active one counts, and is shown whatever
    /// the caps.
    mutating func note(
        _ event: WireEvent, capKey: String, under policies: [String: WireSetPolicy]
    ) throws(Failure) {
        let time = Milliseconds(event.time)
        guard time > changedAt else { return }
        showings[event.group, default: []].append((time, capKey))
        guard replaced[event.group] != event.revision else { return }
        for cap in policies.policy(of: event.group)?.caps ?? []
        where cap.capKey.isEmpty || cap.capKey == capKey {
            let counted = showings[event.group, default: []].filter { showing in
                (cap.capKey.isEmpty || cap.capKey == showing.capKey) && showing.at > time - Milliseconds(cap.perMs)
            }
            guard counted.count > Int(cap.most) else { continue }
            throw Failure(
                check: "caps hold",
                detail:
                    "\(time) \(event.group) \(event.popup) is shown: \(counted.count) of \(cap.most) in \(cap.perMs) ms"
            )
        }
    }

    /// A popup closed, and another one has its place.
    mutating func noteReplaced(_ event: WireEvent) { replaced[event.group] = event.revision }

    mutating func policiesChanged(at time: Milliseconds) {
        showings.removeAll()
        changedAt = time
    }
}
