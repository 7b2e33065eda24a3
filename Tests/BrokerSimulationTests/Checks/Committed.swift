@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// What is in the journal, as an onlooker reads it.
struct Committed {
    /// The popups that were asked for, by id; more than one where the requests differ.
    private(set) var requests: [String: [WirePopup]] = [:]
    /// Who asked for a popup; `nil`: more than one did.
    private var producers: [String: String?] = [:]
    /// Ids in the order in which they came first.
    private(set) var ids: [String] = []
    /// When the last batch was committed.
    private(set) var last: Milliseconds = 0
    /// The popups whose time the batches since the last look may have shortened; all when a policy changed.
    private(set) var retimed: Set<String> = []
    private(set) var changedPolicies = false
    /// Whose leases ended in the last batch.
    private(set) var endedLeases: [String] = []
    /// To what the last batch set the wall clock.
    private(set) var wallClockLead: Milliseconds?
    /// The policies, by name or pattern.
    private(set) var policies: [String: WireSetPolicy] = [:]
    /// Those of the configuration, which come back when others are unset.
    private var configuredPolicies: [String: WireSetPolicy] = [:]

    mutating func note(_ batch: SimulatedJournal.Batch) throws(Failure) {
        guard batch.time >= last else {
            throw Failure(check: "time never goes back", detail: "a commit at \(batch.time) after one at \(last)")
        }
        last = batch.time
        endedLeases.removeAll()
        wallClockLead = nil
        guard let entries = try? CommandLog.entries(in: batch.commands) else {
            throw Failure(check: "the journal can be read", detail: "\(batch.commands)")
        }
        for entry in entries {
            if entry.kind == .removedPolicy {
                changedPolicies = true
                let pattern = String(decoding: batch.commands[entry.range], as: UTF8.self)
                policies[pattern] = nil
                configuredPolicies[pattern] = nil
            }
            let range: Range<Int>
            switch entry.kind {
            case .wallClock:
                wallClockLead = try? WallClockEntry(batch.commands[entry.range]).ahead
                continue
            case .command, .configuredPolicy: range = entry.range
            case .amendedCommand:
                guard let amended = CommandLog.amended(entry, in: batch.commands) else { fallthrough }
                range = amended.command
            default: continue
            }
            guard let command = try? WireCommand(serializedBytes: Array(batch.commands[range])) else {
                throw Failure(check: "the journal can be read", detail: "\(batch.commands[range])")
            }
            switch command.command {
            case .show(let popup):
                if requests[popup.id] != nil, popup.id.hasPrefix("popup-") {
                    throw Failure(check: "no id is made twice", detail: popup.id)
                }
                if requests[popup.id] == nil { ids.append(popup.id) }
                let known = producers[popup.id]
                if known == nil { producers[popup.id] = .some(command.producer) }
                if let known, known != command.producer { producers[popup.id] = .some(nil) }
                if requests[popup.id]?.contains(popup) != true { requests[popup.id, default: []].append(popup) }
            case .update(let update): retimed.insert(update.id)
            case .lease(let lease) where lease.groups.isEmpty: endedLeases.append(lease.client)
            case .setPolicy(let policy):
                changedPolicies = true
                policies[policy.group] = policy
                if entry.kind == .configuredPolicy { configuredPolicies[policy.group] = policy }
            case .unsetPolicy(let policy):
                changedPolicies = true
                policies[policy.group] = configuredPolicies[policy.group]
            default: break
            }
        }
    }

    /// The one request there was for this id.
    func request(_ id: String) -> WirePopup? {
        guard let all = requests[id], all.count == 1 else { return nil }
        return all[0]
    }

    /// The one who asked for this popup; empty: nobody who gave a name.
    func producer(of id: String) -> String? { producers[id] ?? nil }

    /// A turn is over.
    mutating func settle() {
        retimed.removeAll()
        changedPolicies = false
    }
}

extension [String: WireSetPolicy] {
    /// The policy of a group. The exact name wins, then the pattern with most segments, then `*`.
    func policy(of group: String) -> WireSetPolicy? {
        if let own = self[group] { return own }
        var segments = group.split(separator: "/").dropLast()
        while !segments.isEmpty {
            if let above = self[segments.joined(separator: "/") + "/*"] { return above }
            segments = segments.dropLast()
        }
        return self["*"]
    }
}
