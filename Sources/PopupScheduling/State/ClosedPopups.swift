/// The ids of closed popups with how they ended, in order of closing: for telling repetitions, and for `explain`.
///
/// A queue in chunks: each one keeps its number for as long as it is remembered, and the oldest is forgotten first.
struct ClosedPopups: ~Copyable {
    /// 48 bytes.
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
    }

    private static let shift = 12

    /// The chunks of 4096 in a ring, each at the place that follows from its numbers.
    private var chunks = Buffer<UnsafeMutablePointer<Record>?>(repeating: nil, count: 16)
    /// The chunk emptied last: the next to be filled.
    private var spare: UnsafeMutablePointer<Record>?
    private var firstNumber = 0
    private(set) var count = 0

    init() {}

    deinit {
        for index in 0..<chunks.count { chunks[index]?.deallocate() }
        spare?.deallocate()
    }

    /// The one that closed first.
    var first: Record? { count == 0 ? nil : place(of: firstNumber).pointee }

    /// Adds the latest and returns its handle, which is below -1: the table of ids keeps live popups' indices as they
    /// are and these beside them.
    mutating func append(_ record: Record) -> Int32 {
        let number = firstNumber + count
        if count == 0 || number & (1 << Self.shift - 1) == 0 { addChunk(for: number) }
        place(of: number).initialize(to: record)
        count += 1
        return Self.handle(number)
    }

    /// Forgets the first and returns the handle that it had.
    mutating func removeFirst() -> Int32 {
        let handle = Self.handle(firstNumber)
        firstNumber += 1
        count -= 1
        if count == 0 || firstNumber & (1 << Self.shift - 1) == 0 { removeChunk(of: firstNumber - 1) }
        return handle
    }

    subscript(handle: Int32) -> Record {
        let distance = (Int(handle & Self.numberMask) - firstNumber) & Int(Self.numberMask)
        return place(of: firstNumber + distance).pointee
    }

    /// Each in order of closing.
    func forEach(_ body: (Record) -> Void) {
        for number in firstNumber..<firstNumber + count { body(place(of: number).pointee) }
    }

    private static let numberMask: Int32 = 1 << 30 - 1

    private static func handle(_ number: Int) -> Int32 {
        Int32(number & Int(numberMask)) | 1 << 30
    }

    static func isHandle(_ index: Int32) -> Bool { index & 1 << 30 != 0 }

    private func chunkPlace(_ number: Int) -> Int { (number >> Self.shift) & (chunks.count - 1) }

    private func place(of number: Int) -> UnsafeMutablePointer<Record> {
        chunks[chunkPlace(number)].unsafelyUnwrapped + (number & (1 << Self.shift - 1))
    }

    private mutating func addChunk(for number: Int) {
        if chunks[chunkPlace(number)] != nil { grow() }
        chunks[chunkPlace(number)] = spare ?? .allocate(capacity: 1 << Self.shift)
        spare = nil
    }

    private mutating func removeChunk(of number: Int) {
        spare?.deallocate()
        spare = chunks[chunkPlace(number)]
        chunks[chunkPlace(number)] = nil
    }

    /// Gives twice as many chunks their places.
    private mutating func grow() {
        var larger = Buffer<UnsafeMutablePointer<Record>?>(repeating: nil, count: chunks.count * 2)
        let first = firstNumber >> Self.shift
        for chunk in first..<first + chunks.count {
            larger[chunk & (larger.count - 1)] = chunks[chunk & (chunks.count - 1)]
        }
        swap(&chunks, &larger)
    }
}
