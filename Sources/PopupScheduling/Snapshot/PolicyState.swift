// The encoding of policies. Each encoding function is above its decoding function. See `appendState`.
extension Scheduler {
    func encodePolicies(_ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(order.patterns) { encoder, pattern in
            guard let index = policies.index(ofPattern: pattern) else { return }
            encoder.add(pattern)
            encode(policies[index], &encoder)
            encoder.add(policies[quietWindows: index].numbers) { $0.add($1) }
            encodeTimer(policies[quietWindows: index].timer, &encoder)
            encodeOwner(policies[account: index], order, &encoder)
        }
    }

    mutating func restorePolicies(_ decoder: inout StateDecoder) throws(SnapshotError) {
        var last: [UInt8]?
        for _ in 0..<(try decoder.count(eachAtLeast: 29)) {
            let pattern = try decoder.array()
            guard last.map({ $0.lexicographicallyPrecedes(pattern) }) ?? true else {
                throw decoder.damaged("the policies are out of order")
            }
            last = pattern
            let policy = try restoredPolicy(&decoder)
            let index = pattern.withUnsafeBytes { policies.set(policy, for: $0) }
            var numbers: [UInt64] = []
            for _ in 0..<(try decoder.count(eachAtLeast: 1)) {
                numbers.append(try decoder.number(atMost: policies.suspensions.latest))
            }
            let timer = try restoreTimer(.quiet(index), &decoder)
            guard numbers.count == policy.quiet.count, !numbers.isEmpty || timer == nil else {
                throw decoder.damaged("a policy's quiet windows and their state disagree")
            }
            policies[quietWindows: index] = QuietWindows(numbers: numbers, timer: timer)
            let account = try restoredOwner(&decoder)
            policies[account: index] = account
            if let account { accounts[account].policies += 1 }
        }
    }

    private func encode(_ policy: Policy, _ encoder: inout StateEncoder) {
        for word in [
            policy.higher.rawValue, policy.peers.rawValue, policy.lower.rawValue, policy.resumption.rawValue,
            policy.overflow.rawValue, policy.clock.rawValue, policy.offerDefault.rawValue,
            policy.undisplayed.rawValue, policy.rendererLost.rawValue,
        ] {
            encoder.add(word)
        }
        for number in [
            policy.gap.lowerBound, policy.gap.upperBound, policy.defaultDuration, policy.maxDuration,
            policy.gather, policy.offer, policy.retry, policy.displayTimeout, policy.maxAttempts, policy.quorum,
            policy.aging,
        ] {
            encoder.add(number)
        }
        encoder.add(policy.ignorePriority)
        encoder.add(policy.quorumAll)
        encoder.add(policy.maxWaiting) { $0.add($1) }
        encoder.add(policy.caps) { encoder, cap in
            encoder.add(cap.key)
            encoder.add(cap.most)
            encoder.add(cap.window)
        }
        encoder.add(policy.quiet) { encode($1, &$0) }
        encoder.add(policy.pageTree)
    }

    private func restoredPolicy(_ decoder: inout StateDecoder) throws(SnapshotError) -> Policy {
        var policy = Policy()
        policy.higher = try decoder.word()
        policy.peers = try decoder.word()
        policy.lower = try decoder.word()
        policy.resumption = try decoder.word()
        policy.overflow = try decoder.word()
        policy.clock = try decoder.word()
        policy.offerDefault = try decoder.word()
        policy.undisplayed = try decoder.word()
        policy.rendererLost = try decoder.word()
        let (least, most): (UInt32, UInt32) = (try decoder.unsigned(), try decoder.unsigned())
        guard least <= most else { throw decoder.damaged("a gap ends before it begins") }
        policy.gap = least...most
        policy.defaultDuration = try decoder.unsigned()
        policy.maxDuration = try decoder.unsigned()
        policy.gather = try decoder.unsigned()
        policy.offer = try decoder.unsigned()
        policy.retry = try decoder.unsigned()
        policy.displayTimeout = try decoder.unsigned()
        policy.maxAttempts = try decoder.unsigned()
        policy.quorum = try decoder.unsigned()
        policy.aging = try decoder.unsigned()
        policy.ignorePriority = try decoder.flag()
        policy.quorumAll = try decoder.flag()
        if try decoder.flag() { policy.maxWaiting = try decoder.unsigned() }
        for _ in 0..<(try decoder.count(eachAtLeast: 3)) {
            let cap = Cap(key: try decoder.array(), most: try decoder.unsigned(), window: try decoder.unsigned())
            guard cap.most > 0 else { throw decoder.damaged("a cap allows no showing") }
            policy.caps.append(cap)
        }
        for _ in 0..<(try decoder.count(eachAtLeast: 6)) { policy.quiet.append(try restoredWindow(&decoder)) }
        policy.pageTree = try decoder.array()
        return policy
    }

    private func encode(_ window: QuietWindow, _ encoder: inout StateEncoder) {
        encoder.add(window.from)
        encoder.add(window.to)
        encoder.add(window.minimumPriority) { $0.add($1) }
        encode(window.zone, &encoder)
    }

    private func restoredWindow(_ decoder: inout StateDecoder) throws(SnapshotError) -> QuietWindow {
        let (from, to): (UInt16, UInt16) = (try decoder.unsigned(), try decoder.unsigned())
        let minimumPriority: Int32? = try decoder.flag() ? try decoder.signed() : nil
        return QuietWindow(from: from, to: to, zone: try restoredZone(&decoder), minimumPriority: minimumPriority)
    }

    private func encode(_ zone: TimeZoneRules, _ encoder: inout StateEncoder) {
        encoder.add(zone.initialOffset)
        encoder.add(zone.transitions) { encoder, transition in
            encoder.add(transition.at)
            encoder.add(transition.offset)
        }
        encoder.add(zone.rule) { encoder, rule in
            encoder.add(rule.standardOffset)
            encoder.add(rule.daylightOffset)
            encode(rule.start, &encoder)
            encode(rule.end, &encoder)
        }
    }

    private func restoredZone(_ decoder: inout StateDecoder) throws(SnapshotError) -> TimeZoneRules {
        var zone = TimeZoneRules(initialOffset: try decoder.signed())
        for _ in 0..<(try decoder.count(eachAtLeast: 2)) {
            let transition = TimeZoneRules.Transition(at: try decoder.signed(), offset: try decoder.signed())
            guard zone.transitions.last.map({ $0.at <= transition.at }) ?? true else {
                throw decoder.damaged("a zone's transitions are out of order")
            }
            zone.transitions.append(transition)
        }
        if try decoder.flag() {
            zone.rule = DaylightRule(
                standardOffset: try decoder.signed(), daylightOffset: try decoder.signed(),
                start: try restoredChange(&decoder), end: try restoredChange(&decoder))
        }
        return zone
    }

    private func encode(_ change: DaylightRule.Change, _ encoder: inout StateEncoder) {
        encoder.add(change.time)
        switch change.day {
        case .weekday(let month, let week, let weekday):
            encoder.add(UInt64(0))
            for number in [month, week, weekday] { encoder.add(number) }
        case .dayWithoutLeap(let day):
            encoder.add(UInt64(1))
            encoder.add(day)
        case .day(let day):
            encoder.add(UInt64(2))
            encoder.add(day)
        }
    }

    private func restoredChange(_ decoder: inout StateDecoder) throws(SnapshotError) -> DaylightRule.Change {
        let time: Int32 = try decoder.signed()
        switch try decoder.number() {
        case 0:
            let month = try decoder.signed(in: 1...12)
            let week = try decoder.signed(in: 1...5)
            let weekday = try decoder.signed(in: 0...6)
            return DaylightRule.Change(day: .weekday(month: month, week: week, weekday: weekday), time: time)
        case 1: return DaylightRule.Change(day: .dayWithoutLeap(try decoder.signed(in: 1...365)), time: time)
        case 2: return DaylightRule.Change(day: .day(try decoder.signed(in: 0...365)), time: time)
        default: throw decoder.damaged("a day of a year has an unknown form")
        }
    }
}
