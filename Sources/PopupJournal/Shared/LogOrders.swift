import Checksums

/// The wishes of the operators of a shared log, which its nodes read. They are not part of the log: what is safe does not
/// depend on them.
public struct LogOrders: Hashable, Sendable {
    /// The configuration that all nodes share; `nil` for none.
    public var configuration: [UInt8]?
    /// The epoch whose owner is to hand over; `nil` for none.
    public var handOver: UInt64?
    /// The level that the log is to have; `nil` for its own.
    public var level: UInt32?

    /// Creates orders.
    public init(configuration: [UInt8]? = nil, handOver: UInt64? = nil, level: UInt32? = nil) {
        self.configuration = configuration
        self.handOver = handOver
        self.level = level
    }

    /// The checksum of the configuration, by which operators tell whether a node goes by it; `nil` for none.
    public var configurationChecksum: UInt32? { configuration.map { Self.checksum(of: $0) } }

    /// Returns the checksum of a configuration.
    public static func checksum(of configuration: [UInt8]) -> UInt32 {
        configuration.withUnsafeBytes { CRC32C.checksum(of: $0) }
    }
}
