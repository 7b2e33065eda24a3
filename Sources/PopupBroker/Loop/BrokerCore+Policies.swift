import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Policies of the configuration, and what the journal holds of earlier runs: both come as commands that are committed.
extension BrokerCore {
    /// Takes over the policies, defaults and quotas of another configuration.
    ///
    /// - Throws: `CommandRefusal` for what is invalid, or could not be committed: nothing is changed then.
    mutating func reconfigure(_ configuration: BrokerConfiguration) throws {
        // Before the plugins change: these can't throw any more once the policies are known to be good.
        for policy in configuration.policies { try check(policy) }
        let changed = try configuredPlugins.changed(to: configuration)
        try setPolicies(configuration.policies)
        configuredPlugins = changed
        plugins = changed.list + ownPlugins
    }

    /// Puts the configuration's policies in the place of those that it set before. What producers set stays, unless the
    /// configuration has a policy for the same name or pattern. A policy that stays is set again when the system's data of
    /// its time zones has changed.
    ///
    /// - Throws: `CommandRefusal` for a policy that is invalid, or when the journal can't commit them: none is changed
    ///   then.
    mutating func setPolicies(_ policies: [WireSetPolicy]) throws {
        var wanted: [WireSetPolicy] = []
        for policy in policies {
            try check(policy)
            wanted.removeAll { $0.group == policy.group }
            wanted.append(policy)
        }
        for policy in configuredPolicies where !wanted.contains(where: { $0.group == policy.group }) {
            let range = log.append(.removedPolicy, Array(policy.group.utf8).span.bytes)
            entries.append(BatchEntry(content: .removedPolicy, range: range))
        }
        for policy in wanted where !configuredPolicies.contains(policy) || hasOtherTimeZones(policy) {
            try enterTimeZones(of: policy)
            let command = WireCommand.with { $0.setPolicy = policy }
            let bytes: [UInt8] = try command.serializedBytes()
            let range = log.append(.command, bytes.span.bytes)
            entries.append(BatchEntry(content: .decoded(command), kind: .setPolicy, range: range))
        }
        if !entries.isEmpty, try !commit() {
            throw CommandRefusal(
                .overload, "the journal could not commit the policies; read the configuration again later")
        }
        configuredPolicies = wanted
    }

    private func check(_ policy: WireSetPolicy) throws(CommandRefusal) {
        _ = try PolicyTranslator.policy(policy, timeZones: configuration.timeZones)
    }

    /// Applies what the journal holds, as it was applied then. Nobody subscribes yet, so nothing is published.
    mutating func replay() throws {
        let current = now
        try journal.replay(from: 0) { batch in
            now = batch.time
            while scheduler.step(until: now, into: &output) {}
            for entry in try CommandLog.entries(in: batch.commands) { try replay(entry, of: batch.commands) }
            output.removeAll()
        }
        now = max(current, now)
        startedAt = now
        clockLag = now - current
        guard clockLag > 0 else { return }
        logger.warning(
            "the clock is behind the journal; time goes on from the journal's", metadata: ["ms": "\(clockLag)"])
    }

    private mutating func replay(_ entry: CommandLog.Entry, of bytes: [UInt8]) throws {
        let text = bytes.span.extracting(entry.range)
        switch entry.kind {
        case .removedPolicy:
            scheduler.apply(
                .removePolicy(pattern: TextRange(offset: 0, count: entry.range.count)), text: text.bytes, at: now,
                into: &output)
        case .timeZone:
            do {
                timeZones.enter(try TimeZoneData(journalEntry: bytes[entry.range]))
            } catch {
                throw JournaledTimeZoneError(what: error.what)
            }
        case .command:
            if let show = ShowFrame.read(text, limits: WireLimits(contentBytes: .max)) {
                scheduler.show(show.request, text: text.bytes, at: now, into: &output)
            } else if let command = try? WireCommand(serializedBytes: Array(bytes[entry.range])) {
                if case .setPolicy(let policy) = command.command, let zone = timeZones.firstMissing(for: policy) {
                    throw JournaledTimeZoneError(what: "there is none of `\(zone)` before its policy")
                }
                let scheduled = translator.translate(command, zones: timeZones) { scheduler.content(ofPopup: $0) }
                guard let scheduled else { return }
                let text = translator.text.bytes
                scheduler.apply(scheduled, text: text.span.bytes, at: now, into: &output)
            }
        }
    }
}

/// The journal holds a time zone whose data can't be used, or lacks one.
struct JournaledTimeZoneError: Error, Hashable, CustomStringConvertible {
    var what: String

    var description: String {
        "the journal's data of a time zone can't be used: \(what); restore the journal from a copy, or start with an empty one"
    }
}
