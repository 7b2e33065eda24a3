import Foundation
import GRPCCore
import SwiftProtobuf
import Synchronization

@testable import EtcdLog

/// An etcd in memory, whose answers are changed on their way.
final class OddEtcd: EtcdCalls {
    private struct State {
        var etcd = EtcdInMemory()
        var changes: AnswerChanges?
        var calls = 0
        /// The bytes of the last answer.
        var last: [UInt8] = []
    }

    /// The maximum number of calls. A log that makes more is assumed to go on without end.
    static let mostCalls = 500
    private let state: Mutex<State>
    /// The bytes of the longest answer that arrives in time.
    private let carries: Int

    /// Creates an empty etcd.
    ///
    /// - Parameters:
    ///   - changes: The changes of its answers; `nil`: none.
    ///   - carries: The bytes of the longest answer that arrives in time.
    init(_ changes: AnswerChanges?, carries: Int = .max) {
        state = Mutex(State(changes: changes))
        self.carries = carries
    }

    /// The number of calls so far.
    var calls: Int { state.withLock { $0.calls } }

    /// The transactions so far, in their order.
    var transactions: [Etcdserverpb_TxnRequest] { state.withLock { $0.etcd.transactions } }

    /// The keys that were put so far, in their order.
    var puts: [Data] { state.withLock { $0.etcd.puts } }

    /// Removes a key once this number of keys has been put.
    func remove(_ key: Data, afterPuts count: Int) { state.withLock { $0.etcd.removal = (key, count) } }

    func call<Request: SwiftProtobuf.Message, Response: SwiftProtobuf.Message>(
        _ method: EtcdMethod<Request, Response>, _ request: Request, deadline: Duration
    ) async throws(EtcdFailure) -> Response {
        let outcome = state.withLock { state -> AnswerChanges.Outcome in
            state.calls += 1
            guard state.calls <= Self.mostCalls else { return .failure(.unavailable, "asked too often") }
            let answer: [UInt8] = (try? state.etcd.answer(to: request).serializedBytes()) ?? []
            guard answer.count <= carries else { return .failure(.deadlineExceeded, "") }
            defer { state.last = answer }
            return state.changes?.change(answer, state.last) ?? .answer(answer)
        }
        switch outcome {
        case .failure(let code, let message): throw Self.failure(code, message)
        case .answer(let bytes):
            guard let answer = try? Response(serializedBytes: bytes) else {
                throw Self.failure(.internalError, "the answer cannot be read")
            }
            return answer
        }
    }

    func callEach<Request: SwiftProtobuf.Message, Response: SwiftProtobuf.Message>(
        _ method: EtcdMethod<Request, Response>, _ request: Request, deadline: Duration
    ) async -> [(endpoint: EtcdEndpoint, answer: Response?)] {
        [(Self.endpoint, try? await call(method, request, deadline: deadline))]
    }

    func watch(
        _ request: Etcdserverpb_WatchCreateRequest, _ body: @escaping @Sendable (Etcdserverpb_WatchResponse) -> Void
    ) async {}

    func close() {}

    private static let endpoint: EtcdEndpoint = {
        do { return try EtcdEndpoint("http://127.0.0.1:1") } catch { preconditionFailure("\(error)") }
    }()

    private static func failure(_ code: RPCError.Code, _ message: String) -> EtcdFailure {
        EtcdFailure(endpoint: endpoint, code: code, message: message)
    }
}

/// The keys and values of an etcd, as far as a log asks for them. Leases end only if they are revoked.
private struct EtcdInMemory {
    private var pairs: [Data: Etcdserverpb_KeyValue] = [:]
    private var lastLease: Int64 = 0
    /// The transactions, in their order.
    private(set) var transactions: [Etcdserverpb_TxnRequest] = []
    /// The keys that were put, in their order.
    private(set) var puts: [Data] = []
    /// The key to remove, and the number of puts after which it is removed.
    var removal: (key: Data, puts: Int)?

    /// Carries out a request, and returns the answer.
    mutating func answer(to request: any SwiftProtobuf.Message) -> any SwiftProtobuf.Message {
        switch request {
        case let request as Etcdserverpb_RangeRequest: return range(request)
        case let request as Etcdserverpb_PutRequest: return put(request)
        case let request as Etcdserverpb_DeleteRangeRequest: return delete(request)
        case let request as Etcdserverpb_TxnRequest: return transaction(request)
        case is Etcdserverpb_LeaseGrantRequest:
            lastLease += 1
            return Etcdserverpb_LeaseGrantResponse.with {
                $0.id = lastLease
                $0.ttl = 4
            }
        case let request as Etcdserverpb_LeaseKeepAliveRequest:
            return Etcdserverpb_LeaseKeepAliveResponse.with {
                $0.id = request.id
                $0.ttl = 4
            }
        case let request as Etcdserverpb_LeaseRevokeRequest:
            pairs = pairs.filter { $0.value.lease != request.id }
            return Etcdserverpb_LeaseRevokeResponse()
        default:
            return Etcdserverpb_StatusResponse.with {
                $0.version = "3.5.9"
                $0.dbSize = 20_480
                $0.dbSizeInUse = 16_384
            }
        }
    }

    private func keys(from first: Data, to end: Data) -> [Data] {
        guard !end.isEmpty else { return pairs[first] == nil ? [] : [first] }
        return pairs.keys.filter { !$0.lexicographicallyPrecedes(first) && $0.lexicographicallyPrecedes(end) }
            .sorted { $0.lexicographicallyPrecedes($1) }
    }

    private func range(_ request: Etcdserverpb_RangeRequest) -> Etcdserverpb_RangeResponse {
        let found = keys(from: request.key, to: request.rangeEnd)
        let limit = request.limit > 0 ? Int(request.limit) : found.count
        return .with {
            $0.kvs = found.prefix(limit).compactMap { pairs[$0] }
            if request.keysOnly { for place in $0.kvs.indices { $0.kvs[place].value = Data() } }
            $0.more = found.count > limit
        }
    }

    private mutating func put(_ request: Etcdserverpb_PutRequest) -> Etcdserverpb_PutResponse {
        puts.append(request.key)
        pairs[request.key] = .with {
            $0.key = request.key
            $0.modRevision = Int64(puts.count)
            $0.value = request.value
            $0.lease = request.lease
        }
        if let removal, puts.count == removal.puts { pairs[removal.key] = nil }
        return Etcdserverpb_PutResponse()
    }

    private mutating func delete(_ request: Etcdserverpb_DeleteRangeRequest) -> Etcdserverpb_DeleteRangeResponse {
        let found = keys(from: request.key, to: request.rangeEnd)
        for key in found { pairs[key] = nil }
        return .with { $0.deleted = Int64(found.count) }
    }

    private mutating func transaction(_ request: Etcdserverpb_TxnRequest) -> Etcdserverpb_TxnResponse {
        transactions.append(request)
        let isMet = request.compare.allSatisfy { holds($0) }
        var answer = Etcdserverpb_TxnResponse.with { $0.succeeded = isMet }
        for operation in isMet ? request.success : request.failure {
            var response = Etcdserverpb_ResponseOp()
            switch operation.request {
            case .requestRange(let request): response.responseRange = range(request)
            case .requestPut(let request): response.responsePut = put(request)
            case .requestDeleteRange(let request): response.responseDeleteRange = delete(request)
            case nil: break
            }
            answer.responses.append(response)
        }
        return answer
    }

    private func holds(_ condition: Etcdserverpb_Compare) -> Bool {
        let pair = pairs[condition.key]
        if condition.target == .value { return pair?.value == condition.value }
        if condition.target == .mod { return pair?.modRevision ?? 0 == condition.modRevision }
        return (condition.result == .greater) == (pair != nil)
    }
}

/// Changes of answers that a seed determines, the same on every machine.
struct AnswerChanges {
    /// The outcome of a call: an answer, changed or not, or a failure.
    enum Outcome {
        case answer([UInt8])
        case failure(RPCError.Code, String)
    }

    /// SplitMix64.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return mixed ^ mixed >> 31
        }
    }

    /// Numbers at the edges of the integer types, as protobuf encodes them.
    private static let numbers: [UInt64] = [0, 1, 1 << 31 - 1, 1 << 31, 1 << 32, 1 << 63 - 1, 1 << 63, .max]
    /// The errors of etcd and of the connection.
    private static let failures: [(RPCError.Code, String)] = [
        (.unavailable, "etcdserver: no leader"), (.deadlineExceeded, ""), (.permissionDenied, "permission denied"),
        (.invalidArgument, "user name is empty"), (.invalidArgument, "request is too large"),
        (.resourceExhausted, "database space exceeded"), (.resourceExhausted, "trying to send message larger than max"),
    ]

    private var random: Generator
    /// The interval of changes: on average, one in `interval` answers is changed.
    private let interval: Int

    /// Creates the changes of a seed.
    ///
    /// - Parameter interval: On average, one in `interval` answers is changed.
    init(seed: UInt64, interval: Int) {
        random = Generator(state: seed)
        self.interval = interval
    }

    private mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

    /// Returns the outcome of a call with this answer, when the one before had the answer `last`.
    mutating func change(_ answer: [UInt8], _ last: [UInt8]) -> Outcome {
        guard number(below: interval) == 0 else { return .answer(answer) }
        if number(below: 12) == 0 {
            let (code, message) = Self.failures[number(below: Self.failures.count)]
            return .failure(code, message)
        }
        var bytes = answer
        for _ in 0...number(below: 3) { change(&bytes, last) }
        return .answer(Array(bytes.prefix(1 << 16)))
    }

    private mutating func change(_ bytes: inout [UInt8], _ last: [UInt8]) {
        let place = number(below: bytes.count + 1)
        let end = min(bytes.count, place + 1 + number(below: 32))
        switch number(below: 9) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(number(below: 8))
        case 1 where place < bytes.count: bytes[place] = UInt8(number(below: 256))
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
        case 4: bytes.removeLast(bytes.count - place)
        case 5: bytes += bytes
        case 6: bytes = number(below: 2) == 0 ? last : bytes + last
        default:
            // The last value of a field counts.
            bytes.append(UInt8((1 + number(below: 11)) << 3))
            var value = Self.numbers[number(below: Self.numbers.count)]
            while value >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
                value >>= 7
            }
            bytes.append(UInt8(value))
        }
    }
}
