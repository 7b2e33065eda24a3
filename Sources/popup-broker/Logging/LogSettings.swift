import Logging
import PopupConfiguration
import Synchronization

/// What is logged and how, for all loggers of the process: a reload changes it under them.
final class LogSettings: Sendable {
    private let current: Mutex<Log>

    init(_ log: Log) {
        current = Mutex(log)
    }

    var log: Log {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
