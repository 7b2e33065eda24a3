import PopupScheduling

/// What is to come, in order of time, then of being entered.
struct Agenda<Occasion> {
    private var entries: [(at: Milliseconds, occasion: Occasion)] = []

    /// When the first is due.
    var next: Milliseconds? { entries.last?.at }

    mutating func add(_ occasion: Occasion, at time: Milliseconds) {
        // Latest first, so that the first is taken from the end.
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].at > time { low = middle + 1 } else { high = middle }
        }
        entries.insert((time, occasion), at: low)
    }

    mutating func takeFirst(until time: Milliseconds) -> Occasion? {
        guard let last = entries.last, last.at <= time else { return nil }
        return entries.removeLast().occasion
    }
}
