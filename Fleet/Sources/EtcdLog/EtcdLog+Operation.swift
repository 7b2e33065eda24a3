internal import GRPCCore
public import PopupJournal
internal import SwiftProtobuf

// The calls of operators on a log, and the checks of a node before it begins.
extension EtcdLog {
    /// The status of a member of etcd, as it reports it.
    public struct Status: Hashable, Sendable {
        /// Its version.
        public var version: String
        /// The size of its file, in bytes.
        public var byteCount: Int64
        /// The bytes of its database that are in use.
        public var usedByteCount: Int64
        /// The problems that it reports.
        public var problems: [String]

        fileprivate init(_ answer: Etcdserverpb_StatusResponse) {
            version = answer.version
            byteCount = answer.dbSize
            usedByteCount = answer.dbSizeInUse
            problems = answer.errors
        }
    }

    /// Returns what each member says of itself, in the order of the endpoints; `nil` for one that does not answer.
    public func statusOfMembers() async -> [(endpoint: EtcdEndpoint, status: Status?)] {
        await client.callEach(.status, .init(), deadline: settings.deadline).map {
            ($0.endpoint, $0.answer.map(Status.init))
        }
    }

    /// Checks that etcd can keep the log: that it answers, is new enough, grants the rights, and takes the largest entry.
    ///
    /// - Parameter isCreated: Whether the log has to be there.
    public func check(isCreated: Bool = true) async throws(EtcdProblem) {
        let version = try await require(.status, .init()).version
        guard EtcdLimits.isEnough(version) else {
            // A sentence for operators contains it: it must be one short word.
            throw .tooOld(String(version.unicodeScalars.filter { (0x21...0x7E).contains($0.value) }.prefix(32)))
        }
        let head = try await require(.range, .with { $0.key = keys.head }).kvs.first
        _ = try await require(.txn, .probe(keys), deadline: settings.writeDeadline)
        guard isCreated else { return }
        guard let head else { throw .missing(settings.shard) }
        do {
            _ = try LogHead(Array(head.value))
        } catch {
            throw .unreadable(error.description)
        }
    }

    /// Returns why a request for the log had no outcome, as far as reading the head shows; `nil`: the head is read now.
    public func problem() async -> EtcdProblem? {
        do {
            _ = try await require(.range, .with { $0.key = keys.head })
            return nil
        } catch {
            return error
        }
    }

    /// Creates the log, unless there is one. Brokers never do: an etcd that was set up anew must not blank every screen.
    ///
    /// - Parameters:
    ///   - wall: The wall clock, in ms: the first epoch exceeds those of a log that was there before.
    ///   - time: The time of the log, in ms.
    public func create(wall: UInt64, time: Int64) async throws(EtcdProblem) {
        let head = LogHead(
            level: 1, epoch: wall, index: 0, owner: LogOwner(high: 0, low: 0), time: time, horizon: time, chain: 0)
        let answer = try await require(
            .txn,
            .with {
                $0.compare = [.isAbsent(keys.head)]
                $0.success = [.put(keys.head, head.bytes)]
                $0.failure = [.get(keys.head)]
            }, deadline: settings.writeDeadline)
        // An earlier attempt of this call was carried out if the head is the same.
        guard answer.succeeded || answer.responses.first?.responseRange.kvs.first.map({ Array($0.value) }) == head.bytes
        else { throw .exists(settings.shard) }
    }

    /// Creates the log with a state of another journal, unless there is a log: first its chunks, then head and manifest
    /// together. What a killed process leaves is removed when nodes remove old snapshots.
    ///
    /// - Parameter maker: Random, of this process only.
    public func create(from snapshot: LogSnapshot, by maker: LogOwner) async throws(EtcdProblem) {
        guard try await require(.range, .with { $0.key = keys.head }).kvs.isEmpty else {
            throw .exists(settings.shard)
        }
        let manifest: SnapshotManifest?
        do {
            manifest = try await writeChunks(of: snapshot, by: maker, while: [.isAbsent(keys.head)])
        } catch {
            throw .absent(error.description)
        }
        guard let manifest else { throw .exists(settings.shard) }
        let head = LogHead(
            level: 1, epoch: snapshot.epoch, index: snapshot.index, owner: LogOwner(high: 0, low: 0),
            time: snapshot.time, horizon: snapshot.time, chain: snapshot.chain)
        let answer = try await require(
            .txn,
            .with {
                $0.compare = [.isAbsent(keys.head)]
                $0.success = [.put(keys.head, head.bytes), .put(keys.manifest(snapshot.index), manifest.bytes)]
                $0.failure = [.get(keys.head)]
            }, deadline: settings.writeDeadline)
        guard answer.succeeded || answer.responses.first?.responseRange.kvs.first.map({ Array($0.value) }) == head.bytes
        else { throw .exists(settings.shard) }
    }

    /// Returns the name of the node that claims the log; `nil` if none does.
    public func claimant() async throws(EtcdProblem) -> String? {
        try await require(.range, .with { $0.key = keys.claim }).kvs.first.map {
            String(decoding: $0.value.dropFirst(16), as: UTF8.self)
        }
    }

    private func require<Request: Message, Response: Message>(
        _ method: EtcdMethod<Request, Response>, _ request: Request, deadline: Duration? = nil
    ) async throws(EtcdProblem) -> Response {
        do {
            return try await client.call(method, request, deadline: deadline ?? settings.deadline)
        } catch {
            switch error.code {
            case .permissionDenied: throw .forbidden(keys.prefix)
            // No user: the certificate is not one's, or there is none.
            case .invalidArgument where error.message.contains("user name is empty"): throw .forbidden(keys.prefix)
            case .unauthenticated: throw .forbidden(keys.prefix)
            case .invalidArgument where error.message.contains("too large"): throw .tooSmall(EtcdLimits.entryBytes)
            case .resourceExhausted where error.message.contains("space"): throw .full
            case .resourceExhausted: throw .tooSmall(EtcdLimits.entryBytes)
            default: throw .absent(error.description)
            }
        }
    }
}
