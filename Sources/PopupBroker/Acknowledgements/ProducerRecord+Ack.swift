import PopupProtocol

// What an `Ack` has of a producer's record.
extension ProducerRecord {
    /// So many sequences above the first gap an acknowledgement tells of.
    static let selectiveBits: UInt64 = 256

    /// Appends the fields of an `Ack` but its epoch.
    func appendAck(to body: inout [UInt8]) {
        body.appendField(2, cumulative)
        if !ranges.isEmpty { body.appendField(3, selective[...]) }
        for refused in refusals {
            body.appendRefusal(refused.sequence, refused.refusal.reason, retryAfter: 0, refused.refusal.detail)
        }
    }

    /// Bit n, the lowest of a byte first, stands for `cumulative + 2 + n`.
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

extension [UInt8] {
    /// Appends a `Refusal` to an `Ack`.
    mutating func appendRefusal(
        _ sequence: UInt64, _ reason: WireRefused.Reason, retryAfter: UInt32, _ detail: String
    ) {
        let detail = Array(detail.utf8)
        let reason = UInt64(reason.rawValue)
        appendLength(
            4,
            ProtobufSize.field(1, sequence) + ProtobufSize.field(2, reason)
                + ProtobufSize.field(3, UInt64(retryAfter)) + ProtobufSize.field(4, count: detail.count))
        appendField(1, sequence)
        appendField(2, reason)
        appendField(3, UInt64(retryAfter))
        appendField(4, detail[...])
    }
}
