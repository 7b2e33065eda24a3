/// What a timer does when it falls due.
enum TimerKind: UInt8, BitwiseCopyable {
    /// The popup's delay is over.
    case arrival
    /// The flow's members have gathered.
    case gathering
    /// The popup was not first shown in time.
    case expiry
    /// No renderer answered the popup's offer.
    case offer
    /// The popup may be offered again.
    case retry
    /// The popup's display time is over.
    case display
    /// The group's active popup is no longer protected.
    case minimumDisplay
    /// No renderer displayed the group's active popup in time.
    case displayTimeout
    /// The flow keeps the group's slot no longer.
    case hold
    /// The group's gap is over.
    case gap
    /// A cap of the group allows one more.
    case cap
    /// A quiet window of the policy may begin or end.
    case quiet
    /// The renderer's lease is over.
    case lease
}

/// A timer that falls due.
struct DueTimer {
    var due: Milliseconds
    var kind: TimerKind
    /// The handle that it had.
    var timer: Int32
    /// The popup, group, flow, policy or renderer that it belongs to.
    var owner: Int32
}

/// All timers in the order in which they fall due; those of one instant in the order in which they were set.
///
/// A 4-ary heap with a record a timer that knows its place in it, so that a timer can be cancelled: set, cancel and
/// take the first are O(log n), and looking at the first O(1).
struct TimerQueue: ~Copyable {
    struct Place: BitwiseCopyable {
        var due: Milliseconds
        var order: UInt64
        var timer: Int32

        func precedes(_ other: Place) -> Bool {
            due != other.due ? due < other.due : order < other.order
        }
    }

    struct Timer: BitwiseCopyable {
        var position: Int32
        var owner: Int32
        var kind: TimerKind
    }

    private var heap: Buffer<Place>
    private var timers = Slab<Timer>()
    /// How many were ever set.
    private(set) var settings: UInt64 = 0

    init() {
        heap = Buffer()
    }

    /// One to which timers are restored that were set before, of `settings` that ever were.
    init(settings: UInt64, capacity: Int) {
        heap = Buffer(minimumCapacity: max(16, capacity))
        self.settings = settings
    }

    var count: Int { heap.count }

    /// When the first falls due.
    var nextDue: Milliseconds? { heap.isEmpty ? nil : heap[0].due }

    /// Sets a timer and returns the handle that cancels it.
    mutating func set(_ kind: TimerKind, of owner: Int32, due: Milliseconds) -> Int32 {
        let timer = timers.insert(Timer(position: Int32(heap.count), owner: owner, kind: kind))
        settings += 1
        heap.append(Place(due: due, order: settings, timer: timer))
        rise(heap.count - 1)
        return timer
    }

    /// Takes over a timer with the place that it had among those due at one instant. Until `arrange` the others neither
    /// fire nor can they be cancelled.
    mutating func restore(_ kind: TimerKind, of owner: Int32, due: Milliseconds, order: UInt64) -> Int32 {
        let timer = timers.insert(Timer(position: Int32(heap.count), owner: owner, kind: kind))
        heap.append(Place(due: due, order: order, timer: timer))
        return timer
    }

    /// Puts restored timers in order. O(n).
    mutating func arrange() {
        for position in stride(from: (heap.count - 2) / 4, through: 0, by: -1) where heap.count > 1 { sink(position) }
    }

    /// Cancels a timer that is set; nothing for `nobody`.
    mutating func cancel(_ timer: Int32) {
        guard timer != nobody else { return }
        remove(at: Int(timers[timer].position))
    }

    /// Takes the first timer if it is due at or before `now`.
    mutating func takeFirst(until now: Milliseconds) -> DueTimer? {
        guard !heap.isEmpty, heap[0].due <= now else { return nil }
        let first = heap[0]
        let timer = timers[first.timer]
        remove(at: 0)
        return DueTimer(due: first.due, kind: timer.kind, timer: first.timer, owner: timer.owner)
    }

    /// When a timer that is set falls due.
    func due(_ timer: Int32) -> Milliseconds {
        heap[Int(timers[timer].position)].due
    }

    /// The place of a timer that is set among those due at one instant.
    func order(of timer: Int32) -> UInt64 {
        heap[Int(timers[timer].position)].order
    }

    /// Whether the heap is in order and each timer knows its place.
    var isInOrder: Bool {
        (0..<heap.count).allSatisfy { position in
            (position == 0 || !heap[position].precedes(heap[(position - 1) / 4]))
                && timers[heap[position].timer].position == Int32(position)
        }
    }

    private mutating func remove(at position: Int) {
        timers.remove(heap[position].timer)
        let last = heap.removeLast()
        guard position < heap.count else { return }
        heap[position] = last
        timers[last.timer].position = Int32(position)
        sink(position)
        rise(position)
    }

    private mutating func rise(_ start: Int) {
        var position = start
        let moving = heap[position]
        while position > 0 {
            let parent = (position - 1) / 4
            guard moving.precedes(heap[parent]) else { break }
            put(heap[parent], at: position)
            position = parent
        }
        put(moving, at: position)
    }

    private mutating func sink(_ start: Int) {
        var position = start
        let moving = heap[position]
        while true {
            let firstChild = position * 4 + 1
            guard firstChild < heap.count else { break }
            var best = firstChild
            for child in (firstChild + 1)..<max(firstChild + 1, min(firstChild + 4, heap.count))
            where heap[child].precedes(heap[best]) {
                best = child
            }
            guard heap[best].precedes(moving) else { break }
            put(heap[best], at: position)
            position = best
        }
        put(moving, at: position)
    }

    private mutating func put(_ place: Place, at position: Int) {
        heap[position] = place
        timers[place.timer].position = Int32(position)
    }
}
