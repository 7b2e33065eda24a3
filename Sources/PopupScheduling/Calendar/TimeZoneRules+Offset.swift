extension TimeZoneRules {
    /// In seconds: by how much the clocks are ahead of UTC at an instant. O(log n) in the transitions.
    public func offset(at time: Milliseconds) -> Int32 {
        let later = indexOfFirst(after: time)
        if later == transitions.count, let rule { return rule.offset(at: time) }
        return later == 0 ? initialOffset : transitions[later - 1].offset
    }

    /// The first instant after `time` at which the clocks may change; `nil`: they never do any more.
    public func nextTransition(after time: Milliseconds) -> Milliseconds? {
        let later = indexOfFirst(after: time)
        return later < transitions.count ? transitions[later].at : rule?.nextChange(after: time)
    }

    private func indexOfFirst(after time: Milliseconds) -> Int {
        var low = 0
        var high = transitions.count
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].at <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
