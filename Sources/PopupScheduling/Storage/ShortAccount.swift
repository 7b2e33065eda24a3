/// An optional account in two bytes, for records of which there are millions. There are at most `Accounts.maxCount`
/// accounts, so that no index is higher.
struct ShortAccount: BitwiseCopyable {
    private let bits: UInt16

    @inline(__always)
    init(_ account: AccountRecord.Index?) { bits = account.map { UInt16($0.number) } ?? .max }

    @inline(__always)
    var accountIfAny: AccountRecord.Index? { bits == .max ? nil : AccountRecord.Index(number: Int(bits)) }

    /// The account, which must exist.
    @inline(__always)
    var account: AccountRecord.Index {
        assert(bits != .max, "a record of no account")
        return AccountRecord.Index(number: Int(bits))
    }
}
