/// The version of the protocol that this module implements.
///
/// Within a version, fields and commands are only added. An older peer skips unknown fields, and refuses unknown
/// commands with `UNSUPPORTED`.
public enum ProtocolVersion {
    /// The version, which is also the last part of the schema's package `popup.v1`, and `StatsResult.protocol`.
    public static let current: UInt32 = 1
}
