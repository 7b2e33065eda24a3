internal import Foundation
public import PopupJournal
internal import SwiftProtobuf

// What operators ask of the nodes of a shard, and what the nodes say of themselves.
extension EtcdLog {
    /// Returns what operators ask of the nodes.
    public func orders() async throws(SharedLogError) -> LogOrders {
        let wanted = [keys.configuration, keys.handOver, keys.level]
        let answer = try await ask(.txn, .with { $0.success = wanted.map { .get($0) } })
        var values: [Data: [UInt8]] = [:]
        for pair in answer.responses.flatMap(\.responseRange.kvs) { values[pair.key] = Array(pair.value) }
        return LogOrders(
            configuration: values[keys.configuration].flatMap { $0 == Self.noConfiguration ? nil : $0 },
            handOver: values[keys.handOver].flatMap { Self.number($0) },
            level: values[keys.level].flatMap { Self.number($0) })
    }

    /// The value for a configuration that was removed: no text contains it. The key itself is never removed, because the
    /// numbers of its revisions would restart.
    private static let noConfiguration: [UInt8] = [0]

    /// Replaces the configuration that all nodes share; `nil`: each node goes by its own file.
    ///
    /// - Returns: Whether it is replaced. It is not if somebody else replaces it at the same time.
    public func configure(_ configuration: [UInt8]?) async throws(SharedLogError) -> Bool {
        let value = configuration ?? Self.noConfiguration
        let present = try await ask(.range, .with { $0.key = keys.configuration }).kvs.first
        let answer = try await ask(.txn, .configure(value, after: present?.modRevision ?? 0, keys))
        // An earlier attempt of this call was carried out if the value is the same.
        return answer.succeeded || answer.responses.first?.responseRange.kvs.first?.value == Data(value)
    }

    /// Asks the owner of a tenure to hand over. The request is forgotten after a time, whether it is followed or not.
    public func askToHandOver(epoch: UInt64, forgottenAfter seconds: Int) async throws(SharedLogError) {
        let lease = try await ask(.grant, .with { $0.ttl = Int64(seconds) }).id
        try await put(Data(Self.bytes(of: epoch)), at: keys.handOver, under: lease)
    }

    /// Asks the owner to give the log a greater level. The request is forgotten after a time: what was found out before it,
    /// that all nodes know the level, is true for a while only.
    public func askForLevel(_ level: UInt32, forgottenAfter seconds: Int) async throws(SharedLogError) {
        let lease = try await ask(.grant, .with { $0.ttl = Int64(seconds) }).id
        try await put(Data(Self.bytes(of: level)), at: keys.level, under: lease)
    }

    // MARK: - Nodes

    /// Returns what the nodes that run say of themselves, in the order of their names. Of one whose words cannot be read,
    /// the name is known, and no level.
    public func nodes() async throws(SharedLogError) -> [NodeRecord] {
        let answer = try await ask(
            .range,
            .with {
                $0.key = keys.nodes
                $0.rangeEnd = EtcdKeys.end(of: keys.nodes)
                $0.limit = EtcdLimits.listedNodes
            })
        return answer.kvs.map { pair in
            if let record = try? JSONDecoder().decode(NodeRecord.self, from: pair.value) { return record }
            let name = String(decoding: pair.key.dropFirst(keys.nodes.count), as: UTF8.self)
            return NodeRecord(node: name, version: "unknown", level: 0)
        }
    }

    /// Says what a node is, until nobody says so any more for some seconds.
    ///
    /// - Parameters:
    ///   - record: What the node is.
    ///   - lease: The lease under which it was said before; `nil`: this is the first time.
    /// - Returns: The lease, for the next time.
    public func announce(_ record: NodeRecord, under lease: Int64?) async throws(SharedLogError) -> Int64 {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let value = try? encoder.encode(record) else { throw .unreadable(.damaged) }
        let key = keys.node(record.node)
        if let lease, try await ask(.keepAlive, .with { $0.id = lease }).ttl > 0 {
            // An idle shard writes nothing.
            let said = try await ask(.range, .with { $0.key = key }).kvs.first
            if said?.value == value, said?.lease == lease { return lease }
            try await put(value, at: key, under: lease)
            return lease
        }
        let lease = try await ask(.grant, .with { $0.ttl = EtcdLimits.nodeSeconds }).id
        try await put(value, at: key, under: lease)
        return lease
    }

    /// Takes back what a node has said of itself: it ends.
    public func withdraw(under lease: Int64) async throws(SharedLogError) { try await revoke(lease) }

    private func put(_ value: Data, at key: Data, under lease: Int64) async throws(SharedLogError) {
        _ = try await ask(
            .put,
            .with {
                $0.key = key
                $0.value = value
                $0.lease = lease
            })
    }

    private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian, Array.init)
    }

    /// Returns the number that bytes contain; `nil` for bytes of another size.
    private static func number<Number: FixedWidthInteger>(_ bytes: [UInt8]) -> Number? {
        guard bytes.count == MemoryLayout<Number>.size else { return nil }
        return bytes.reduce(0) { $0 << 8 | Number($1) }
    }
}

/// The statement of a node about itself to operators. Nothing that is safe depends on it.
public struct NodeRecord: Hashable, Sendable, Codable {
    /// Its name.
    public var node: String
    /// The epoch of its tenure; `nil` for a standby.
    public var epoch: UInt64?
    /// The version of its program.
    public var version: String
    /// The greatest level of a log that it knows.
    public var level: UInt32
    /// Its endpoint for commands.
    public var ingress: String
    /// Its endpoint for states.
    public var egress: String
    /// The index of the last entry that it has applied; `nil` if it has not said so.
    public var index: UInt64?
    /// The checksum of the shard's configuration that it has in force; `nil`: that of its own file.
    public var configuration: UInt32?

    /// Creates a record.
    public init(
        node: String, epoch: UInt64? = nil, version: String, level: UInt32, ingress: String = "", egress: String = "",
        index: UInt64? = nil, configuration: UInt32? = nil
    ) {
        self.node = node
        self.epoch = epoch
        self.version = version
        self.level = level
        self.ingress = ingress
        self.egress = egress
        self.index = index
        self.configuration = configuration
    }
}
