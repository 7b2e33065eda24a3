import Glibc
import Synchronization

/// A process that was started, by its id.
package final class SpawnedProcess: Sendable {
    /// How it ended.
    package enum Exit: Equatable, Sendable {
        case code(Int32)
        case signal(Int32)
    }

    package let id: Int32
    // Once it is reaped the system may give its id to another: that happens under the lock under which signals are sent.
    private let isReaped = Mutex(false)

    init(_ id: Int32) {
        self.id = id
    }

    /// Sends a signal, unless it has ended.
    package func signal(_ number: Int32) {
        isReaped.withLock { if !$0 { kill(id, number) } }
    }

    /// Blocks the thread until it has ended. Once only.
    package func waitForEnd() -> Exit {
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return isReaped.withLock { isReaped in
            var status: Int32 = 0
            waitpid(id, &status, 0)
            isReaped = true
            let signal = status & 0x7F
            return signal == 0 ? .code(status >> 8 & 0xFF) : .signal(signal)
        }
    }
}
