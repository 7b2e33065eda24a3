public import PopupProtocol
public import PopupScheduling
public import PopupState
import SwiftProtobuf

extension PolicyTranslator {
    /// Returns the policy of a message of the wire or of a configuration: its preset with the fields that are set.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - source: The source of the time zones of its quiet windows.
    /// - Throws: `INVALID`, naming the field.
    public static func policy(
        _ message: WireSetPolicy, timeZones source: some TimeZoneSource = TimeZoneDirectory.system
    ) throws(CommandRefusal) -> Policy {
        try CommandValidator().validate(.with { $0.setPolicy = message })
        var zones = TimeZoneTable()
        for zone in try source.zones(of: message) { zones.enter(zone) }
        return translate(message, zones: zones)
    }
}
