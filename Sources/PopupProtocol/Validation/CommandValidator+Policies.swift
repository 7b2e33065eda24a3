extension CommandValidator {
    func validate(_ policy: WireSetPolicy, _ check: FieldCheck) throws(CommandRefusal) {
        try check.pattern(policy.group)
        try check.known(policy.preset, "preset")
        try check.known(policy.higher, "higher")
        try check.known(policy.peers, "peers")
        try check.known(policy.lower, "lower")
        try check.known(policy.resume, "resume")
        if policy.hasGapMs, policy.hasGapMinMs || policy.hasGapMaxMs {
            throw check.refusal("gapMs", "beside `gapMinMs` or `gapMaxMs`; give the one or the other two")
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
        if policy.quorum > 0, policy.quorumAll { throw check.refusal("quorumAll", "beside `quorum`; give one of them") }
        try check.known(policy.overflow, "overflow")
        try check.optionalID(policy.pageTree, "pageTree")
        try check.count(policy.caps.count, "caps", maximum: WireLimits.maximumEntries)
        for (index, cap) in policy.caps.enumerated() {
            try check.optionalID(cap.capKey, "caps[\(index)].capKey")
            guard cap.perMs > 0 else { throw check.refusal("caps[\(index)].perMs", "is 0; give the window's length") }
        }
        try check.count(policy.quiet.count, "quiet", maximum: WireLimits.maximumEntries)
        for (index, window) in policy.quiet.enumerated() {
            try timeOfDay(window.from, "quiet[\(index)].from", check)
            try timeOfDay(window.to, "quiet[\(index)].to", check)
            try check.id(window.timeZone, "quiet[\(index)].timeZone")
        }
    }

    private func timeOfDay(_ text: String, _ field: String, _ check: FieldCheck) throws(CommandRefusal) {
        let digits = Array(text.utf8)
        guard digits.count == 5, digits[2] == UInt8(ascii: ":"),
            let hour = Int(text.prefix(2)), let minute = Int(text.suffix(2)), 0..<24 ~= hour, 0..<60 ~= minute
        else { throw check.refusal(field, "is no time of day; write it as 22:00") }
    }
}
