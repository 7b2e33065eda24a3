/// The claim to own the log, as far as a node knows it: whether it has the claim, and when it may ask for it.
///
/// It counts when a request began, not when its answer came: the answer says nothing about the time in between.
struct OwnClaim {
    /// The times at which two requests began whose answers showed the own claim: the latest one, and the first one since
    /// the node has it. `nil`: it does not have it.
    private(set) var held: (asked: Int64, since: Int64)?
    /// Whether it may be the node's: it was asked for, and nothing has said since that it is not.
    private(set) var mayBeHeld = false
    /// The time at which it was asked for last.
    private var lastAsked: Int64?
    /// The time at which the claim of another node was seen to end; `nil` when it was asked for since, or another has it.
    private var endSeen: Int64?
    /// The time at which the node gave it up, since it could not use it; `nil`: it has not.
    private var givenUp: Int64?

    /// Returns whether a standby is to ask for it.
    ///
    /// - Parameters:
    ///   - boot: The present time.
    ///   - rank: The node's rank. Those of lower rank are first.
    ///   - timing: The durations that the node goes by.
    func isDue(at boot: Int64, rank: Int64, _ timing: FleetTiming) -> Bool {
        // First the others, to whom its end is a hint.
        if let givenUp, boot - givenUp < timing.polling { return false }
        if let endSeen { return boot - endSeen >= rank * timing.rankDelay }
        return lastAsked.map { boot - $0 >= timing.polling + rank * timing.rankDelay } ?? true
    }

    /// Returns whether an owner without it is to ask for it again.
    func isDueAgain(at boot: Int64, _ timing: FleetTiming) -> Bool {
        held == nil && lastAsked.map { boot - $0 >= timing.renewal } ?? true
    }

    /// Returns whether a node that has it is to renew it.
    func isRenewalDue(at boot: Int64, _ timing: FleetTiming) -> Bool {
        held.map { boot - $0.asked >= timing.renewal } ?? false
    }

    /// Records that it is asked for.
    mutating func ask(at boot: Int64) {
        lastAsked = boot
        endSeen = nil
        mayBeHeld = true
    }

    /// Records what an answer showed whose request began at a time.
    mutating func receive(isOwn: Bool, asked boot: Int64) {
        mayBeHeld = isOwn
        if isOwn {
            held = (boot, held?.since ?? boot)
        } else {
            held = nil
            endSeen = nil
        }
    }

    /// Records that the claim of another node was seen to end.
    mutating func recordEnd(at boot: Int64) { endSeen = endSeen ?? boot }

    /// Records that it is given up, so that another node may have it.
    mutating func giveUp(at boot: Int64) { givenUp = boot }

    /// Records that nothing more can be known of it: it ends by itself.
    mutating func forget() { mayBeHeld = false }
}
