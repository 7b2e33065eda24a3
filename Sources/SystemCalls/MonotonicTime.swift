/// The time that has passed since some point of the past: for measuring, not for deciding.
package enum MonotonicTime {
    /// In µs.
    package static var microseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
}
