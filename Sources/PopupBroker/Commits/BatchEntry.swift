import PopupProtocol
import PopupScheduling

/// One entry of a batch, in the order in which they came.
///
/// Plain bytes: an entry is passed on from hand to hand for every command, and no reference is counted for it. What the
/// rarer ones hold besides stands in a list of its own.
struct BatchEntry {
    /// What it is, with the place of what it holds.
    enum Content {
        /// An ordinary `show`: its place among the batch's requests, whose ranges refer to the entry's bytes.
        case show(Int32)
        /// An ordinary `dismiss`: its place among the batch's dismissals, whose ranges refer to the entry's bytes.
        case dismiss(Int32)
        /// Anything else: its place among the batch's `others`.
        case other(Int32)
    }

    /// What an entry holds that is no ordinary command.
    enum Other {
        /// What changes the state: a command that is translated when it is its turn, or what the broker itself enters.
        case state(BrokerState.Entry)
        /// A question.
        case query(WireQuery)
        /// A question that was answered while a batch was in flight.
        case answered
        /// What was not admitted; who asked a question is answered so.
        case refused(CommandRefusal, WireQuery?)
        /// What was settled before, for whoever called from another thread.
        case repetition(CommandRefusal?)
    }

    var content: Content
    var kind: CommandKind?
    var producer: ProducerName?
    /// Its bytes in the batch's log; empty for what isn't committed.
    var range: Range<Int> = 0..<0
    /// Whom to tell the outcome: the number of a call from another thread.
    var call: Int?
    /// Which of the batch's numbered commands it is, for the acknowledgements; `unnumbered`: none is asked for.
    var number = Self.unnumbered

    static let unnumbered: Int32 = -1
}

extension Batch {
    /// Enters what is no ordinary command.
    mutating func enter(
        _ other: BatchEntry.Other, kind: CommandKind? = nil, producer: ProducerName? = nil, range: Range<Int> = 0..<0,
        call: Int? = nil, number: Int32 = BatchEntry.unnumbered
    ) {
        entries.append(
            BatchEntry(
                content: keep(other), kind: kind, producer: producer, range: range, call: call, number: number))
    }

    /// Keeps what an ordinary `show` asks for, and returns the entry's content.
    @inline(__always)
    mutating func keep(_ request: PopupRequest) -> BatchEntry.Content {
        requests.append(request)
        return .show(Int32(truncatingIfNeeded: requests.count - 1))
    }

    /// Keeps what an ordinary `dismiss` asks for, and returns the entry's content.
    @inline(__always)
    mutating func keep(_ dismissal: Dismissal) -> BatchEntry.Content {
        dismissals.append(dismissal)
        return .dismiss(Int32(truncatingIfNeeded: dismissals.count - 1))
    }

    /// Keeps what another entry holds, and returns its content.
    mutating func keep(_ other: BatchEntry.Other) -> BatchEntry.Content {
        others.append(other)
        return .other(Int32(truncatingIfNeeded: others.count - 1))
    }

    /// What an entry of the batch holds; `nil` for an ordinary command.
    func other(_ entry: BatchEntry) -> BatchEntry.Other? {
        if case .other(let place) = entry.content { others[Int(place)] } else { nil }
    }
}
