internal import Foundation
internal import PopupJournal
internal import SwiftProtobuf

// The transactions of a log. Each is a value: the same call results in the same bytes.

extension Etcdserverpb_Compare {
    /// Returns the condition that a key has a value.
    static func value(of key: Data, is value: [UInt8]) -> Self {
        .with {
            $0.key = key
            $0.target = .value
            $0.value = Data(value)
        }
    }

    /// Returns the condition that a key does not exist.
    static func isAbsent(_ key: Data) -> Self {
        .with {
            $0.key = key
            $0.target = .create
            $0.createRevision = 0
        }
    }

    /// Returns the condition that a key was changed last by a revision; 0: that it does not exist.
    static func revision(of key: Data, is revision: Int64) -> Self {
        .with {
            $0.key = key
            $0.target = .mod
            $0.modRevision = revision
        }
    }

    /// Returns the condition that a key exists.
    static func isPresent(_ key: Data) -> Self {
        .with {
            $0.key = key
            $0.target = .create
            $0.result = .greater
            $0.createRevision = 0
        }
    }
}

extension Etcdserverpb_RequestOp {
    static func get(_ key: Data) -> Self { .with { $0.requestRange.key = key } }

    static func put(_ key: Data, _ value: [UInt8], lease: Int64 = 0) -> Self {
        .with {
            $0.requestPut.key = key
            $0.requestPut.value = Data(value)
            $0.requestPut.lease = lease
        }
    }

    /// Removes a key, or all keys from it to an end.
    static func delete(_ key: Data, to end: Data = Data()) -> Self {
        .with {
            $0.requestDeleteRange.key = key
            $0.requestDeleteRange.rangeEnd = end
        }
    }
}

extension Etcdserverpb_TxnRequest {
    /// Returns a request that replaces the head.
    ///
    /// - Parameter claim: The value of the claim that a take-over requires.
    static func write(_ write: HeadWrite, claim: [UInt8], _ keys: EtcdKeys) -> Self {
        .with {
            $0.compare = [.value(of: keys.head, is: write.old.bytes)]
            if write.purpose == .takeOver { $0.compare.append(.value(of: keys.claim, is: claim)) }
            $0.success = [.put(keys.head, write.new.bytes)]
            if let entry = write.entry { $0.success.append(.put(keys.entry(entry.index), entry.bytes)) }
            if write.purpose == .handOver { $0.success.append(.delete(keys.claim)) }
            $0.failure = [.get(keys.head)]
        }
    }

    /// Returns a request that makes a claim, unless there is one.
    ///
    /// - Parameter key: That of the claim on the log, or on the making of a snapshot.
    static func claim(_ key: Data, _ value: [UInt8], lease: Int64) -> Self {
        .with {
            $0.compare = [.isAbsent(key)]
            $0.success = [.put(key, value, lease: lease)]
            $0.failure = [.get(key)]
        }
    }

    /// Returns a request that replaces the configuration, if it is still the one of a revision. So a copy that was held back on
    /// its way does not undo a later change.
    static func configure(_ value: [UInt8], after revision: Int64, _ keys: EtcdKeys) -> Self {
        .with {
            $0.compare = [.revision(of: keys.configuration, is: revision)]
            $0.success = [.put(keys.configuration, value)]
            $0.failure = [.get(keys.configuration)]
        }
    }

    /// Returns a request that removes keys, if the snapshots that make them needless exist.
    static func drop(_ removals: [Etcdserverpb_RequestOp], relyingOn snapshots: [UInt64], _ keys: EtcdKeys) -> Self {
        .with {
            $0.compare = snapshots.map { .isPresent(keys.manifest($0)) }
            $0.success = removals
        }
    }

    /// Returns a request as large as the largest append, with conditions that never hold: it changes nothing.
    static func probe(_ keys: EtcdKeys) -> Self {
        .with {
            $0.compare = [.value(of: keys.head, is: [])]
            $0.success = [.put(keys.entry(0), [UInt8](repeating: 0, count: EtcdLimits.entryBytes))]
        }
    }
}
