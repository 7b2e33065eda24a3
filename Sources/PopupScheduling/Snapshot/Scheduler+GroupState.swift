// A group with its popups, as bytes: see `appendState`.
extension Scheduler {
    func encodeGroup(_ group: GroupRecord.Index, _ order: StateOrder, _ encoder: inout StateEncoder) {
        let record = groups[group]
        encoder.add(store[record.name])
        encoder.add(order.place(ofPolicy: record.policy))
        encoder.add(record.revision)
        encoder.add(store[record.session])
        encoder.add(record.activation)
        encoder.add(record.advances)
        encoder.add(record.gapAfterHold)
        encoder.add(record.quietSince)
        encoder.add(record.isHeld)
        encodeOwner(record.account, order, &encoder)
        for timer in [record.minimumDisplay, record.gap, record.hold, record.displayTimeout] {
            encodeTimer(timer, &encoder)
        }
        encoder.add(order.place(ofFlow: record.holder)) { $0.add($1) }
        encoder.add(capCounts[group]) { encoder, count in
            encoder.add(count.times) { $0.add($1) }
            encodeTimer(count.timer, &encoder)
        }
        encoder.add(UInt64(record.waiting + record.paused + (record.active == nil ? 0 : 1)))
        var next = record.accepted.first
        while let popup = next {
            encodePopup(popup, order, &encoder)
            next = popups.next(after: popup, Acceptances.self)
        }
    }
}
