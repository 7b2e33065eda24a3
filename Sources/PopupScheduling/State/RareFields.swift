/// The fields that few popups have, so that other popups do not need memory for them.
struct RareFields: BitwiseCopyable {
    typealias Index = TableIndex<RareFields>

    /// An attempt to take the slot during the minimum display time of the active popup.
    enum Attempt: UInt8, BitwiseCopyable {
        case arrival
        case promotion
    }

    /// The minimum display time in ms.
    var minimumDisplay: UInt32 = 0
    /// The early attempt, and the number of the activation that it met.
    var early: Attempt?
    var earlyFor: UInt64 = 0
    /// The number up to which suspensions do not hold the popup back while it is active, because it is exclusive.
    var exemptUpTo: UInt64 = 0
    /// The number by which its priority had risen when it last left the queue.
    var age: Int64 = 0
    /// The rank while it waits, if it differs from its acceptance.
    var turn: Int64?

    /// Whether all fields have their defaults.
    var isEmpty: Bool {
        minimumDisplay == 0 && early == nil && earlyFor == 0 && exemptUpTo == 0 && age == 0 && turn == nil
    }
}
