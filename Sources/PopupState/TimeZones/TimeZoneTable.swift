import PopupProtocol
import SwiftProtobuf

/// The time zones by which policies are translated: each as it was when it was last entered.
///
/// A broker's are those of its journal, so that what is replayed goes by the same clocks on any machine.
public struct TimeZoneTable: Sendable {
    private var zones: [String: TimeZoneData] = [:]

    /// A table without zones.
    public init() {}

    /// The data of a zone.
    public subscript(name: String) -> TimeZoneData? { zones[name] }

    /// Enters a zone, in the place of the one of its name.
    public mutating func enter(_ zone: TimeZoneData) {
        zones[zone.name] = zone
    }

    /// All zones, by name.
    package var all: [TimeZoneData] { zones.values.sorted { $0.name < $1.name } }

    /// Forgets all zones.
    package mutating func removeAll() {
        if !zones.isEmpty { zones.removeAll() }
    }

    /// The first zone that a policy names and that isn't there.
    func firstMissing(for policy: WireSetPolicy) -> String? {
        policy.quiet.first { zones[$0.timeZone] == nil }?.timeZone
    }
}
