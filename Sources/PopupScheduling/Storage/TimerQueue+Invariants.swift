// What is always true of the timers.
extension TimerQueue {
    /// Whether each timer is in the slot where it belongs, in its order, the first at the hand, and no wheel is lost.
    var isInOrder: Bool {
        guard count > 0 else { return levelsInUse == 0 && wheels.count == TimerWheels.levels }
        var found = (timers: 0, wheels: TimerWheels.levels)
        for level in 0..<TimerWheels.levels {
            let isInUse = levelsInUse & 1 << UInt16(level) != 0
            guard isInUse == wheels.hasContent(around[level]) else { return false }
            let begin = Self.begin(of: hand, above: level)
            guard isInOrder(around[level], on: level, begin, &found) else { return false }
        }
        return found == (count, wheels.count) && wheels.hasContent(around[0], Self.slot(of: hand, on: 0))
    }

    private func isInOrder(
        _ wheel: TimerWheels.Wheel, on level: Int, _ wheelBegin: UInt64, _ found: inout (timers: Int, wheels: Int)
    ) -> Bool {
        for slot in 0..<64 {
            let content = wheels[wheel, slot]
            guard wheels.hasContent(wheel, slot) == (content != .nothing) else { return false }
            let begin = wheelBegin | UInt64(slot) << UInt64(6 * level)
            switch content {
            case .wheel(let inner):
                found.wheels += 1
                guard wheels.hasContent(inner), isInOrder(inner, on: level - 1, begin, &found) else { return false }
            case .timer(let first):
                guard isInOrder(ring: first, on: level, begin, &found.timers) else { return false }
            case .nothing: break
            }
        }
        return true
    }

    /// The timers of a ring are due in its slot and not before the hand, and each was set after the one before it.
    private func isInOrder(ring first: Index, on level: Int, _ begin: UInt64, _ count: inout Int) -> Bool {
        var timer = first
        repeat {
            count += 1
            let (key, next) = (Self.key(of: timers[timer].due), timers[timer].next)
            guard key >= hand, key >> UInt64(6 * level) == begin >> UInt64(6 * level), timers[next].previous == timer,
                next == first || timers[next].order > timers[timer].order
            else { return false }
            timer = next
        } while timer != first
        return true
    }
}
