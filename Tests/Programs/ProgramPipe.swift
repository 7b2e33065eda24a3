import CSpawn
import Glibc

/// A pipe between a test and a program. Made so that a program which another thread starts at that moment doesn't inherit
/// it.
package struct ProgramPipe {
    package let readEnd: Int32
    package let writeEnd: Int32

    /// - Throws: `SystemError` when the process has no file descriptors left.
    package init() throws(SystemError) {
        var ends: [Int32] = [0, 0]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemError("cannot make a pipe", errno) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }
}
