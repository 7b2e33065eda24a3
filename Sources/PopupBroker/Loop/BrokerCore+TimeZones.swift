import PopupJournal
import PopupProtocol
import PopupScheduling

// Time zones go through the journal: before a policy the data by which it goes, where the journal hasn't got it as it
// is now. What is replayed reads no file.
extension BrokerCore {
    /// Enters the time zones that a policy names, as the system has them now.
    ///
    /// - Throws: `INVALID` for a zone that isn't there or can't be used; none is entered then.
    mutating func enterTimeZones(of policy: WireSetPolicy) throws(CommandRefusal) {
        let zones = try configuration.timeZones.zones(of: policy, known: readZones)
        for zone in zones { readZones.enter(zone) }
        for zone in zones where !pipeline.isEntered(zone, inForce: state.timeZones) {
            let range = pipeline.gathered.log.append(.timeZone, zone.journalEntry.span.bytes)
            pipeline.gathered.enter(.state(.timeZone(zone)), range: range)
            pipeline.gathered.enteredZones.enter(zone)
        }
    }

    /// Whether a policy that is in force would go by other clocks if it were set now. A zone that can't be read any
    /// more stays as it is.
    func hasOtherTimeZones(_ policy: WireSetPolicy) -> Bool {
        guard let zones = try? configuration.timeZones.zones(of: policy) else { return false }
        return zones.contains { state.timeZones[$0.name] != $0 }
    }
}
