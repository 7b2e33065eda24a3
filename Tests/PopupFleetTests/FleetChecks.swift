import PopupJournal
import SimulatedLogs

@testable import PopupFleet

// What has to be true of a run, whatever went wrong in it.
extension FleetWorld {
    /// Returns the first promise that was broken; `nil` if all were kept.
    func broken() -> String? {
        problem ?? brokenLog() ?? brokenVoices() ?? brokenClient() ?? brokenAcknowledgements() ?? brokenOverlap()
            ?? brokenSnapshots() ?? brokenTime() ?? brokenEnd()
    }

    /// I2: the log is one sequence.
    private func brokenLog() -> String? {
        if let broken = log.brokenOrder() { return broken }
        return log.head.level <= Self.newestLevel ? nil : "the log has the level \(log.head.level)"
    }

    /// I1: everything that was published lies on the one history. A greater level changes nothing in the state: it may be
    /// earlier than timers that a broker has handled.
    private func brokenVoices() -> String? {
        var (state, index, time) = (TimerMachine(), 0, Int64(0))
        for words in heard.sorted(by: { ($0.voice.index, $0.voice.time) < ($1.voice.index, $1.voice.time) }) {
            let voice = words.voice
            guard voice.index <= UInt64(log.history.count) else { return "published before the append: \(voice)" }
            while index < Int(voice.index) {
                let entry = log.history[index]
                index += 1
                if entry.kind == .level { continue }
                guard entry.time >= time else {
                    return "timers were published until \(time) before entry \(entry.index) of \(entry.time)"
                }
                time = entry.time
                state.advance(to: time)
                guard (try? state.apply(entry)) != nil else { return "entry \(entry.index) cannot be read" }
            }
            time = max(time, voice.time)
            state.advance(to: time)
            guard state.trace == words.trace else { return "published what is not the history's: \(voice)" }
            if let next = log.history[Int(voice.index)...].first(where: { $0.kind != .level }), next.time < voice.time {
                return "\(voice) is later than entry \(next.index) of \(next.time)"
            }
        }
        return nil
    }

    /// I4: what a client accepts, which follows the newest epoch, only grows.
    private func brokenClient() -> String? {
        var newest: FleetNode<TimerMachine>.Voice?
        for words in heard.sorted(by: { $0.at < $1.at }) {
            let voice = words.voice
            if let newest {
                guard voice.epoch >= newest.epoch else { continue }
                guard (voice.index, voice.time) >= (newest.index, newest.time) else {
                    return "a client goes back from \(newest) to \(voice)"
                }
            }
            newest = voice
        }
        return nil
    }

    /// I3: what was acknowledged is in the log once; acknowledged before the other was offered: earlier in the log.
    private func brokenAcknowledgements() -> String? {
        var places: [UInt32: UInt64] = [:]
        for entry in log.history {
            for timer in (try? TimerMachine.timers(of: entry.commands)) ?? [] {
                guard places.updateValue(entry.index, forKey: timer.id) == nil else { return "\(timer.id) is in twice" }
            }
        }
        var greatest: UInt64 = 0
        var acknowledged = self.acknowledged[...]
        for (id, at) in offeredIDs.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            while let first = acknowledged.first, first.at < at {
                guard let place = places[first.id] else { return "\(first.id) was acknowledged, and is not in the log" }
                greatest = max(greatest, place)
                acknowledged.removeFirst()
            }
            if let place = places[id], place < greatest { return "\(id) precedes what was acknowledged before it" }
        }
        for (id, _) in acknowledged where places[id] == nil { return "\(id) was acknowledged, and is not in the log" }
        return nil
    }

    /// I5: an owner that does not pause is mute 3 s after its successor began, by the slowest clock.
    private func brokenOverlap() -> String? {
        let begins = log.history.indices.filter { log.history[$0].kind == .takeOver }
        for words in heard where words.isPrompt {
            guard let successor = begins.first(where: { log.history[$0].epoch > words.voice.epoch }) else { continue }
            let overlap = words.at - log.appended[successor]
            if overlap > 3600 { return "epoch \(words.voice.epoch) speaks \(overlap) ms after its successor began" }
        }
        return nil
    }

    /// I6: each snapshot has the bytes that the log determines.
    private func brokenSnapshots() -> String? { log.brokenSnapshots(keptSnapshots, of: TimerMachine.self) }

    /// I7: a tenure begins at its predecessor's horizon or later; after a hot take-over not later than true time says, and
    /// not earlier than its node has heard, each by more than 1 s and what the clocks drift apart.
    private func brokenTime() -> String? {
        // How far the log's time was ahead of true time at most: a cold start can lose what passed without an owner.
        var ahead = Int64.min
        for write in appends {
            guard let entry = write.entry, let start = made[write] else { continue }
            defer { ahead = max(ahead, entry.time - start.at) }
            guard write.purpose == .takeOver, ahead > .min else { continue }
            guard entry.time >= write.old.horizon else { return "epoch \(entry.epoch) begins before the horizon" }
            guard let heardAhead = start.heardAhead, rateSpread <= 5 else { continue }
            // The greatest difference of rates in a run.
            let drift = Self.runEnds / 100
            // All timers would be late by what the log's time has lost.
            let earliest = start.at + heardAhead - 1000 - drift
            if entry.time < earliest { return "epoch \(entry.epoch) begins at \(entry.time), before \(earliest)" }
            // The step towards the wall clock.
            let latest = max(write.old.horizon, start.at + ahead + 1000 + drift)
            if entry.time > latest { return "epoch \(entry.epoch) begins at \(entry.time), later than \(latest)" }
        }
        return nil
    }

    /// I8: well after the last fault somebody owns the log, everybody follows, and what is offered is acknowledged.
    private func brokenEnd() -> String? {
        let owners = machines.indices.filter { machines[$0].process.node.isConfirmed(at: moment(of: $0)) }
        guard owners.count == 1 else { return "\(owners.count) nodes own the log in the end" }
        for (number, machine) in machines.enumerated() where machine.process.node.replica.index + 8 < log.head.index {
            return "node \(number) is at \(machine.process.node.replica.index), the log at \(log.head.index)"
        }
        for (number, machine) in machines.enumerated() where machine.process.configuration != log.orders.configuration {
            return "node \(number) goes by the configuration \(machine.process.configuration ?? []) in the end"
        }
        if let asked = log.orders.handOver, log.head.epoch <= asked { return "epoch \(asked) has not handed over" }
        guard let last = acknowledged.last, last.at > Self.runEnds - 8000 else { return "nothing is acknowledged" }
        return nil
    }
}
