import Logging
import PopupConfiguration
import Synchronization

/// The level and format of the log, for all loggers of the process. A reload changes them.
///
/// They are atomic, not locked, so that a disabled log statement costs nothing.
final class LogSettings: Sendable {
    private let levelIndex: Atomic<Int>
    private let isJSON: Atomic<Bool>

    init(_ log: Log) {
        levelIndex = Atomic(Self.index(of: log.level))
        isJSON = Atomic(log.format == .json)
    }

    var level: Logger.Level { Logger.Level.allCases[levelIndex.load(ordering: .relaxed)] }

    var format: Log.Format { isJSON.load(ordering: .relaxed) ? .json : .text }

    func change(to log: Log) {
        levelIndex.store(Self.index(of: log.level), ordering: .relaxed)
        isJSON.store(log.format == .json, ordering: .relaxed)
    }

    private static func index(of level: Logger.Level) -> Int {
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }
}
