internal import Foundation
public import PopupJournal
internal import SwiftProtobuf

// Snapshots are written in chunks; what makes one complete is its manifest, which is written last.
extension EtcdLog {
    /// Returns the indices of the complete snapshots, in ascending order.
    public func snapshots() async throws(SharedLogError) -> [UInt64] {
        var indices: [UInt64] = []
        var next = keys.snapshots
        while true {
            let request = Etcdserverpb_RangeRequest.with {
                $0.key = next
                $0.rangeEnd = EtcdKeys.end(of: keys.snapshots)
                $0.keysOnly = true
                $0.limit = 10_000
            }
            let answer = try await ask(.range, request)
            indices += answer.kvs.compactMap { keys.indexOfManifest($0.key) }
            guard answer.more, let last = answer.kvs.last else { return indices }
            // With keys out of order, there might be no last page.
            guard !last.key.lexicographicallyPrecedes(next) else { throw .unreadable(.damaged) }
            next = last.key + Data([0])
        }
    }

    /// Returns a snapshot; `nil` if it is not there, or was removed meanwhile.
    public func snapshot(at index: UInt64) async throws(SharedLogError) -> LogSnapshot? {
        guard let manifest = try await manifest(at: index) else { return nil }
        var state: [UInt8] = []
        state.reserveCapacity(Int(clamping: min(manifest.byteCount, 1 << 30)))
        var number: UInt32 = 0
        while number < manifest.chunkCount {
            let page = try await page(
                from: keys.chunk(number, of: index, by: manifest.maker),
                to: keys.chunk(manifest.chunkCount, of: index, by: manifest.maker), chunksOfPage)
            // Removed while it was read.
            guard !page.isEmpty else { return nil }
            for chunk in page { state += chunk.value }
            guard UInt64(state.count) <= manifest.byteCount, page.count <= manifest.chunkCount - number else {
                throw .unreadable(.damaged)
            }
            number += UInt32(page.count)
        }
        return try readable { () throws(LogRecordError) in try manifest.snapshot(of: state) }
    }

    /// Returns the digest of a complete snapshot, as its manifest says; `nil` if it is not there.
    public func digest(ofSnapshotAt index: UInt64) async throws(SharedLogError) -> SnapshotDigest? {
        try await manifest(at: index)?.digest
    }

    /// Keeps a snapshot: first its chunks, one at a time and at a quarter of the time, then its manifest. It leaves the snapshot
    /// out if there is one of its index or a later one, if a node of an older version runs, or while another process makes one.
    public func keep(_ snapshot: LogSnapshot, by owner: LogOwner) async throws(SharedLogError) {
        if let newest = try await snapshots().last, newest >= snapshot.index { return }
        guard try await !hasOlderNode else { return }
        let lease = try await ask(.grant, .with { $0.ttl = EtcdLimits.makerSeconds }).id
        do throws(SharedLogError) {
            try await make(snapshot, by: owner, under: lease)
        } catch {
            // It ends by itself if that fails, too.
            try? await revoke(lease)
            throw error
        }
        try await revoke(lease)
    }

    /// Makes a snapshot, unless another process makes one, or has made this one.
    private func make(_ snapshot: LogSnapshot, by owner: LogOwner, under lease: Int64) async throws(SharedLogError) {
        let value = claimValue(of: owner)
        let answer = try await ask(.txn, .claim(keys.maker, value, lease: lease))
        // An earlier attempt of this call was carried out if it is under the same lease.
        guard answer.succeeded || answer.responses.first?.responseRange.kvs.first?.lease == lease else { return }
        let conditions: [Etcdserverpb_Compare] = [
            .value(of: keys.maker, is: value), .isAbsent(keys.manifest(snapshot.index)),
        ]
        guard let manifest = try await writeChunks(of: snapshot, by: owner, while: conditions, under: lease) else {
            return
        }
        try await complete(manifest)
    }

    /// Writes the chunks of a snapshot, and returns its manifest; `nil` if a condition does not hold any more.
    ///
    /// - Parameter lease: The lease to keep alive meanwhile; `nil` for none.
    func writeChunks(
        of snapshot: LogSnapshot, by owner: LogOwner, while conditions: [Etcdserverpb_Compare],
        under lease: Int64? = nil
    ) async throws(SharedLogError) -> SnapshotManifest? {
        let manifest = SnapshotManifest(of: snapshot, by: owner, chunkBytes: EtcdLimits.chunkBytes)
        var lived = ContinuousClock.now
        for number in 0..<manifest.chunkCount {
            let from = Int(number) * EtcdLimits.chunkBytes
            let chunk = snapshot.state[from..<min(from + EtcdLimits.chunkBytes, snapshot.state.count)]
            let began = ContinuousClock.now
            let request = Etcdserverpb_TxnRequest.with {
                $0.compare = conditions
                $0.success = [.put(keys.chunk(number, of: snapshot.index, by: owner), Array(chunk))]
            }
            guard try await ask(.txn, request).succeeded else { return nil }
            guard number + 1 < manifest.chunkCount else { break }
            if let lease, ContinuousClock.now - lived >= .seconds(EtcdLimits.makerSeconds / 3) {
                lived = .now
                _ = try await ask(.keepAlive, .with { $0.id = lease })
            }
            try? await Task.sleep(for: (ContinuousClock.now - began) * (EtcdLimits.chunkShare - 1))
        }
        return manifest
    }

    /// Writes the manifest of a snapshot whose chunks are written, unless there is one, or the chunks were removed.
    func complete(_ manifest: SnapshotManifest) async throws(SharedLogError) {
        let first = keys.chunk(0, of: manifest.index, by: manifest.maker)
        let answer = try await ask(
            .txn,
            .with {
                $0.compare = [.isAbsent(keys.manifest(manifest.index))]
                // Whoever drops removes all chunks of a snapshot that are there, and so the first.
                if manifest.chunkCount > 0 { $0.compare.append(.isPresent(first)) }
                $0.success = [.put(keys.manifest(manifest.index), manifest.bytes)]
            })
        guard !answer.succeeded, try await self.manifest(at: manifest.index)?.maker != manifest.maker else { return }
        // Another node was faster, or the snapshot is too old: these chunks are needless.
        _ = try await ask(
            .delete,
            .with {
                $0.key = first
                $0.rangeEnd = keys.chunk(manifest.chunkCount, of: manifest.index, by: manifest.maker)
            })
    }

    /// Removes the entries and snapshots of a plan, if the snapshots that it relies on are there: entries in ascending
    /// order, so that the rest has no gaps; of snapshots the manifests first.
    public func drop(_ plan: LogDropPlan) async throws(SharedLogError) {
        var from: UInt64 = 0
        // A plan may go far beyond what is there, if the key of a snapshot is not one that a node has written.
        while let oldest = try await oldestEntry(in: from...plan.lastEntry) {
            let last = oldest + min(plan.lastEntry - oldest, EtcdLimits.entriesPerDrop - 1)
            let removal = Etcdserverpb_RequestOp.delete(keys.entry(oldest), to: keys.entry(last) + Data([0]))
            guard try await ask(.txn, .drop([removal], relyingOn: plan.kept, keys)).succeeded else { return }
            guard last < plan.lastEntry else { break }
            from = last + 1
        }
        for index in plan.snapshots {
            let manifest = Etcdserverpb_RequestOp.delete(keys.manifest(index))
            guard try await ask(.txn, .drop([manifest], relyingOn: plan.kept, keys)).succeeded else { return }
        }
        guard let first = plan.kept.min() else { return }
        // The chunks, and those of snapshots that nobody completed.
        let chunks = Etcdserverpb_RequestOp.delete(keys.snapshot(0), to: keys.snapshot(first))
        _ = try await ask(.txn, .drop([chunks], relyingOn: plan.kept, keys))
    }

    /// Returns the index of the first entry in a range; `nil` if there is none. It reads only the key, so a damaged entry counts.
    private func oldestEntry(in range: ClosedRange<UInt64>) async throws(SharedLogError) -> UInt64? {
        let request = Etcdserverpb_RangeRequest.with {
            $0.key = keys.entry(range.lowerBound)
            $0.rangeEnd = keys.entry(range.upperBound) + Data([0])
            $0.keysOnly = true
            $0.limit = 1
        }
        guard let oldest = try await ask(.range, request).kvs.first else { return nil }
        guard let index = keys.indexOfEntry(oldest.key), range.contains(index) else { throw .unreadable(.damaged) }
        return index
    }

    private func manifest(at index: UInt64) async throws(SharedLogError) -> SnapshotManifest? {
        guard let value = try await value(of: keys.manifest(index)) else { return nil }
        return try readable { () throws(LogRecordError) in try SnapshotManifest(Array(value)) }
    }
}
