/// The time for which the threads of the process have used processors.
package enum ProcessorTime {
    /// The time since the start of the process, of all threads together, in µs.
    package static var microseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }
}
