@testable import PopupScheduling

extension PopupRecord {
    /// A popup without texts, of the shared account.
    static func fixture(
        id: ByteReference = .empty, idHash: UInt32 = 0, group: Int = 0, priority: Int32 = 0, acceptance: UInt64
    ) -> PopupRecord {
        PopupRecord(
            id: id, idHash: idHash, body: .empty, keyCount: 0, surfaceCount: 0, hasProducer: false,
            account: Accounts.shared, group: GroupRecord.Index(number: group), priority: priority, duration: 0,
            interruptible: true, exclusive: .none, acceptance: acceptance)
    }
}
