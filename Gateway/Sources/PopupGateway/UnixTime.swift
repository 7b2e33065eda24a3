internal import Foundation

/// The wall clock, for diagnosis only: no countdown uses it.
enum UnixTime {
    /// The milliseconds since 1970-01-01T00:00:00Z.
    static var milliseconds: UInt64 { UInt64(Date().timeIntervalSince1970 * 1000) }
}
