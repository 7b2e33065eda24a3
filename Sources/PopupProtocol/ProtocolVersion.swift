/// The version of the protocol that this module implements.
///
/// Within a version, fields and commands are only added. An older peer skips unknown fields, and refuses unknown
/// commands with `UNSUPPORTED`.
public enum ProtocolVersion {
    /// The version, which is also the last part of the schema's package `popup.v1`, and `StatsResult.protocol`.
    public static let current: UInt32 = 1
}

/// The version of the product: of the broker, its tools and its libraries.
public enum ProductVersion {
    /// The version, which is the newest one in the changelog.
    public static let current = "0.2.0"

    /// Returns what a program prints for `--version`: "popupctl 0.2.0, protocol 1".
    public static func text(of program: String) -> String {
        "\(program) \(current), protocol \(ProtocolVersion.current)"
    }
}
