/// The timer of a popup's phase, or its place in the queue: four bytes, whose meaning depends on the phase. A place is
/// a level, or a popup of a tree: then the highest bit is set.
struct TimerOrPlace: BitwiseCopyable {
    private static var treeBit: UInt32 { 1 << 31 }

    private var bits: UInt32

    /// Creates the field without a timer and a place.
    @inline(__always)
    init() { bits = Packed<TimerQueue.Index>().bits }

    /// The timer; unspecified if the field has a place.
    var timer: TimerQueue.Index? {
        @inline(__always) get { Packed(bits: bits).wrappedValue }
        @inline(__always) set { bits = Packed(wrappedValue: newValue).bits }
    }

    /// The level; `nil` if the field has no place or one in a tree; unspecified if it has a timer.
    var level: PriorityLevel.Index? {
        @inline(__always) get { bits & Self.treeBit == 0 ? PriorityLevel.Index(bits: bits) : nil }
        @inline(__always) set { bits = Packed(wrappedValue: newValue).bits }
    }

    /// The place in a tree; `nil` if the field has no place or a level; unspecified if it has a timer.
    var candidate: Candidate.Index? {
        get { hasPlace && bits & Self.treeBit != 0 ? Candidate.Index(bits: bits & ~Self.treeBit) : nil }
        set { bits = newValue.map { $0.bits | Self.treeBit } ?? Packed<Candidate.Index>().bits }
    }

    /// Whether the field has a place; unspecified if it has a timer.
    @inline(__always)
    var hasPlace: Bool { bits != Packed<Candidate.Index>().bits }
}

/// The time at which a popup became active, or its neighbours in a list of its phase: eight bytes, whose meaning
/// depends on the phase.
struct TimeOrNeighbours: BitwiseCopyable {
    /// The time; unspecified if the field has neighbours.
    var time: Milliseconds = 0

    /// The neighbours; unspecified if the field has a time.
    var neighbours: Neighbours<PopupRecord> {
        @inline(__always) get { unsafeBitCast(time, to: Neighbours<PopupRecord>.self) }
        @inline(__always) set { time = unsafeBitCast(newValue, to: Milliseconds.self) }
    }
}
