import PopupProtocol

/// What contradicts the promises, of all that was observed and told.
struct Findings {
    private let record: Observer.Record
    private let facts: Facts.Content
    private(set) var all: [String] = []

    init(_ record: Observer.Record, _ facts: Facts.Content) {
        self.record = record
        self.facts = facts
        checkPromises()
        checkStream()
        checkScreens()
        checkMadeIDs()
    }

    // MARK: What was accepted is there, and closed as it should be

    private mutating func checkPromises() {
        for id in facts.accepted.union(facts.safe).sorted() {
            let found = facts.found[id] ?? "nothing"
            let end = Ending(of: id)
            if !end.isReached(found) { all.append("\(id) should be \(end.words); the broker says: \(found)") }
        }
    }

    /// How a popup of `ProducerRole` ends.
    private struct Ending {
        let words: String

        init(of id: String) {
            let number = (id.split(separator: "-").last.flatMap { Int($0) } ?? 1) - 1
            switch number % 5 {
            case 0, 3: words = "closed dismissed"
            case 1: words = "closed timedOut 15"
            case 2: words = "closed timedOut 10"
            default: words = "closed timedOut 25"
            }
        }

        /// How long one has been displayed that was dismissed is not known here.
        func isReached(_ found: String) -> Bool {
            found == words || words == "closed dismissed" && found.hasPrefix(words + " ")
        }
    }

    // MARK: Nothing is shown after its end

    private mutating func checkStream() {
        var closed: [String: Int] = [:]
        var newest: [String: Version] = [:]
        var epoch: UInt64 = 0
        for (place, arrival) in record.arrivals.enumerated() {
            switch arrival.content {
            case .state(let state):
                if state.epoch < epoch { all.append("an epoch goes back: \(arrival)") }
                epoch = max(epoch, state.epoch)
                if state.version < newest[state.group] ?? state.version {
                    all.append("a state goes back: \(arrival)")
                }
                newest[state.group] = state.version
                if state.hasActive, let end = closed[state.active.id] {
                    all.append("shown after its end (\(record.arrivals[end])): \(arrival)")
                }
            case .event(let event):
                if case .closed? = event.event {
                    closed[event.popup] = closed[event.popup] ?? place
                } else if case .refused? = event.event {
                    continue
                } else if let end = closed[event.popup], !event.popup.isEmpty {
                    all.append("something happens after its end (\(record.arrivals[end])): \(arrival)")
                }
            case .unreadable: all.append("unreadable: \(arrival)")
            default: break
            }
        }
        ends = closed
    }

    /// Where in the record each popup was said to be closed.
    private var ends: [String: Int] = [:]

    /// What renderers had on screen: none of it as of a state that was published after the popup's end.
    private mutating func checkScreens() {
        var after: [String: [(place: Int, version: Version)]] = [:]
        for (place, arrival) in record.arrivals.enumerated() {
            if case .state(let state) = arrival.content {
                after[state.group, default: []].append((place, state.version))
            }
        }
        for shown in facts.shown {
            guard let end = ends[shown.id], let states = after[shown.group] else { continue }
            let first = states.partitioningPlace { $0.place > end }
            guard first < states.count, shown.version >= states[first].version else { continue }
            all.append("a renderer shows \(shown) after its end (\(record.arrivals[end]))")
        }
    }

    // MARK: Ids

    /// One popup, one id: each content that was sent without an id was seen under one at most, and no id with two contents.
    private mutating func checkMadeIDs() {
        var texts: [String: String] = [:]
        var ids: [String: String] = [:]
        for case .state(let state) in record.arrivals.map(\.content) where state.hasActive {
            let (id, text) = (state.active.id, state.active.text)
            if let other = texts.updateValue(text, forKey: id), other != text {
                all.append("the id \(id) is of two popups: \(other), \(text)")
            }
            if let other = ids.updateValue(id, forKey: text), other != id {
                all.append("the popup `\(text)` has two ids: \(other), \(id)")
            }
        }
    }
}

extension WireGroupState {
    fileprivate var version: Version { Version(epoch: epoch, revision: revision) }
}

extension Array {
    /// The first place from which on the condition holds.
    fileprivate func partitioningPlace(_ holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
