import SwiftProtobuf

// The relations that must hold between the fields of a command, and the limits of numbers that need an explanation.

extension WireCommand.OneOf_Command {
    /// Checks the relations between fields that are valid each.
    func checkRelations(_ check: FieldCheck) throws(CommandRefusal) {
        switch self {
        case .show(let popup): try popup.checkRelations(check)
        case .clear(let clear): try clear.checkRelations(check)
        case .setPolicy(let policy): try policy.checkRelations(check)
        case .report(let report):
            guard report.report != nil else {
                throw check.refusal("report", "is missing; give one of displayed, visible, hidden")
            }
        case .answer(let answer):
            guard answer.answer != nil else {
                throw check.refusal("answer", "is missing; give one of accept, veto, later")
            }
        case .page(let page): try page.checkRelations(check)
        case .query(let query):
            guard query.query != nil else {
                throw check.refusal("query", "is missing; give one of \(Self.queries)")
            }
        case .update, .dismiss, .advance, .suspend, .resume, .unsetPolicy, .setSession, .lease: break
        }
    }

    private static let queries =
        "list, count, peek, explain, path, stats, whoami, policies, history, groups, suspensions, renderers, producers"
}

extension WirePopup {
    fileprivate func checkRelations(_ check: FieldCheck) throws(CommandRefusal) {
        guard !flow.hasRequires || flow.requires.popup != id else {
            throw check.refusal("flow.requires.popup", "is the popup itself; name another member of its flow")
        }
        if quorum > 0, quorumAll {
            throw check.refusal("quorumAll", "is given together with `quorum`; give one of them")
        }
    }
}

extension WireClear {
    /// Checks that a selector is given and not empty. A misspelt field is skipped as an unknown one, and must not make
    /// the command clear everything.
    fileprivate func checkRelations(_ check: FieldCheck) throws(CommandRefusal) {
        guard hasSelector else {
            throw check.refusal("selector", "is missing; choose popups, or all with {\"group\":\"*\"}")
        }
        guard selector.isNarrowing else {
            throw check.refusal(
                "selector",
                "names nothing; say which popups are meant, or {\"group\":\"*\"} for everything, and check the "
                    + "spelling: fields that the broker does not know are skipped")
        }
    }
}

extension WireSelector {
    /// Whether the selector has a known field.
    fileprivate var isNarrowing: Bool {
        var known = self
        known.unknownFields = UnknownStorage()
        return known != WireSelector()
    }
}

extension WirePage {
    fileprivate func checkRelations(_ check: FieldCheck) throws(CommandRefusal) {
        switch page {
        case .open(let open):
            guard open.parent != open.node else {
                throw check.refusal("open.parent", "is the page itself; name the page above, or none for the root")
            }
        case .enter, .close, .clear: break
        case nil: throw check.refusal("page", "is missing; give one of open, enter, close, clear")
        }
    }
}

extension WireSetPolicy {
    fileprivate func checkRelations(_ check: FieldCheck) throws(CommandRefusal) {
        if hasGapMs, hasGapMinMs || hasGapMaxMs {
            throw check.refusal("gapMs", "is given together with `gapMinMs` or `gapMaxMs`; give either it or these two")
        }
        guard gapMinMs <= gapMaxMs else {
            throw check.refusal("gapMinMs", "is \(gapMinMs), above `gapMaxMs` \(gapMaxMs); give both in order")
        }
        if hasMaxAttempts, maxAttempts == 0 {
            throw check.refusal("maxAttempts", "is 0; a popup is shown at least once")
        }
        guard maxAttempts <= WireLimits.maxAttempts else {
            throw check.refusal("maxAttempts", "is \(maxAttempts); give at most \(WireLimits.maxAttempts)")
        }
        if displayTimeoutMs > 0, displayTimeoutMs < WireLimits.shortestDisplayTimeout {
            throw check.refusal(
                "displayTimeoutMs",
                "is \(displayTimeoutMs); give at least \(WireLimits.shortestDisplayTimeout), or 0 for no limit")
        }
        if hasQuorum, quorum == 0 {
            throw check.refusal("quorum", "is 0; a popup is closed by one dismissal at least")
        }
        if quorum > 0, quorumAll {
            throw check.refusal("quorumAll", "is given together with `quorum`; give one of them")
        }
        try checkCaps(check)
        for (index, window) in quiet.enumerated() {
            guard window.from != window.to else {
                throw check.refusal(
                    "quiet[\(index)].to", "is `from`; for all day take two windows, or `suspend`")
            }
        }
    }

    /// Checks the caps. Of two with the same key and window, the larger never has an effect, so they are a mistake.
    private func checkCaps(_ check: FieldCheck) throws(CommandRefusal) {
        for (index, cap) in caps.enumerated() {
            let field = "caps[\(index)]"
            guard 1...WireLimits.largestCap ~= cap.most else {
                throw check.refusal("\(field).most", "is \(cap.most); give 1 to \(WireLimits.largestCap) showings")
            }
            guard cap.perMs > 0 else { throw check.refusal("\(field).perMs", "is 0; give the window's length") }
            if let same = caps[..<index].firstIndex(where: { $0.capKey == cap.capKey && $0.perMs == cap.perMs }) {
                throw check.refusal(field, "has the key and the window of `caps[\(same)]`; join them")
            }
        }
    }
}

extension WireQuietWindow {
    /// Returns the minutes since midnight of a time of day such as `22:00`; `nil` if the text is not one.
    public static func minutes(of time: String) -> UInt16? {
        let characters = Array(time.utf8)
        guard characters.count == 5, characters[2] == UInt8(ascii: ":") else { return nil }
        let digits = [0, 1, 3, 4].map { UInt16(characters[$0]) &- UInt16(UInt8(ascii: "0")) }
        guard digits.allSatisfy({ $0 < 10 }) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return hour < 24 && minute < 60 ? hour * 60 + minute : nil
    }
}
