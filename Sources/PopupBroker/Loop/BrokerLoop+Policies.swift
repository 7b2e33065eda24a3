import Logging
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Policies of the configuration: they come as commands that are committed.
extension BrokerLoop {
    /// Takes over the policies, defaults, quotas and rights of another configuration, and the time zones that were loaded
    /// with it.
    ///
    /// - Throws: `CommandRefusal` for what is invalid, or could not be committed: nothing is changed then.
    mutating func reconfigure(_ configuration: BrokerConfiguration, timeZones: LoadedTimeZones) throws {
        try drain()
        let before = admission.timeZones
        admission.timeZones = timeZones
        do {
            try reconfigure(configuration)
        } catch {
            admission.timeZones = before
            throw error
        }
    }

    private mutating func reconfigure(_ configuration: BrokerConfiguration) throws {
        // Before the plugins change: these can't throw any more once the policies are known to be good.
        for policy in configuration.policies { try admission.check(policy) }
        let changed = try admission.plugins.changed(to: configuration)
        try setPolicies(configuration.policies)
        admission.plugins = changed
        access.setRules(configuration.access)
        publisher.applyRules(of: access)
    }

    /// Puts the configuration's policies in the place of those that it set before. What producers set stays, unless the
    /// configuration has a policy for the same name or pattern. A policy that stays is set again when the system's data
    /// of its time zones has changed.
    ///
    /// - Throws: `CommandRefusal` for a policy that is invalid, or when the journal can't commit them: none is changed
    ///   then.
    mutating func setPolicies(_ policies: [WireSetPolicy]) throws {
        var wanted: [WireSetPolicy] = []
        for policy in policies {
            try admission.check(policy)
            wanted.removeAll { $0.group == policy.group }
            wanted.append(policy)
        }
        for policy in state.configuredPolicies where !wanted.contains(where: { $0.group == policy.group }) {
            let range = pipeline.gathered.log.append(.removedPolicy, Array(policy.group.utf8).span.bytes)
            pipeline.gathered.enter(.state(.removedPolicy(pattern: policy.group)), range: range)
        }
        for policy in wanted
        where !state.configuredPolicies.contains(policy)
            || admission.hasOtherTimeZones(policy, inForce: state.timeZones)
        {
            try enterTimeZones(of: policy)
            let bytes: [UInt8] = try WireCommand.with { $0.setPolicy = policy }.serializedBytes()
            let range = pipeline.gathered.log.append(.configuredPolicy, bytes.span.bytes)
            pipeline.gathered.enter(.state(.configuredPolicy(policy)), kind: .setPolicy, range: range)
        }
        if !pipeline.gathered.isEmpty, try !commit() {
            throw CommandRefusal(
                .overload, "the journal could not commit the policies; read the configuration again later")
        }
    }

    /// Enters the time zones that a policy names, as the system has them now, where the journal hasn't got them so:
    /// before a policy it has the data by which the policy goes. What is replayed reads no file.
    ///
    /// - Throws: `INVALID` for a zone that isn't there or can't be used; none is entered then.
    mutating func enterTimeZones(of policy: WireSetPolicy) throws(CommandRefusal) {
        for zone in try admission.zones(of: policy) where !pipeline.isEntered(zone, inForce: state.timeZones) {
            let range = pipeline.gathered.log.append(.timeZone, zone.journalEntry.span.bytes)
            pipeline.gathered.enter(.state(.timeZone(zone)), range: range)
            pipeline.gathered.enteredZones.enter(zone)
        }
    }
}

extension BrokerLoop {
    /// Enters the limits within which the broker is to go, unless the journal says so already. The seed of a scheduler
    /// that holds something stays what it was.
    mutating func begin(_ settings: JournaledSettings) {
        guard state.settings?.limits != settings.limits || state.settings?.producers != settings.producers else {
            return
        }
        let range = pipeline.gathered.log.append(.settings, settings.bytes.span.bytes)
        pipeline.gathered.enter(.state(.settings(settings)), range: range)
    }

    /// Tells the scheduler by the journal that the broker is there, when nothing else did for a day and quiet hours
    /// want to know. Tried each minute until it is committed.
    mutating func attend() {
        guard state.scheduler.wantsAttendance(at: now), now - attendedAt >= 60_000, let settings = state.settings else {
            return
        }
        attendedAt = now
        let range = pipeline.gathered.log.append(.settings, settings.bytes.span.bytes)
        pipeline.gathered.enter(.state(.settings(settings)), range: range)
    }
}
