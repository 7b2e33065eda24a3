package import PopupProtocol

/// The entry of the journal for a sequence whose command was refused by the admission: the producer's name (16 bytes), the
/// sequence and the digest of the command (8 bytes each, little-endian), the reason and the detail.
package struct RefusalEntry: Hashable {
    package var sender: CommandSender
    package var digest: UInt64
    package var refusal: SettledRefusal

    package init(_ sender: CommandSender, digest: UInt64, _ refusal: SettledRefusal) {
        self.sender = sender
        self.digest = digest
        self.refusal = refusal
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(sender.producer)
        bytes.appendWord(sender.sequence)
        bytes.appendWord(digest)
        bytes.append(refusal)
        return bytes
    }

    /// Decodes an entry.
    ///
    /// - Throws: `JournalContentError` if it is damaged.
    package init(bytes: ArraySlice<UInt8>) throws(JournalContentError) {
        var fields = JournalFields(bytes, of: "a refused sequence")
        let producer = try fields.producer()
        guard let sender = CommandSender(producer, try fields.word()) else { throw fields.damaged() }
        self.init(sender, digest: try fields.word(), try fields.refusal())
        guard fields.isAtEnd else { throw fields.damaged() }
    }
}
