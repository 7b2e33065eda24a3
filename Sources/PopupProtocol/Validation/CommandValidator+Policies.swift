extension CommandValidator {
    func validate(_ policy: WireSetPolicy, _ check: FieldCheck) throws(CommandRefusal) {
        try check.pattern(policy.group)
        try check.known(policy.preset, "preset")
        try check.known(policy.higher, "higher")
        try check.known(policy.peers, "peers")
        try check.known(policy.lower, "lower")
        try check.known(policy.resume, "resume")
        if policy.hasGapMs, policy.hasGapMinMs || policy.hasGapMaxMs {
            throw check.refusal("gapMs", "is given together with `gapMinMs` or `gapMaxMs`; give either it or these two")
        }
        guard policy.gapMinMs <= policy.gapMaxMs else {
            throw check.refusal(
                "gapMinMs", "is \(policy.gapMinMs), above `gapMaxMs` \(policy.gapMaxMs); give both in order")
        }
        try check.known(policy.clock, "clock")
        try check.known(policy.offerDefault, "offerDefault")
        try check.known(policy.undisplayed, "undisplayed")
        try check.known(policy.rendererLost, "rendererLost")
        if policy.hasMaxAttempts, policy.maxAttempts == 0 {
            throw check.refusal("maxAttempts", "is 0; a popup is shown at least once")
        }
        guard policy.maxAttempts <= WireLimits.mostAttempts else {
            throw check.refusal("maxAttempts", "is \(policy.maxAttempts); give at most \(WireLimits.mostAttempts)")
        }
        if policy.displayTimeoutMs > 0, policy.displayTimeoutMs < WireLimits.shortestDisplayTimeout {
            throw check.refusal(
                "displayTimeoutMs",
                "is \(policy.displayTimeoutMs); give at least \(WireLimits.shortestDisplayTimeout), or 0 for no limit")
        }
        if policy.hasQuorum, policy.quorum == 0 {
            throw check.refusal("quorum", "is 0; a popup is closed by one dismissal at least")
        }
        if policy.quorum > 0, policy.quorumAll {
            throw check.refusal("quorumAll", "is given together with `quorum`; give one of them")
        }
        try check.known(policy.overflow, "overflow")
        try check.optionalID(policy.pageTree, "pageTree")
        try validate(policy.caps, check)
        try validate(policy.quiet, check)
    }

    /// Of two caps of one key and window the larger would never be heard of: that is a mistake.
    private func validate(_ caps: [WireCap], _ check: FieldCheck) throws(CommandRefusal) {
        try check.count(caps.count, "caps", maximum: WireLimits.maximumListedRules)
        for (index, cap) in caps.enumerated() {
            let field = "caps[\(index)]"
            try check.optionalID(cap.capKey, "\(field).capKey")
            guard 1...WireLimits.largestCap ~= cap.most else {
                throw check.refusal("\(field).most", "is \(cap.most); give 1 to \(WireLimits.largestCap) showings")
            }
            guard cap.perMs > 0 else { throw check.refusal("\(field).perMs", "is 0; give the window's length") }
            if let same = caps[..<index].firstIndex(where: { $0.capKey == cap.capKey && $0.perMs == cap.perMs }) {
                throw check.refusal(field, "has the key and the window of `caps[\(same)]`; join them")
            }
        }
    }

    private func validate(_ quiet: [WireQuietWindow], _ check: FieldCheck) throws(CommandRefusal) {
        try check.count(quiet.count, "quiet", maximum: WireLimits.maximumListedRules)
        for (index, window) in quiet.enumerated() {
            let field = "quiet[\(index)]"
            let from = try timeOfDay(window.from, "\(field).from", check)
            let to = try timeOfDay(window.to, "\(field).to", check)
            guard from != to else {
                throw check.refusal("\(field).to", "is `from`; for all day take two windows, or `suspend`")
            }
            try check.id(window.timeZone, "\(field).timeZone")
        }
    }

    private func timeOfDay(_ text: String, _ field: String, _ check: FieldCheck) throws(CommandRefusal) -> UInt16 {
        guard let minutes = WireQuietWindow.minutes(of: text) else {
            throw check.refusal(field, "is not a time of day; write it as 22:00")
        }
        return minutes
    }
}

extension WireQuietWindow {
    /// The minutes since midnight of a time of day such as `22:00`; `nil` when it is none.
    public static func minutes(of time: String) -> UInt16? {
        let characters = Array(time.utf8)
        guard characters.count == 5, characters[2] == UInt8(ascii: ":") else { return nil }
        let digits = [0, 1, 3, 4].map { UInt16(characters[$0]) &- UInt16(UInt8(ascii: "0")) }
        guard digits.allSatisfy({ $0 < 10 }) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return hour < 24 && minute < 60 ? hour * 60 + minute : nil
    }
}
