// What is always true of what popups refer to: flows, pages, renderers.
extension Scheduler {
    /// Accounts count what is theirs, the one with most ids is at hand, and none is there for nothing.
    func brokenAccounts() -> [String] {
        var broken = accounts.isInOrder ? [] : ["the accounts are out of order"]
        var live = [Int32](repeating: 0, count: Int(accounts.capacity))
        var remembered = live
        for group in 0..<groups.capacity where groups[group].isInUse {
            for popup in roster(of: group) { live[Int(popups[popup].account)] += 1 }
        }
        closedPopups.forEach { remembered[Int($0.account)] += 1 }
        for account in 0..<accounts.capacity where accounts[account].isInUse {
            let record = accounts[account]
            if record.live != live[Int(account)] { broken.append("account \(account) counts \(record.live) popups") }
            if record.remembered != remembered[Int(account)] {
                broken.append("account \(account) counts \(record.remembered) ids")
            }
            if account != Accounts.shared, record.isEmpty { broken.append("account \(account) holds nothing") }
        }
        return broken
    }

    /// Flows know their members, and none of them waits in vain. Returns how many flows gather.
    func brokenFlows(_ broken: inout [String]) -> Int {
        var gathering = 0
        for flow in 0..<flows.capacity where flows[flow].isInUse {
            let record = flows[flow]
            let key = string(store[record.key])
            let members = members(of: flow)
            if record.gathering != nobody { gathering += 1 }
            if members.count != Int(record.live) { broken.append("flow \(key) has \(members.count) members") }
            if members.contains(where: { self.flow(of: $0) != flow }) { broken.append("flow \(key) has a stranger") }
            if record.live == 0, record.remembered == 0, groups[record.group].holder != flow {
                broken.append("flow \(key) has nothing left")
            }
            if members.count(where: { popups[$0].holdsSlot }) > 1 { broken.append("flow \(key) is shown twice") }
            if isStuck(flow) { broken.append("flow \(key) waits in vain") }
        }
        return gathering
    }

    /// Renderers know their notes, and popups count them. Returns how many leases run out by themselves.
    func brokenClients(_ broken: inout [String]) -> Int {
        var leases = 0
        var noted = 0
        for client in 0..<clients.records.capacity where clients.records[client].isInUse {
            let record = clients.records[client]
            let name = string(store[record.name])
            if record.lease != nobody { leases += 1 }
            if record.lease != nobody, !record.hasLease { broken.append("renderer \(name) loses what it has not") }
            if !record.hasLease, record.notes == nobody { broken.append("renderer \(name) has nothing left") }
            var note = record.notes
            while note != nobody {
                noted += 1
                if notes[note].client != client { broken.append("a note of \(name) is another's") }
                if !isCounted(note) { broken.append("a note of \(name) is not counted") }
                note = notes[note].nextOfClient
            }
        }
        if noted != notes.count { broken.append("\(notes.count) notes, \(noted) belong to renderers") }
        return leases
    }

    /// Whether the popup of a note says of its notes what they say.
    private func isCounted(_ note: Int32) -> Bool {
        let popup = notes[note].popup
        let record = particulars[popups[popup].particulars]
        var counts = (all: Int32(0), displays: Int32(0), views: Int32(0), dismissals: Int32(0))
        var other = record.notes
        while other != nobody {
            counts.all += 1
            if notes[other].hasDisplayed { counts.displays += 1 }
            if notes[other].isVisible { counts.views += 1 }
            if notes[other].hasDismissed { counts.dismissals += 1 }
            other = notes[other].nextOfPopup
        }
        return counts == (record.noteCount, record.displays, record.views, record.dismissals)
            && (popups[popup].isActive || counts.displays == 0)
    }
}
