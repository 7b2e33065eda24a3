/// The timer of a popup's stage, or its level in the queue: four bytes, whose meaning depends on the stage.
struct TimerOrLevel: BitwiseCopyable {
    private var bits: UInt32

    /// Creates the field without a timer and a level.
    @inline(__always)
    init() { bits = Packed<TimerQueue.Index>().bits }

    /// The timer; unspecified if the field has a level.
    var timer: TimerQueue.Index? {
        @inline(__always) get { Packed(bits: bits).wrappedValue }
        @inline(__always) set { bits = Packed(wrappedValue: newValue).bits }
    }

    /// The level; unspecified if the field has a timer.
    var level: PriorityLevel.Index? {
        @inline(__always) get { Packed(bits: bits).wrappedValue }
        @inline(__always) set { bits = Packed(wrappedValue: newValue).bits }
    }
}

/// The time at which a popup became active, or its neighbours in a list of its stage: eight bytes, whose meaning
/// depends on the stage.
struct TimeOrNeighbours: BitwiseCopyable {
    /// The time; unspecified if the field has neighbours.
    var time: Milliseconds = 0

    /// The neighbours; unspecified if the field has a time.
    var neighbours: Neighbours<PopupRecord> {
        @inline(__always) get { unsafeBitCast(time, to: Neighbours<PopupRecord>.self) }
        @inline(__always) set { time = unsafeBitCast(newValue, to: Milliseconds.self) }
    }
}
