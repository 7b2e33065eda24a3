/// The version of the protocol that this module speaks.
///
/// Within a version fields and commands are only added: what an older peer doesn't know it skips, or refuses as
/// `UNSUPPORTED`.
public enum ProtocolVersion {
    /// The version: also the last part of the schema's package, `popup.v1`, and `StatsResult.protocol`.
    public static let current: UInt32 = 1
}
