public import PopupProtocol
import SwiftProtobuf

/// A source of the data of time zones, by their names.
public protocol TimeZoneSource: Sendable {
    /// Returns the data of a zone as it is now.
    ///
    /// - Throws: `UnusableTimeZone` if no zone has this name, or its data cannot be used.
    func zone(named name: String) throws(UnusableTimeZone) -> TimeZoneData
}

extension TimeZoneSource {
    /// Returns the zones that a policy names, each once.
    ///
    /// - Parameters:
    ///   - policy: The policy.
    ///   - known: Zones whose data was read just before. They are not read again.
    /// - Throws: `INVALID` for a zone that cannot be used; the refusal names the field and the zone.
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

/// The error that a name does not lead to a usable time zone.
public struct UnusableTimeZone: Error, Equatable, Sendable {
    /// The mistake, as the end of a sentence that begins with the name of the field.
    public var what: String

    /// Creates the error.
    public init(what: String) { self.what = what }
}
