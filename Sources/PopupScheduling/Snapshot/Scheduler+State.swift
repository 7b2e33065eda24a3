// All that a scheduler's future depends on, as bytes: two schedulers with the same bytes give the same events from then
// on. Nothing in them depends on the order of a hash table or on where in a table a record lies; tables follow from
// names and numbers, and are left out.
extension Scheduler {
    /// Appends the whole state. O(n log n) in all that there is.
    public mutating func appendState(to bytes: inout [UInt8]) {
        let ordered = orderedGroups()
        var encoder = StateEncoder(appendingTo: bytes)
        encodeNumbers(&encoder)
        encodePolicies(&encoder)
        encoder.add(suspensions.records) { encoder, record in
            encoder.add(record.token)
            encoder.add(record.pattern)
            encoder.add(record.threshold)
            encoder.add(record.number)
        }
        encodePages(&encoder)
        encodeClients(&encoder)
        encoder.add(ordered) { encodeGroup($1, &$0) }
        encoder.add(idleGroups.waiting) { $0.add(store[groups[$1].name]) }
        encodeFlows(of: ordered, &encoder)
        encodeClosed(&encoder)
        bytes = encoder.bytes
    }

    private func encodeNumbers(_ encoder: inout StateEncoder) {
        encoder.add(now)
        encoder.add(hashSeed)
        encoder.add(generator.state)
        encoder.add(acceptances)
        encoder.add(pauses)
        encoder.add(activations)
        encoder.add(forgottenRevision)
        encoder.add(suspensions.latest)
        encoder.add(timers.settings)
        encoder.add(nextForgettingOfShowings)
    }

    private func encodePages(_ encoder: inout StateEncoder) {
        encoder.add(pages.names) { encoder, name in
            guard let place = pages.place(of: name) else { return }
            encoder.add(name)
            encoder.add(pages[place].current)
            encoder.add(pages[place].pages) { encoder, page in
                encoder.add(page.node)
                encoder.add(page.value)
                encoder.add(page.parent) { $0.add($1) }
            }
        }
    }

    private func encodeClients(_ encoder: inout StateEncoder) {
        let all = (0..<clients.records.capacity).filter { clients.records[$0].isInUse }
        let sorted = all.sorted { store[clients.records[$0].name].precedes(store[clients.records[$1].name]) }
        encoder.add(sorted) { encoder, client in
            encoder.add(store[clients.records[client].name])
            encoder.add(store[clients.records[client].patterns])
            encoder.add(clients.records[client].hasLease)
            encodeTimer(clients.records[client].lease, &encoder)
        }
    }

    private func encodeGroup(_ group: Int32, _ encoder: inout StateEncoder) {
        let record = groups[group]
        encoder.add(store[record.name])
        encoder.add(record.revision)
        encoder.add(store[record.session])
        encoder.add(record.activation)
        encoder.add(record.advances)
        encoder.add(record.gapAfterHold)
        encoder.add(record.quietSince)
        for timer in [record.minimumDisplay, record.gap, record.hold, record.displayTimeout] {
            encodeTimer(timer, &encoder)
        }
        encoder.add(record.holder == nobody ? nothing : store[flows[record.holder].key])
        encoder.add(capCounts[group]) { encoder, count in
            encoder.add(count.times) { $0.add($1) }
            encodeTimer(count.timer, &encoder)
        }
        encoder.add(roster(of: group)) { encodePopup($1, &$0) }
    }

    private func encodeFlows(of ordered: [Int32], _ encoder: inout StateEncoder) {
        let all = (0..<flows.capacity).filter { flows[$0].isInUse }
        let places = Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($0.element, $0.offset) })
        let sorted = all.sorted { first, second in
            let (mine, theirs) = (places[flows[first].group] ?? 0, places[flows[second].group] ?? 0)
            return mine != theirs ? mine < theirs : store[flows[first].key].precedes(store[flows[second].key])
        }
        encoder.add(sorted) { encoder, flow in
            encoder.add(store[groups[flows[flow].group].name])
            encoder.add(store[flows[flow].key])
            encodeTimer(flows[flow].gathering, &encoder)
            encoder.add(flows[flow].heldUntil)
        }
    }

    private func encodeClosed(_ encoder: inout StateEncoder) {
        encoder.add(closedPopups.count)
        closedPopups.forEach { record in
            encoder.add(store[record.id])
            encoder.add(store[groups[record.group].name])
            encoder.add(record.flow == nobody ? nothing : store[flows[record.flow].key])
            encoder.add(record.reason.rawValue)
            encoder.add(store[record.detail])
            encoder.add(record.at)
            encoder.add(record.displayed)
        }
    }

    /// When a timer falls due, and its place among those of one instant.
    func encodeTimer(_ timer: Int32, _ encoder: inout StateEncoder) {
        encoder.add(timer == nobody ? nil : timer) { encoder, timer in
            encoder.add(timers.due(timer))
            encoder.add(timers.order(of: timer))
        }
    }
}
