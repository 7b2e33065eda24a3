package import PopupProtocol
import PopupScheduling
import SwiftProtobuf

extension BrokerState {
    /// The maximum number of policies in an answer.
    static let policiesOfAnswer = 100

    /// Returns the policies in force that a query asks for, each with where it comes from and every field.
    package func policies(_ query: WirePoliciesQuery) -> WirePoliciesResult {
        var result = WirePoliciesResult()
        if !query.group.isEmpty {
            let entry = scheduler.policy(inForceFor: Array(query.group.utf8).span.bytes)
            result.policies = [describe(entry, configuredPolicies.first { $0.group == entry.pattern })]
            return result
        }
        let found = scheduler.policies(after: Array(query.after.utf8), limit: Self.policiesOfAnswer + 1)
        let configured = Dictionary(uniqueKeysWithValues: configuredPolicies.map { ($0.group, $0) })
        for entry in found.prefix(Self.policiesOfAnswer) {
            result.policies.append(describe(entry, configured[entry.pattern]))
        }
        result.truncated = found.count > Self.policiesOfAnswer
        return result
    }

    private func describe(_ entry: Scheduler.PolicyEntry, _ configured: WireSetPolicy?) -> WirePolicyInForce {
        var result = WirePolicyInForce()
        result.policy = PolicyDescription.describe(entry.policy, of: entry.pattern, zones: timeZones)
        result.source = entry.isSet ? .client : .default
        if let configured, entry.isSet, PolicyTranslator.translate(configured, zones: timeZones) == entry.policy {
            result.source = .configuration
            // Its time zones by the names that the configuration uses.
            for index in result.policy.quiet.indices where configured.quiet.count == result.policy.quiet.count {
                result.policy.quiet[index].timeZone = configured.quiet[index].timeZone
            }
        }
        return result
    }
}
