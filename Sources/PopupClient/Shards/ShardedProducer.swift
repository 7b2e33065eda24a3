import PopupProtocol
@_spi(Wire) public import PopupValues

/// A producer for several shards: each popup goes to the shard of its group.
///
/// Each shard has a connection of its own, with a producer name, acknowledgements and an outbox. Commands without a group
/// go to the shard that the application names: see `producer(named:)`. The commands for several shards are not atomic
/// together, and have no order among them.
public struct ShardedProducer: Sendable {
    /// The directory of the shards.
    public let directory: ShardDirectory
    private let producers: [String: Producer]

    /// Creates a producer with a connection to each shard.
    ///
    /// - Parameters:
    ///   - directory: The directory of the shards.
    ///   - delivery: The condition for which a call waits.
    ///   - outbox: The beginning of the paths of the outbox files: that of the shard `east` is at `OUTBOX-east`. What a file
    ///     holds stays with its shard, also if the directory names another one for the group now. `nil`: no outboxes.
    ///   - limits: The limits of queues and waiting times of each connection.
    /// - Throws: The errors of `BrokerConnection.init`.
    public init(
        _ directory: ShardDirectory, delivery: Delivery = .confirmed, outbox: String? = nil,
        limits: ClientLimits = ClientLimits()
    ) throws(ClientError) {
        self.directory = directory
        var producers: [String: Producer] = [:]
        for (name, endpoints) in directory.shards.sorted(by: { $0.key < $1.key }) {
            producers[name] = try Producer(
                endpoints, delivery: delivery, outbox: outbox.map { "\($0)-\(name)" }, limits: limits)
        }
        self.producers = producers
    }

    /// Returns the producer of a shard, for commands without a group.
    ///
    /// - Throws: `ShardDirectoryError` if there is no shard of this name.
    public func producer(named shard: String) throws(ShardDirectoryError) -> Producer {
        _ = try directory.endpoints(of: shard)
        return producer(of: shard)
    }

    /// Returns the producer of the shard of a group.
    public func producer(for group: String) -> Producer {
        producer(of: directory.shard(of: group))
    }

    private func producer(of shard: String) -> Producer {
        guard let producer = producers[shard] else { preconditionFailure("no producer of a shard of the directory") }
        return producer
    }

    /// Waits until all shards can receive commands.
    ///
    /// - Throws: The errors of `BrokerConnection.connected`, that of the first shard that cannot be reached.
    public func connected(timeout: Duration = .seconds(5)) async throws {
        try await forEachShard { try await $0.connected(timeout: timeout) }
    }

    /// Asks the shard of the popup's group for the popup. See `Producer.show`.
    ///
    /// - Throws: The errors of `BrokerConnection.send`.
    /// - Returns: Its id; made here if it has none. Ids are unique within a shard.
    @discardableResult
    public func show(_ popup: Popup) async throws -> String {
        try await producer(for: popup.group).show(popup)
    }

    /// Asks for many popups without waiting for each. See `Producer.enqueue`.
    ///
    /// - Throws: `ClientError`: `refused`, `tooLarge`, `queueFull`, `closed`. The popups before the failed one are sent.
    /// - Returns: Their ids, in the order of the popups.
    @discardableResult
    public func enqueue(_ popups: some Sequence<Popup>) throws(ClientError) -> [String] {
        var ids: [String] = []
        for popup in popups { ids += try producer(for: popup.group).enqueue([popup]) }
        return ids
    }

    /// Asks for popups, and returns when they are safe. See `Producer.submit`.
    ///
    /// - Throws: The errors of `BrokerConnection.submit`, that of the first shard that fails, in the order of their names.
    ///   The popups of the shards after it are not sent.
    /// - Returns: Their ids, in the order of the popups.
    @discardableResult
    public func submit(_ popups: some Sequence<Popup>) async throws -> [String] {
        let popups = popups.map { $0.named() }
        let parts = Dictionary(grouping: popups) { directory.shard(of: $0.group) }
        for (shard, part) in parts.sorted(by: { $0.key < $1.key }) { try await producer(of: shard).submit(part) }
        return popups.map(\.id)
    }

    /// Changes a live popup in place, at the shard of the group that the update names.
    ///
    /// - Throws: The errors of `BrokerConnection.send`; `ShardDirectoryError` if the update names no group.
    public func update(_ update: PopupUpdate) async throws {
        guard !update.group.isEmpty else {
            throw ShardDirectoryError(
                nil, "the update of `\(update.id)` names no group; set its group, or call `producer(named:)`")
        }
        try await producer(for: update.group).update(update)
    }

    /// Closes a popup of a group that is no longer needed (`DISMISSED`).
    ///
    /// - Parameters:
    ///   - id: The popup.
    ///   - group: Its group.
    ///   - action: The action that its event names; empty for none.
    /// - Throws: The errors of `BrokerConnection.send`.
    public func cancel(_ id: String, of group: String, action: String = "") async throws {
        try await producer(for: group).cancel(id, of: group, action: action)
    }

    /// Waits until each shard has settled all commands so far. See `Producer.flush`.
    ///
    /// - Throws: The errors of `BrokerConnection.flush`, that of the first shard that fails, in the order of their names. The
    ///   other shards are waited for in any case.
    public func flush() async throws {
        try await forEachShard { try await $0.flush() }
    }

    /// Closes all connections. See `BrokerConnection.close`.
    public func close() async {
        await withTaskGroup { tasks in
            for producer in producers.values { tasks.addTask { await producer.close() } }
        }
    }

    /// Does something at all shards at once, and throws the error of the first one that fails.
    private func forEachShard(_ body: @escaping @Sendable (Producer) async throws -> Void) async throws {
        let results = await withTaskGroup(of: (String, Result<Void, any Error>).self) { tasks in
            for (name, producer) in producers {
                tasks.addTask {
                    do {
                        return (name, .success(try await body(producer)))
                    } catch {
                        return (name, .failure(error))
                    }
                }
            }
            return await tasks.reduce(into: [:]) { results, result in results[result.0] = result.1 }
        }
        for (_, result) in results.sorted(by: { $0.key < $1.key }) { try result.get() }
    }
}
