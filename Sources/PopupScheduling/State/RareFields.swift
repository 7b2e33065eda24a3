/// What few popups ever get, so that the others don't carry it.
struct RareFields: BitwiseCopyable {
    typealias Index = TableIndex<RareFields>

    /// What a popup tried while the active one was still protected by its minimum display time.
    enum Attempt: UInt8, BitwiseCopyable {
        case arrival
        case promotion
    }

    /// In ms: nothing takes the slot from it earlier.
    var minimumDisplay: UInt32 = 0
    /// The try that came too early, and the activation that it came too early for.
    var early: Attempt?
    var earlyFor: UInt64 = 0
    /// Shown by being exclusive: the suspensions up to this number don't hold it back while it is active.
    var exemptUpTo: UInt64 = 0
    /// By how much its priority had risen when it last left the queue.
    var age: Int64 = 0
    /// The rank that it has whenever it waits, if that isn't its acceptance but a later number.
    var turn: Int64?

    /// Whether all are at their defaults.
    var isEmpty: Bool {
        minimumDisplay == 0 && early == nil && earlyFor == 0 && exemptUpTo == 0 && age == 0 && turn == nil
    }
}
