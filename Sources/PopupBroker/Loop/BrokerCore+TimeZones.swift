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
        for zone in zones where !isEntered(zone) {
            let range = batch.log.append(.timeZone, zone.journalEntry.span.bytes)
            batch.enter(.state(.timeZone(zone)), range: range)
            batch.enteredZones.enter(zone)
        }
    }

    /// Whether the policies that come now go by this data. What a batch in flight enters, or one that is being applied,
    /// is entered again: the one may fail, the other come to it later.
    private func isEntered(_ zone: TimeZoneData) -> Bool {
        if let entered = batch.enteredZones[zone.name] { return entered == zone }
        return inFlight?.enteredZones[zone.name] == nil && completed?.batch.enteredZones[zone.name] == nil
            && state.timeZones[zone.name] == zone
    }

    /// Whether a policy that is in force would go by other clocks if it were set now. A zone that can't be read any
    /// more stays as it is.
    func hasOtherTimeZones(_ policy: WireSetPolicy) -> Bool {
        guard let zones = try? configuration.timeZones.zones(of: policy) else { return false }
        return zones.contains { state.timeZones[$0.name] != $0 }
    }
}
