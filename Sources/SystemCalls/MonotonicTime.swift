/// A clock that is never set. Its values are for measurements, and do not influence decisions.
package enum MonotonicTime {
    /// The time since an arbitrary moment, in µs.
    package static var microseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
}
