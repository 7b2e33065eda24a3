import PopupProtocol
import PopupScheduling
import SwiftProtobuf

extension BrokerState {
    /// Returns what a query about producers asks for, at most `limit`: a page in byte order of the names, or those whose
    /// sequences were settled last, the latest first.
    mutating func producers(_ query: WireProducersQuery, limit: Int, at now: Milliseconds) -> WireProducersResult {
        var result = WireProducersResult()
        if !query.producer.isEmpty {
            if let index = ProducerName(query.producer).flatMap({ producers.index(of: $0) }) {
                result.producers = [describe(producers[index], at: now)]
            }
            return result
        }
        let found =
            query.hasAfter
            ? producers.inOrder(after: ProducerName(query.after), limit: limit + 1) : producers.latest(limit + 1)
        for index in found.prefix(limit) { result.producers.append(describe(producers[index], at: now)) }
        result.truncated = found.count > limit
        return result
    }

    private mutating func describe(_ record: ProducerRecord, at now: Milliseconds) -> WireProducerSequences {
        let popups = scheduler.popupCount(of: ProducerID(record.producer)) ?? 0
        return .with {
            $0.producer = record.producer.description
            $0.cumulative = record.cumulative
            $0.highest = record.highest
            $0.popups = UInt32(clamping: popups)
            $0.silentMs = UInt64(clamping: now - record.settledAt)
            $0.by = record.owner
        }
    }
}
