// The policies as bytes: see `appendState`.
extension Scheduler {
    func encodePolicies(_ order: StateOrder, _ encoder: inout StateEncoder) {
        encoder.add(order.patterns) { encoder, pattern in
            guard let place = policies.place(ofPattern: pattern) else { return }
            encoder.add(pattern)
            encode(policies[place], &encoder)
            encoder.add(policies[quietHours: place].numbers) { $0.add($1) }
            encodeTimer(policies[quietHours: place].timer, &encoder)
            encodeOwner(policies[account: place], order, &encoder)
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
            policy.gap.lowerBound, policy.gap.upperBound, policy.defaultDuration, policy.maximumDuration,
            policy.gather, policy.offer, policy.retry, policy.displayTimeout, policy.maximumAttempts, policy.quorum,
            policy.aging,
        ] {
            encoder.add(number)
        }
        encoder.add(policy.ignorePriority)
        encoder.add(policy.quorumAll)
        encoder.add(policy.maximumWaiting) { $0.add($1) }
        encoder.add(policy.caps) { encoder, cap in
            encoder.add(cap.key)
            encoder.add(cap.most)
            encoder.add(cap.window)
        }
        encoder.add(policy.quiet) { encoder, window in
            encoder.add(window.from)
            encoder.add(window.to)
            encoder.add(window.minimumPriority) { $0.add($1) }
            encode(window.zone, &encoder)
        }
        encoder.add(policy.pageTree)
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
            for change in [rule.start, rule.end] {
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
        }
    }
}
