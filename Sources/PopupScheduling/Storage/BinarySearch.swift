extension Array {
    /// Returns the index of the first element for which `belongs` is true, by binary search; `count` if there is none.
    /// All elements after the first one have to belong too.
    @inlinable
    package func partitioningIndex(where belongs: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
