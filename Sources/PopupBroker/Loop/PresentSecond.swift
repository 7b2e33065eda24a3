import PopupScheduling

/// The second of the clock in which something is counted that is limited per second.
struct PresentSecond {
    private var number: Milliseconds?

    /// Advances to the second of a time.
    ///
    /// - Returns: Whether the second has changed, so that counting starts again.
    mutating func advance(to now: Milliseconds) -> Bool {
        let second = now / 1000
        guard second != number else { return false }
        number = second
        return true
    }
}
