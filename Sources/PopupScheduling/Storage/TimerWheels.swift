/// Wheels of 64 slots. A slot is empty, or contains the first timer of a ring or another wheel.
///
/// The short functions that only read are inlined: a call would pass a copy of all fields.
struct TimerWheels: ~Copyable {
    /// The number of levels: six bits each for times of 64 bits.
    static let levels = 11

    /// A wheel.
    struct Wheel: BitwiseCopyable, Equatable {
        fileprivate var number: Int32
    }

    /// The content of a slot.
    enum Content: Equatable {
        case nothing
        /// The first timer of a ring.
        case timer(TimerQueue.Index)
        case wheel(Wheel)
    }

    private var contents = Buffer<PackedContent>()
    /// For each wheel a bit for each slot that is not empty.
    private var slotsInUse = Buffer<UInt64>()
    private var free = Buffer<Wheel>()

    init() {}

    /// The number of wheels in use.
    var count: Int { slotsInUse.count - free.count }

    /// Adds an empty wheel.
    mutating func add() -> Wheel {
        if !free.isEmpty { return free.removeLast() }
        for _ in 0..<64 { contents.append(.nothing) }
        slotsInUse.append(0)
        return Wheel(number: Int32(slotsInUse.count - 1))
    }

    /// Frees an empty wheel.
    mutating func free(_ wheel: Wheel) {
        assert(!hasContent(wheel), "a wheel is freed that has content")
        free.append(wheel)
    }

    /// The content of a slot.
    subscript(wheel: Wheel, slot: Int) -> Content {
        @inline(__always) get { contents[index(of: wheel, slot)].content }
    }

    /// Returns the wheel in a slot, if it contains one.
    @inline(__always)
    func wheel(in wheel: Wheel, _ slot: Int) -> Wheel? { contents[index(of: wheel, slot)].wheel }

    @inline(__always)
    private func index(of wheel: Wheel, _ slot: Int) -> Int { Int(wheel.number) << 6 | slot }

    /// Puts a timer into an empty slot.
    mutating func put(_ timer: TimerQueue.Index, _ wheel: Wheel, _ slot: Int) {
        put(PackedContent(timer), wheel, slot)
    }

    /// Puts a wheel into an empty slot.
    mutating func put(wheel inner: Wheel, _ wheel: Wheel, _ slot: Int) {
        put(PackedContent(inner), wheel, slot)
    }

    private mutating func put(_ content: PackedContent, _ wheel: Wheel, _ slot: Int) {
        contents[index(of: wheel, slot)] = content
        slotsInUse[Int(wheel.number)] |= 1 << UInt64(slot)
    }

    /// Whether a timer is the first one of a slot.
    @inline(__always)
    func begins(with timer: TimerQueue.Index, _ wheel: Wheel, _ slot: Int) -> Bool {
        contents[index(of: wheel, slot)] == PackedContent(timer)
    }

    /// Replaces the first timer of a slot.
    @inline(__always)
    mutating func replace(_ timer: TimerQueue.Index, _ wheel: Wheel, _ slot: Int) {
        contents[index(of: wheel, slot)] = PackedContent(timer)
    }

    /// Empties a slot, and returns its content.
    mutating func takeContent(_ wheel: Wheel, _ slot: Int) -> Content {
        let content = self[wheel, slot]
        contents[index(of: wheel, slot)] = .nothing
        slotsInUse[Int(wheel.number)] &= ~(1 << UInt64(slot))
        return content
    }

    /// Empties a slot, and frees the wheels in it, each of which has one slot in use.
    mutating func clear(_ wheel: Wheel, _ slot: Int) {
        var content = takeContent(wheel, slot)
        while case .wheel(let inner) = content {
            content = takeContent(inner, firstSlot(of: inner))
            free(inner)
        }
    }

    @inline(__always)
    func hasContent(_ wheel: Wheel) -> Bool { slotsInUse[Int(wheel.number)] != 0 }

    @inline(__always)
    func hasContent(_ wheel: Wheel, _ slot: Int) -> Bool { slotsInUse[Int(wheel.number)] & 1 << UInt64(slot) != 0 }

    @inline(__always)
    func hasSeveral(_ wheel: Wheel) -> Bool {
        let slots = slotsInUse[Int(wheel.number)]
        return slots & (slots &- 1) != 0
    }

    /// Returns the first slot that is not empty, which must exist.
    func firstSlot(of wheel: Wheel) -> Int { slotsInUse[Int(wheel.number)].trailingZeroBitCount }

    /// Returns the content of the wheel if exactly one slot is in use.
    func onlyContent(of wheel: Wheel) -> Content? {
        hasContent(wheel) && !hasSeveral(wheel) ? self[wheel, firstSlot(of: wheel)] : nil
    }
}

/// The content of a slot in four bytes: the number of a timer from 0 on, -1 for an empty slot, wheels from -2 down.
struct PackedContent: BitwiseCopyable, Equatable {
    static var nothing: PackedContent { PackedContent(bits: -1) }

    fileprivate let bits: Int32

    private init(bits: Int32) { self.bits = bits }

    init(_ timer: TimerQueue.Index) { bits = Int32(bitPattern: timer.bits) }

    init(_ wheel: TimerWheels.Wheel) { bits = -2 - wheel.number }

    var wheel: TimerWheels.Wheel? { bits < -1 ? TimerWheels.Wheel(number: -2 - bits) : nil }

    var content: TimerWheels.Content {
        if bits >= 0 { return .timer(TimerQueue.Index(bits: UInt32(bitPattern: bits))) }
        return wheel.map { .wheel($0) } ?? .nothing
    }
}
