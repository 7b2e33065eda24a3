import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// The time zones for the translation of policies: for each name, the data that was entered last.
///
/// A broker uses those of its journal, so that a replay has the same result on any machine.
public struct TimeZoneTable: Sendable {
    private var zones: [String: TimeZoneData] = [:]

    /// Creates an empty table.
    public init() {}

    /// The data of a zone; `nil` if the table does not contain it.
    public subscript(name: String) -> TimeZoneData? { zones[name] }

    /// Adds a zone. Replaces the one with the same name.
    public mutating func enter(_ zone: TimeZoneData) {
        zones[zone.name] = zone
    }

    /// All zones, by name.
    package var all: [TimeZoneData] { zones.values.sorted { $0.name < $1.name } }

    /// Returns the first name of a zone with these rules; `nil` if the table contains none.
    func name(of rules: TimeZoneRules) -> String? { zones.values.lazy.filter { $0.rules == rules }.map(\.name).min() }

    /// Removes all zones.
    package mutating func removeAll() {
        if !zones.isEmpty { zones.removeAll() }
    }

    /// Returns the first zone of a policy that the table does not contain; `nil` if it contains all.
    func firstMissing(for policy: WireSetPolicy) -> String? {
        policy.quiet.first { zones[$0.timeZone] == nil }?.timeZone
    }
}
