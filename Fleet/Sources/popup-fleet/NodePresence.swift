internal import EtcdLog
internal import Foundation
internal import PopupConfiguration
internal import PopupJournal
internal import Synchronization

/// The statement of a node about itself in etcd, while it runs.
final class NodePresence: Sendable {
    /// The time between signs of life, in ms: a third of the time for which they count.
    private static let interval = 3000
    /// The time after which a change is told, in ms.
    private static let pause = 200

    private let log: EtcdLog
    private let record: Mutex<NodeRecord>
    private let isEnding = Switch()
    private let lease = Mutex<Int64?>(nil)

    /// Creates the presence of a node, of which nothing is said yet.
    init(_ record: NodeRecord, _ log: EtcdLog) {
        self.record = Mutex(record)
        self.log = log
    }

    /// Changes what is said.
    func change(_ body: (inout NodeRecord) -> Void) { record.withLock { body(&$0) } }

    /// Says it again and again, until the task is cancelled, or `end`.
    ///
    /// - Parameter index: Returns the index of the last entry that the node has applied. It is told with the next sign of life.
    func run(index: @Sendable () async -> UInt64) async {
        var said: NodeRecord?
        var next = ContinuousClock.now
        while !Task.isCancelled, !isEnding.isSet {
            if ContinuousClock.now >= next {
                let index = await index()
                change { $0.index = index }
            }
            let record = record.withLock { $0 }
            if record != said || ContinuousClock.now >= next {
                do {
                    let lease = try await log.announce(record, under: lease.withLock { $0 })
                    self.lease.withLock { $0 = lease }
                    said = record
                    next = .now + .milliseconds(Self.interval)
                } catch {
                    // Nothing that is safe depends on it.
                    next = .now + .milliseconds(Self.interval)
                    said = record
                }
            }
            try? await Task.sleep(for: .milliseconds(Self.pause))
        }
    }

    /// Takes back what was said, if etcd answers.
    func end() async {
        isEnding.set()
        guard let lease = lease.withLock({ $0.take() }) else { return }
        try? await log.withdraw(under: lease)
    }
}

/// The configuration that all nodes share, as it was read last.
final class SharedText: Sendable {
    private let content = Mutex<[UInt8]?>(nil)

    /// The bytes; `nil` for none.
    var bytes: [UInt8]? { content.withLock { $0 } }
    /// The checksum; `nil` for none.
    var checksum: UInt32? { LogOrders(configuration: bytes).configurationChecksum }
    /// The configuration; `nil` for none.
    var configuration: SharedConfiguration? {
        bytes.map { SharedConfiguration(String(decoding: $0, as: UTF8.self)) }
    }

    func set(_ bytes: [UInt8]?) { content.withLock { $0 = bytes } }
}

/// A fact that holds from some moment on.
final class Switch: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}

/// The messages of the program to operators.
enum Say {
    static func sentence(_ sentence: String) {
        FileHandle.standardError.write(Data("popup-fleet: \(sentence)\n".utf8))
    }
}
