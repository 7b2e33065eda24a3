import PopupProtocol
import PopupScheduling

/// One entry of a batch, in the order of reception.
///
/// It contains only plain values: an entry is copied several times for every command, without counting references. The
/// content of rare entries is in a separate list.
struct BatchEntry {
    /// The kind of the entry, with the index of its content.
    enum Content {
        /// An ordinary `show`: its index in the batch. Its ranges refer to the bytes of the entry.
        case show(TableIndex<ShowFrame>)
        /// An ordinary `dismiss`: the index of its dismissal in the batch. The ranges of the dismissal refer to the
        /// bytes of the entry.
        case dismiss(TableIndex<Dismissal>)
        /// Any other entry: the index of its content in `others` of the batch.
        case other(TableIndex<Other>)
    }

    /// The content of an entry that is not an ordinary command.
    enum Other {
        /// An entry that changes the state: a command, which is translated when it is applied, or an entry of the
        /// broker itself.
        case state(BrokerState.Entry)
        /// A query.
        case query(WireQuery)
        /// A query that was answered while a batch was in flight.
        case answered
        /// A refused command. For a query, the refusal is the answer.
        case refused(CommandRefusal, WireQuery?)
        /// A repeated command of a call from another thread, with its earlier outcome.
        case repetition(CommandRefusal?)
        /// A repeated command of a call from another thread, of which the first one is not applied yet.
        case pendingRepetition(CommandSender)
    }

    /// The sender of an entry. Consecutive entries with equal values have the same user.
    ///
    /// The name itself is at the end of the entry's bytes.
    struct Sender: Equatable {
        private let packed: UInt64

        /// A client without a key, an embedding process, or the broker itself.
        static var withoutName: Self { Self(packed: 0) }

        private init(packed: UInt64) { self.packed = packed }

        /// Creates the sender since this change of senders.
        ///
        /// - Parameter nameBytes: The size of the user's name in bytes; at most 64.
        init(nameBytes: Int, change: UInt64) { packed = change << 8 | UInt64(UInt8(nameBytes)) }

        /// The size of the user's name in bytes, 0 without a name.
        var nameBytes: Int { Int(packed & 0xFF) }
    }

    var content: Content
    var kind: CommandKind?
    var producer: ProducerName?
    /// The range of its bytes in the log of the batch; empty if it is not committed.
    var range: Range<Int> = 0..<0
    var sender = Sender.withoutName
    /// The number of the call from another thread that waits for the outcome; `nil` if there is none.
    var call: Int?
    /// The index among the numbered commands of the batch, for the acknowledgements; `nil` if none is requested.
    @Packed var number: NumberedBatch.Index? = nil
}
