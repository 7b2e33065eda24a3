import PopupProtocol

// The fields of an `Ack` that a producer's record determines.
extension ProducerRecord {
    /// The number of sequences above the first gap that an acknowledgement covers.
    static let selectiveBits: UInt64 = 256

    /// Appends the fields of an `Ack`, except its epoch.
    func appendAck(to body: inout [UInt8]) {
        body.appendField(WireKeys.Ack.cumulative, cumulative)
        if !ranges.isEmpty { body.appendField(WireKeys.Ack.selective, selective[...]) }
        for refused in refusals {
            body.appendRefusal(refused.sequence, refused.refusal.reason, retryAfter: 0, refused.refusal.detail)
        }
    }

    /// Sets the fields of an `Ack`, except its epoch.
    func fill(_ ack: inout WireAck) {
        ack.cumulative = cumulative
        if !ranges.isEmpty { ack.set(UInt8(WireKeys.Ack.selective.number), .data(selective)) }
        ack.refusals = refusals.map {
            WireRefusal($0.sequence, $0.refusal.reason, retryAfter: 0, $0.refusal.detail)
        }
    }

    /// The bit field of sequences above the first gap. Bit n, counted from the lowest bit of each byte, stands for
    /// `cumulative + 2 + n`.
    private var selective: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(Self.selectiveBits) / 8)
        for range in ranges {
            let first = range.lowerBound - cumulative - 2
            guard first < Self.selectiveBits else { break }
            for bit in first...min(range.upperBound - cumulative - 2, Self.selectiveBits - 1) {
                bytes[Int(bit / 8)] |= 1 << UInt8(bit % 8)
            }
        }
        return bytes
    }
}

extension WireRefusal {
    init(_ sequence: UInt64, _ reason: WireRefused.Reason, retryAfter: UInt32, _ detail: String) {
        self.init()
        self.sequence = sequence
        self.reason = reason
        self.retryAfterMs = retryAfter
        self.detail = detail
    }
}

extension [UInt8] {
    /// Appends a `Refusal` to an `Ack`.
    mutating func appendRefusal(
        _ sequence: UInt64, _ reason: WireRefused.Reason, retryAfter: UInt32, _ detail: String
    ) {
        typealias Keys = WireKeys.Refusal
        let detail = Array(detail.utf8)
        let reason = UInt64(reason.rawValue)
        appendLength(
            WireKeys.Ack.refusals,
            ProtobufSize.field(Keys.sequence, sequence) + ProtobufSize.field(Keys.reason, reason)
                + ProtobufSize.field(Keys.retryAfterMs, UInt64(retryAfter))
                + ProtobufSize.field(Keys.detail, count: detail.count))
        appendField(Keys.sequence, sequence)
        appendField(Keys.reason, reason)
        appendField(Keys.retryAfterMs, UInt64(retryAfter))
        appendField(Keys.detail, detail[...])
    }
}
