internal import Foundation
public import PopupJournal
internal import SwiftProtobuf

/// A shared log in etcd: each commit is one transaction that compares the whole head.
///
/// etcd's errors do not say whether a request was carried out: some come after it was. So each is an unknown outcome.
public final class EtcdLog: SharedLog {
    let settings: EtcdSettings
    let keys: EtcdKeys
    let client: any EtcdCalls
    private let entriesOfPage = PageLength(longest: EtcdLimits.entriesPerPage)
    let chunksOfPage = PageLength(longest: EtcdLimits.chunksPerPage)

    /// Creates a log, and begins to connect.
    ///
    /// - Throws: `EtcdProblem.setting` if the certificates cannot be used.
    public convenience init(_ settings: EtcdSettings) throws(EtcdProblem) {
        self.init(settings, client: try EtcdClient(settings))
    }

    /// Creates a log over a client, which tests replace.
    init(_ settings: EtcdSettings, client: any EtcdCalls) {
        self.settings = settings
        keys = EtcdKeys(shard: settings.shard)
        self.client = client
    }

    /// Ends the connections.
    public func close() { client.close() }

    /// The largest entry that is appended.
    public var maxEntryBytes: Int { EtcdLimits.entryBytes }

    /// The time for which a claim lasts without a renewal, in ms.
    public var lease: Int64 { Int64(settings.leaseSeconds) * 1000 }

    // MARK: - Head and entries

    /// Returns the head; `nil` if nobody has created the log.
    public func head() async throws(SharedLogError) -> LogHead? {
        guard let value = try await value(of: keys.head) else { return nil }
        return try readable { () throws(LogRecordError) in try LogHead(Array(value)) }
    }

    /// Returns the first entries of a range, without gaps; fewer than asked for if they are many.
    public func entries(in range: ClosedRange<UInt64>) async throws(SharedLogError) -> [LogEntry] {
        let page = try await page(
            from: keys.entry(range.lowerBound), to: keys.entry(range.upperBound) + Data([0]), entriesOfPage)
        var entries: [LogEntry] = []
        for pair in page {
            let entry = try readable { () throws(LogRecordError) in try LogEntry(Array(pair.value)) }
            guard entry.index == range.lowerBound + UInt64(entries.count) else { break }
            entries.append(entry)
        }
        return entries
    }

    /// Replaces the head if it is the expected one.
    public func write(_ write: HeadWrite) async throws(SharedLogError) -> HeadAnswer {
        let answer = try await ask(
            .txn, .write(write, claim: claimValue(of: write.new.owner), keys), deadline: settings.writeDeadline)
        if answer.succeeded { return .succeeded }
        guard let value = answer.responses.first?.responseRange.kvs.first?.value else { throw .missing }
        return .refused(try readable { () throws(LogRecordError) in try LogHead(Array(value)) })
    }

    // MARK: - The claim

    /// Claims the log if nobody does. Returns whether the claim is the caller's.
    public func claim(as owner: LogOwner) async throws(SharedLogError) -> Bool {
        // A lease is asked for only if there is something to claim.
        if let claim = try await value(of: keys.claim) { return isOwn(claim, of: owner) }
        let lease = try await ask(.grant, .with { $0.ttl = Int64(settings.leaseSeconds) }).id
        let answer = try await ask(.txn, .claim(keys.claim, claimValue(of: owner), lease: lease))
        if answer.succeeded { return true }
        let claim = answer.responses.first?.responseRange.kvs.first
        if claim?.lease != lease { try await revoke(lease) }
        return claim.map { isOwn($0.value, of: owner) } ?? false
    }

    /// Renews the claim. Returns whether it is still the caller's.
    public func renewClaim(of owner: LogOwner) async throws(SharedLogError) -> Bool {
        let answer = try await ask(.range, .with { $0.key = keys.claim })
        guard let claim = answer.kvs.first, isOwn(claim.value, of: owner) else { return false }
        guard try await ask(.keepAlive, .with { $0.id = claim.lease }).ttl > 0 else { return false }
        // A member that is cut off may renew a lease that has ended. What a majority says of the claim counts.
        return try await value(of: keys.claim).map { isOwn($0, of: owner) } ?? false
    }

    /// Ends the claim, if it is the caller's: with its lease, which nothing else is under.
    public func releaseClaim(of owner: LogOwner) async throws(SharedLogError) {
        let answer = try await ask(.range, .with { $0.key = keys.claim })
        guard let claim = answer.kvs.first, isOwn(claim.value, of: owner) else { return }
        try await revoke(claim.lease)
    }

    /// Returns what changes from now on.
    public func hints() -> AsyncStream<LogHint> {
        let (stream, continuation) = AsyncStream.makeStream(of: LogHint.self, bufferingPolicy: .bufferingNewest(256))
        let task = Task { [client, keys] in
            let request = Etcdserverpb_WatchCreateRequest.with {
                $0.key = keys.live
                $0.rangeEnd = EtcdKeys.end(of: keys.live)
                $0.fragment = true
            }
            while !Task.isCancelled {
                await client.watch(request) { answer in
                    for event in answer.events {
                        if let hint = Self.hint(of: event, keys) { continuation.yield(hint) }
                    }
                }
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Returns what an event means; `nil` for nothing, or a record that cannot be read.
    static func hint(of event: Etcdserverpb_Event, _ keys: EtcdKeys) -> LogHint? {
        switch (event.type, event.kv.key) {
        case (.delete, keys.claim): .claimEnded
        case (.put, keys.head): (try? LogHead(Array(event.kv.value))).map(LogHint.head)
        case (_, keys.configuration), (.put, keys.handOver), (.put, keys.level): .ordersChanged
        case (.put, let key) where keys.isEntry(key): (try? LogEntry(Array(event.kv.value))).map(LogHint.entry)
        default: nil
        }
    }

    func revoke(_ lease: Int64) async throws(SharedLogError) {
        _ = try await ask(.revoke, .with { $0.id = lease })
    }

    /// Returns the claim of a process: its identity, then the name of its node.
    func claimValue(of owner: LogOwner) -> [UInt8] {
        Self.bytes(of: owner) + Array(settings.node.utf8)
    }

    private func isOwn(_ claim: Data, of owner: LogOwner) -> Bool { claim.starts(with: Self.bytes(of: owner)) }

    private static func bytes(of owner: LogOwner) -> [UInt8] {
        withUnsafeBytes(of: owner.high.bigEndian, Array.init) + withUnsafeBytes(of: owner.low.bigEndian, Array.init)
    }

    // MARK: - Calls

    /// Returns the value of a key, as a majority has it; `nil` if it does not exist.
    func value(of key: Data) async throws(SharedLogError) -> Data? {
        try await ask(.range, .with { $0.key = key }).kvs.first?.value
    }

    /// Returns the first values of a range of keys, as many as the path carries in time. Like a write, a read has the time for
    /// the largest entry.
    func page(
        from key: Data, to end: Data, _ length: PageLength
    ) async throws(SharedLogError) -> [Etcdserverpb_KeyValue] {
        while true {
            let count = length.count
            let request = Etcdserverpb_RangeRequest.with {
                $0.key = key
                $0.rangeEnd = end
                $0.limit = Int64(count)
            }
            do throws(SharedLogError) {
                let page = try await ask(.range, request, deadline: settings.writeDeadline).kvs
                // A shorter one says nothing of the path.
                if page.count >= count { length.grow(after: count) }
                return page
            } catch {
                guard length.shrink(after: count) else { throw error }
            }
        }
    }

    /// Calls a method. An error means an unknown outcome, whatever it says.
    func ask<Request: SwiftProtobuf.Message, Response: SwiftProtobuf.Message>(
        _ method: EtcdMethod<Request, Response>, _ request: Request, deadline: Duration? = nil
    ) async throws(SharedLogError) -> Response {
        do {
            return try await client.call(method, request, deadline: deadline ?? settings.deadline)
        } catch {
            throw .unknown("\(error)")
        }
    }

    /// Returns a record that was read.
    func readable<Record>(_ read: () throws(LogRecordError) -> Record) throws(SharedLogError) -> Record {
        do {
            return try read()
        } catch {
            throw .unreadable(error)
        }
    }
}
