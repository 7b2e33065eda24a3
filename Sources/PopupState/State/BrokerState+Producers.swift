import PopupProtocol
import PopupScheduling
import SwiftProtobuf

extension BrokerState {
    /// Returns what a query about producers asks for, the one whose sequence was settled last first.
    mutating func producers(_ query: WireProducersQuery, limit: Int, at now: Milliseconds) -> WireProducersResult {
        var result = WireProducersResult()
        if !query.producer.isEmpty {
            if let index = ProducerName(query.producer).flatMap({ producers.index(of: $0) }) {
                result.producers = [describe(producers[index], at: now)]
            }
            return result
        }
        for index in producers.latest(limit + 1) {
            guard result.producers.count < limit else {
                result.truncated = true
                break
            }
            result.producers.append(describe(producers[index], at: now))
        }
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
