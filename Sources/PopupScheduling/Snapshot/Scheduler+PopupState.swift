// A live popup as bytes: see `appendState`.
extension Scheduler {
    func encodePopup(_ popup: PopupRecord.Index, _ order: StateOrder, _ encoder: inout StateEncoder) {
        let (record, rareFields) = (popups[popup], rareFields(of: popup))
        encoder.add(store[record.id])
        encoder.add(collapseKey(of: popup))
        encoder.add(surface(of: popup))
        encoder.add(content(of: popup))
        encoder.add(producer(of: popup)) { encoder, producer in
            encoder.add(producer.high)
            encoder.add(producer.low)
        }
        encoder.add(order.place(ofAccount: record.account))
        encoder.add(record.priority)
        encoder.add(record.duration)
        encoder.add(rareFields.minimumDisplay)
        encoder.add(record.interruptible)
        encoder.add(record.exclusive.rawValue)
        encoder.add(rareFields.exemptUpTo)
        encoder.add(record.holdsKey)
        encodeStage(record.stage, &encoder)
        encoder.add(record.acceptance)
        encoder.add(record.rank)
        encoder.add(turn(of: popup))
        encoder.add(record.arrivedAt)
        encoder.add(rareFields.age)
        encoder.add(record.attempt)
        encodeTimer(record.expiry, &encoder)
        encoder.add(record.used)
        encoder.add(record.clockSince == PopupRecord.stopped ? nil : record.clockSince) { $0.add($1) }
        encoder.add(record.displayed)
        encoder.add(record.sinceRevision)
        encoder.add(rareFields.early) { $0.add($1.rawValue) }
        encoder.add(rareFields.earlyFor)
        encoder.add(record.relations) { encodeRelations($1, order, &$0) }
    }

    private func encodeStage(_ stage: PopupRecord.Stage, _ encoder: inout StateEncoder) {
        switch stage {
        case .delayed(let timer):
            encoder.add(Phase.delayed.rawValue)
            encodeTimer(timer, &encoder)
        case .arriving, .waiting:
            encoder.add(Phase.waiting.rawValue)
        case .offered(let timer):
            encoder.add(Phase.offered.rawValue)
            encodeTimer(timer, &encoder)
        case .active(let since, let timer):
            encoder.add(Phase.active.rawValue)
            encoder.add(since)
            encodeTimer(timer, &encoder)
        case .paused:
            encoder.add(Phase.paused.rawValue)
        }
    }

    private func encodeRelations(_ place: RelationFields.Index, _ order: StateOrder, _ encoder: inout StateEncoder) {
        let record = relations[place]
        encoder.add(order.place(ofFlow: record.flow)) { encoder, flow in
            encoder.add(flow)
            encoder.add(record.stage)
            encoder.add(record.hold)
            encoder.add(record.requirement.rawValue)
            encoder.add(store[record.required])
            encoder.add(store[record.requiredAction])
        }
        encoder.add(order.place(ofTree: record.tree)) { encoder, tree in
            encoder.add(tree)
            encoder.add(store[record.page])
            encoder.add(record.scope.rawValue)
        }
        encoder.add(store[record.session])
        encoder.add(store[record.capKey])
        encoder.add(record.offer)
        encodeTimer(record.retry, &encoder)
        encoder.add(record.quorum)
        encoder.add(record.quorumAll)
        encoder.add(store[record.lastAction])
        encoder.add(notes.members(of: record.notes)) { encoder, note in
            encoder.add(order.place(ofClient: notes[note].client))
            encoder.add(notes[note].hasDisplayed)
            encoder.add(notes[note].isVisible)
            encoder.add(notes[note].hasDismissed)
        }
    }
}
