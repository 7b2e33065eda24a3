public import PopupProtocol
import SwiftProtobuf

/// The place from which the data of time zones comes, by their names.
public protocol TimeZoneSource: Sendable {
    /// Returns the data of a zone as it is now.
    ///
    /// - Throws: If there is none of this name, or it cannot be used.
    func zone(named name: String) throws(UnusableTimeZone) -> TimeZoneData
}

extension TimeZoneSource {
    /// Returns the zones that a policy names, each once.
    ///
    /// - Parameters:
    ///   - policy: The policy.
    ///   - known: Zones that were had a moment ago: they are not asked for again.
    /// - Throws: `INVALID` for a zone that cannot be had, naming field and zone.
    public func zones(
        of policy: WireSetPolicy, known: TimeZoneTable = TimeZoneTable()
    ) throws(CommandRefusal) -> [TimeZoneData] {
        var zones: [TimeZoneData] = []
        for (index, window) in policy.quiet.enumerated() where !zones.contains(where: { $0.name == window.timeZone }) {
            do throws(UnusableTimeZone) {
                if let zone = known[window.timeZone] {
                    zones.append(zone)
                } else {
                    zones.append(try zone(named: window.timeZone))
                }
            } catch {
                throw CommandRefusal(.invalid, "`setPolicy.quiet[\(index)].timeZone` \(error.what)")
            }
        }
        return zones
    }
}

/// The error that no time zone can be had by a name.
public struct UnusableTimeZone: Error, Equatable, Sendable {
    /// What is wrong, as the end of a sentence that begins with the name's field.
    public var what: String

    /// Creates the error.
    public init(what: String) { self.what = what }
}
