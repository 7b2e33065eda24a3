/// A request that replaces the head of a shared log, if the head is still the one that its sender knows.
///
/// Requests can be performed late, twice or never, and the answer can be lost. A sender repeats the same request until
/// the outcome is known, and sends no other in the meantime.
public struct HeadWrite: Hashable, Sendable {
    /// The purpose of a request.
    public enum Purpose: Hashable, Sendable {
        /// The beginning of a tenure, by the holder of the claim.
        case takeOver
        /// An entry.
        case append
        /// Later time and horizon.
        case advance
        /// An entry that says a greater level.
        case raise
        /// The end of a tenure; the claim is released with it.
        case handOver
    }

    /// Its purpose.
    public let purpose: Purpose
    /// The head that is compared, as a whole.
    public let old: LogHead
    /// The head that replaces it.
    public let new: LogHead
    /// The entry that is put with the head; only with a take-over, an append or a greater level.
    public let entry: LogEntry?

    private init(_ purpose: Purpose, _ old: LogHead, _ new: LogHead, _ entry: LogEntry? = nil) {
        self.purpose = purpose
        self.old = old
        self.new = new
        self.entry = entry
    }

    /// Returns the request that begins a tenure. Its epoch is at least `epoch`, and exceeds that of the head.
    public static func takeOver(
        after old: LogHead, by owner: LogOwner, epoch: UInt64, at time: Int64, horizon: Int64
    ) -> HeadWrite {
        let entry = LogEntry(
            .takeOver, epoch: max(old.epoch + 1, epoch), index: old.index + 1, time: time, horizon: horizon,
            chain: old.chain)
        return HeadWrite(.takeOver, old, old.followed(by: entry, of: owner), entry)
    }

    /// Returns the request that appends a batch.
    public static func append(
        _ commands: [UInt8], after old: LogHead, at time: Int64, horizon: Int64
    ) -> HeadWrite {
        let entry = LogEntry(
            .batch, epoch: old.epoch, index: old.index + 1, time: time, horizon: max(horizon, old.horizon),
            chain: old.chain, commands: commands)
        return HeadWrite(.append, old, old.followed(by: entry, of: old.owner), entry)
    }

    /// Returns the request that moves time and horizon on.
    public static func advance(after old: LogHead, to time: Int64, horizon: Int64) -> HeadWrite {
        var new = old
        new.time = max(old.time, time)
        new.horizon = max(old.horizon, horizon)
        return HeadWrite(.advance, old, new)
    }

    /// Returns the request that gives the log a greater level, from its entry on.
    public static func raise(to level: UInt32, after old: LogHead, at time: Int64) -> HeadWrite {
        let entry = LogEntry(
            .level, epoch: old.epoch, index: old.index + 1, time: time, horizon: old.horizon, chain: old.chain,
            commands: LogEntry.content(ofLevel: level))
        var new = old.followed(by: entry, of: old.owner)
        new.level = level
        return HeadWrite(.raise, old, new, entry)
    }

    /// Returns the request that ends a tenure. `time` is the time until which the owner has handled timers.
    public static func handOver(after old: LogHead, at time: Int64) -> HeadWrite {
        var new = old
        new.time = max(old.time, time)
        new.horizon = new.time
        return HeadWrite(.handOver, old, new)
    }

    /// Returns the outcome that an engine's answer means.
    public func outcome(of answer: HeadAnswer) -> WriteOutcome {
        switch answer {
        case .succeeded: .committed
        // An earlier attempt was performed.
        case .refused(let head) where head == new: .committed
        // Something else than the head did not fit, such as the claim: a copy on its way may still be performed.
        case .refused(let head) where head == old: .unknown
        case .refused(let head): .overtaken(by: head)
        }
    }
}

extension LogHead {
    fileprivate func followed(by entry: LogEntry, of owner: LogOwner) -> LogHead {
        LogHead(
            level: level, epoch: entry.epoch, index: entry.index, owner: owner, time: entry.time,
            horizon: entry.horizon, chain: entry.chainAfter)
    }
}

/// The answer of an engine to a request that compares the head.
public enum HeadAnswer: Hashable, Sendable {
    /// The head was the one expected, and is replaced.
    case succeeded
    /// Nothing was changed; the head as it is.
    case refused(LogHead)
}

/// The outcome of a request that writes the head.
public enum WriteOutcome: Hashable, Sendable {
    /// It is in the log.
    case committed
    /// It is not in the log, and never will be: the log goes on with another head.
    case overtaken(by: LogHead)
    /// It may be in the log, or may still be performed. Only the same request, once more, can tell.
    case unknown
}
