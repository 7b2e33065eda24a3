import Foundation

/// The seeds of random scripts, in lanes that run side by side: `POPUP_SEEDS=50000` runs so many of them,
/// `POPUP_FIRST_SEED=7` begins there.
enum Seeds {
    static let lanes: UInt64 = 8
    private static let environment = ProcessInfo.processInfo.environment
    private static let first = environment["POPUP_FIRST_SEED"].flatMap(UInt64.init) ?? 1
    private static let count = environment["POPUP_SEEDS"].flatMap(UInt64.init) ?? 160

    /// - Parameter share: Of the seeds that are run unless the environment says how many, the first in so many.
    static func of(lane: UInt64, share: UInt64 = 1) -> StrideTo<UInt64> {
        let count = environment["POPUP_SEEDS"] == nil ? count / share : count
        return stride(from: first + lane, to: first + count, by: Int(lanes))
    }
}
