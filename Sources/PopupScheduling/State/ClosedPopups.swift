/// The ids of closed popups with how they ended, in order of closing: for telling repetitions, and for `explain`.
///
/// A ring that grows: each one keeps its number for as long as it is remembered, and the oldest is forgotten first.
struct ClosedPopups: ~Copyable {
    struct Record: BitwiseCopyable {
        var id: ByteReference
        var idHash: UInt32
        var group: Int32
        /// The flow of which it was a member, or `nobody`.
        var flow: Int32
        var reason: CloseReason
        /// Dismissed: the action. Else the id of the popup that closed it, or that it waited for, if there was one.
        var detail: ByteReference
        var at: Milliseconds
        var displayed: Milliseconds

        /// A free place of the ring.
        static let none = Record(
            id: .empty, idHash: 0, group: nobody, flow: nobody, reason: .dismissed, detail: .empty, at: 0, displayed: 0)
    }

    private var ring: Buffer<Record>
    private var firstNumber = 0
    private(set) var count = 0

    /// An empty memory that doesn't grow before it has `capacity` entries.
    init(capacity: Int = 0) {
        var size = 16
        while size < capacity { size *= 2 }
        ring = Buffer(repeating: .none, count: size)
    }

    /// The one that closed first.
    var first: Record? { count == 0 ? nil : ring[firstNumber & (ring.count - 1)] }

    /// Adds the latest and returns its handle, which is below -1: the table of ids keeps live popups' indices as they
    /// are and these beside them.
    mutating func append(_ record: Record) -> Int32 {
        if count == ring.count { grow() }
        let number = firstNumber + count
        ring[number & (ring.count - 1)] = record
        count += 1
        return Self.handle(number)
    }

    /// Forgets the first and returns the handle that it had.
    mutating func removeFirst() -> Int32 {
        let handle = Self.handle(firstNumber)
        firstNumber += 1
        count -= 1
        return handle
    }

    subscript(handle: Int32) -> Record {
        let distance = (Int(handle & Self.numberMask) - firstNumber) & Int(Self.numberMask)
        return ring[(firstNumber + distance) & (ring.count - 1)]
    }

    /// Each in order of closing.
    func forEach(_ body: (Record) -> Void) {
        for number in firstNumber..<firstNumber + count { body(ring[number & (ring.count - 1)]) }
    }

    private static let numberMask: Int32 = 1 << 30 - 1

    private static func handle(_ number: Int) -> Int32 {
        Int32(number & Int(numberMask)) | 1 << 30
    }

    static func isHandle(_ index: Int32) -> Bool { index & 1 << 30 != 0 }

    private mutating func grow() {
        var larger = Buffer<Record>(repeating: .none, count: ring.count * 2)
        for number in firstNumber..<firstNumber + count {
            larger[number & (larger.count - 1)] = ring[number & (ring.count - 1)]
        }
        swap(&ring, &larger)
    }
}
