import PopupScheduling

/// The second of the clock in which something is counted that is limited per second.
struct PresentSecond {
    private var number: Milliseconds?

    /// Goes on to the second of a time.
    ///
    /// - Returns: Whether it is another one than before: then the count begins anew.
    mutating func advance(to now: Milliseconds) -> Bool {
        let second = now / 1000
        guard second != number else { return false }
        number = second
        return true
    }
}
