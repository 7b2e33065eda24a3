import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// Policies of the configuration. They are committed like commands.
extension BrokerLoop {
    /// Applies the policies, defaults, quotas and rights of another configuration, and the time zones that were loaded
    /// with it, to a broker with a journal of its own.
    ///
    /// - Throws: `CommandRefusal` if something is invalid or could not be committed. Nothing is changed then.
    mutating func reconfigure(_ configuration: BrokerConfiguration, timeZones: LoadedTimeZones) throws {
        try drain()
        let before = admission.replaceTimeZones(by: timeZones)
        do {
            try reconfigure(configuration)
        } catch {
            admission.replaceTimeZones(by: before)
            throw error
        }
    }

    private mutating func reconfigure(_ configuration: BrokerConfiguration) throws {
        // The policies are checked first, since changes of the plugins cannot fail after them.
        for policy in configuration.policies { try admission.check(policy) }
        let changed = try admission.plugins(for: configuration)
        try setPolicies(configuration.policies)
        takeEffect(configuration, changed)
    }

    /// Brings the plugins and rights of a configuration into force, after its policies.
    mutating func takeEffect(_ configuration: BrokerConfiguration, _ plugins: PluginChain) {
        admission.setPlugins(plugins)
        access.setRules(configuration.access)
        publisher.applyRules(of: access, state.producers)
    }

    /// Checks that the policies of a shared configuration are within the limit in force: a higher one that the same
    /// configuration has comes into force with the next tenure.
    func checkNumber(of policies: [WireSetPolicy]) throws(CommandRefusal) {
        let (number, limit) = (Set(policies.map(\.group)).count, state.scheduler.limits.policies)
        guard number <= limit else {
            throw CommandRefusal(
                .overload,
                "\(number) policies exceed the limit in force (`limits.policies`, \(limit)); raise it, hand the log over, then "
                    + "add them"
            )
        }
    }

    /// Sets the policies of the configuration at the start. If those of a shared journal are refused, the ones that are
    /// in force stay: otherwise a mistake of the configuration would end one owner after another.
    ///
    /// - Throws: The errors of `setPolicies` with a journal of its own.
    mutating func setPoliciesOfStart(_ policies: [WireSetPolicy]) throws {
        do {
            try setPolicies(policies)
        } catch let refusal as CommandRefusal where pipeline.isShared {
            telemetry.reportRefusedPolicies(refusal)
            // The settings of the broker.
            if !pipeline.gathered.isEmpty { try commit() }
        }
    }

    /// Replaces the policies that the configuration set before. Policies of producers stay, unless the configuration
    /// has one for the same name or pattern. An unchanged policy is set again if the data of its time zones has
    /// changed.
    ///
    /// - Throws: `CommandRefusal` if a policy is invalid, or if the journal cannot commit them. No policy is changed
    ///   then, except of a shared journal that took a part of them.
    mutating func setPolicies(_ policies: [WireSetPolicy]) throws {
        for change in try admission.changes(to: policies, in: state) {
            try commitPoliciesIfFull()
            try enter(change)
        }
        if !pipeline.gathered.isEmpty { try commitPolicies() }
    }

    /// Adds a change of the policies to the batch.
    mutating func enter(_ change: PolicyChange) throws {
        switch change {
        case .removed(let pattern):
            let bytes = Array(pattern.utf8)
            pipeline.gathered.enter(.removedPolicy(pattern: pattern), as: .removedPolicy, bytes.span.bytes)
        case .set(let policy):
            let bytes: [UInt8] = try WireCommand.with { $0.setPolicy = policy }.serializedBytes()
            try enterTimeZones(of: policy, before: bytes.count)
            pipeline.gathered.enter(
                .configuredPolicy(policy), as: .configuredPolicy, bytes.span.bytes, counting: .setPolicy)
        }
    }

    /// Commits the policies so far if an entry of a shared journal has no room for more: it is smaller than all
    /// policies can be.
    private mutating func commitPoliciesIfFull() throws {
        if pipeline.isShared, pipeline.gathered.log.bytes.count >= pipeline.batchBytes { try commitPolicies() }
    }

    private mutating func commitPolicies() throws {
        guard try !commit() else { return }
        throw CommandRefusal.uncommittedPolicies
    }

    /// Adds the time zones of a policy to the batch, unless the journal contains their current data. So the journal has
    /// the data of a policy's zones before the policy, and a replay reads no files.
    ///
    /// - Parameter commandBytes: The size of the policy in the log in bytes.
    /// - Throws: `INVALID` if a zone does not exist or cannot be used; `TOO_LARGE` if no batch of the journal can hold
    ///   the policy with the zones. None is added then.
    mutating func enterTimeZones(of policy: WireSetPolicy, before commandBytes: Int) throws(CommandRefusal) {
        let zones = try admission.zones(of: policy).filter { !pipeline.isEntered($0, inForce: state.timeZones) }
        let bytes = zones.reduce(commandBytes) { $0 + $1.bytes.count }
        guard bytes <= pipeline.maxCommandBytes else {
            throw CommandRefusal(
                .tooLarge,
                "the policy has \(bytes) bytes with the data of its time zones, more than \(pipeline.maxCommandBytes); name "
                    + "fewer time zones")
        }
        for zone in zones { pipeline.gathered.enter(zone) }
    }
}
