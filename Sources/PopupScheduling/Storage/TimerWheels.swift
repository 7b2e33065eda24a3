/// Wheels of 64 slots. A slot is empty, or holds the first of a ring of timers, or another wheel.
struct TimerWheels: ~Copyable {
    /// So many levels of six bits cover 64.
    static let levels = 11

    private var contents = Buffer<Int32>()
    /// Of each wheel a bit for each slot that is not empty.
    private var slotsInUse = Buffer<UInt64>()
    private var free = Buffer<Int32>()

    init() {}

    /// How many wheels are in use.
    var count: Int { slotsInUse.count - free.count }

    /// An empty wheel.
    mutating func add() -> Int32 {
        if !free.isEmpty { return free.removeLast() }
        for _ in 0..<64 { contents.append(nobody) }
        slotsInUse.append(0)
        return Int32(slotsInUse.count - 1)
    }

    /// Gives an empty wheel back.
    mutating func giveBack(_ wheel: Int32) {
        assert(!hasContent(wheel), "a wheel is given back with what it has")
        free.append(wheel)
    }

    /// What a slot holds: a timer, a wheel, or `nobody`.
    subscript(wheel: Int32, slot: Int) -> Int32 { contents[Int(wheel) << 6 | slot] }

    func wheel(in wheel: Int32, _ slot: Int) -> Int32? { Self.wheel(in: self[wheel, slot]) }

    /// The wheel that stands for what a slot holds: wheels count from -2 down.
    static func wheel(in content: Int32) -> Int32? { content < nobody ? nobody - 1 - content : nil }

    /// Puts a timer into an empty slot.
    mutating func put(_ content: Int32, _ wheel: Int32, _ slot: Int) {
        contents[Int(wheel) << 6 | slot] = content
        slotsInUse[Int(wheel)] |= 1 << UInt64(slot)
    }

    /// Puts a wheel into an empty slot.
    mutating func put(wheel inner: Int32, _ wheel: Int32, _ slot: Int) {
        put(nobody - 1 - inner, wheel, slot)
    }

    /// Lets a slot that has a timer begin with another one.
    mutating func replace(_ content: Int32, _ wheel: Int32, _ slot: Int) {
        contents[Int(wheel) << 6 | slot] = content
    }

    /// Empties a slot, and returns what it held.
    mutating func takeContent(_ wheel: Int32, _ slot: Int) -> Int32 {
        let content = self[wheel, slot]
        contents[Int(wheel) << 6 | slot] = nobody
        slotsInUse[Int(wheel)] &= ~(1 << UInt64(slot))
        return content
    }

    /// Empties a slot, and the wheels in it, each of which has one slot in use.
    mutating func clear(_ wheel: Int32, _ slot: Int) {
        var content = takeContent(wheel, slot)
        while let inner = Self.wheel(in: content) {
            content = takeContent(inner, firstSlot(of: inner))
            giveBack(inner)
        }
    }

    func hasContent(_ wheel: Int32) -> Bool { slotsInUse[Int(wheel)] != 0 }

    func hasContent(_ wheel: Int32, _ slot: Int) -> Bool { slotsInUse[Int(wheel)] & 1 << UInt64(slot) != 0 }

    func hasSeveral(_ wheel: Int32) -> Bool {
        let slots = slotsInUse[Int(wheel)]
        return slots & (slots &- 1) != 0
    }

    /// The first slot that is not empty; there must be one.
    func firstSlot(of wheel: Int32) -> Int { slotsInUse[Int(wheel)].trailingZeroBitCount }

    /// What the wheel holds, if it holds one thing.
    func onlyContent(of wheel: Int32) -> Int32? {
        hasContent(wheel) && !hasSeveral(wheel) ? self[wheel, firstSlot(of: wheel)] : nil
    }
}
