import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Policies of the configuration, and what the journal holds of earlier runs: both come as commands that are committed.
extension BrokerCore {
    /// Takes over the policies, defaults and quotas of another configuration.
    ///
    /// - Throws: `CommandRefusal` for what is invalid or not supported: nothing is changed then.
    mutating func reconfigure(_ configuration: BrokerConfiguration) throws {
        // Before the plugins change: these can't throw any more once the policies are known to be good.
        for policy in configuration.policies { _ = try PolicyTranslator.policy(policy) }
        configuredPlugins = try configuredPlugins.changed(to: configuration)
        plugins = configuredPlugins.list + ownPlugins
        try setPolicies(configuration.policies)
    }

    /// Puts the configuration's policies in the place of those that it set before. What producers set stays, unless the
    /// configuration has a policy for the same name or pattern.
    ///
    /// - Throws: `CommandRefusal` for a policy that is invalid or not supported: none is changed then.
    mutating func setPolicies(_ policies: [WireSetPolicy]) throws {
        var wanted: [WireSetPolicy] = []
        for policy in policies {
            _ = try PolicyTranslator.policy(policy)
            wanted.removeAll { $0.group == policy.group }
            wanted.append(policy)
        }
        for policy in configuredPolicies where !wanted.contains(where: { $0.group == policy.group }) {
            let range = log.append(.removedPolicy, Array(policy.group.utf8).span.bytes)
            entries.append(BatchEntry(content: .removedPolicy, range: range))
        }
        for policy in wanted where !configuredPolicies.contains(policy) {
            let command = WireCommand.with { $0.setPolicy = policy }
            let bytes: [UInt8] = try command.serializedBytes()
            let range = log.append(.command, bytes.span.bytes)
            entries.append(BatchEntry(content: .decoded(command), kind: .setPolicy, range: range))
        }
        configuredPolicies = wanted
        if !entries.isEmpty { try commit() }
    }

    /// Applies what the journal holds, as it was applied then. Nobody subscribes yet, so nothing is published.
    mutating func replay() throws {
        let current = now
        try journal.replay(from: 0) { batch in
            now = batch.time
            while scheduler.step(until: now, into: &output) {}
            for entry in try CommandLog.entries(in: batch.commands) { replay(entry, of: batch.commands) }
            output.removeAll()
        }
        now = max(current, now)
    }

    private mutating func replay(_ entry: CommandLog.Entry, of bytes: [UInt8]) {
        let text = bytes.span.extracting(entry.range)
        switch entry.kind {
        case .removedPolicy:
            scheduler.apply(
                .removePolicy(pattern: TextRange(offset: 0, count: entry.range.count)), text: text.bytes, at: now,
                into: &output)
        case .command:
            if let show = ShowFrame.read(text, limits: WireLimits(contentBytes: .max)) {
                scheduler.apply(.show(show.request), text: text.bytes, at: now, into: &output)
            } else if let command = try? WireCommand(serializedBytes: Array(bytes[entry.range])) {
                let scheduled = translator.translate(command) { scheduler.content(ofPopup: $0) }
                guard let scheduled else { return }
                let text = translator.text.bytes
                scheduler.apply(scheduled, text: text.span.bytes, at: now, into: &output)
            }
        }
    }
}
