public import PopupJournal

extension SharedLog {
    /// Performs a call of a node, and returns the answer.
    public func answer(to call: FleetCall, of node: LogOwner) async -> FleetAnswer {
        await reply(to: call, of: node).answer
    }

    /// Performs a call of a node, and returns the answer. The error is that of the log if it gave no answer, or the fault
    /// of a newer snapshot than the one of the answer.
    public func reply(to call: FleetCall, of node: LogOwner) async -> (answer: FleetAnswer, error: SharedLogError?) {
        do {
            return try await perform(call, of: node)
        } catch {
            switch error {
            case .missing: return (.head(nil), error)
            case .unreadable(.newer): return (.newer, error)
            case .unreadable: return (.unreadable, error)
            case .unknown: return (.unknown, error)
            }
        }
    }

    private func perform(
        _ call: FleetCall, of node: LogOwner
    ) async throws(SharedLogError) -> (answer: FleetAnswer, error: SharedLogError?) {
        switch call {
        case .readOrders: return (.orders(try await orders()), nil)
        case .readHead: return (.head(try await head()), nil)
        case .readEntries(let range): return (.entries(try await entries(in: range)), nil)
        case .readSnapshot:
            let newest = try await newestReadableSnapshot()
            return (.snapshot(newest.snapshot), newest.damage)
        case .claim: return (.claim(isOwn: try await claim(as: node)), nil)
        case .renewClaim: return (.claim(isOwn: try await renewClaim(of: node)), nil)
        case .releaseClaim:
            try await releaseClaim(of: node)
            return (.claim(isOwn: false), nil)
        case .write(let write): return (.write(try await self.write(write)), nil)
        case .keep(let snapshot):
            try await keep(snapshot, by: node)
            // Another node may have been faster.
            if let kept = try await digest(ofSnapshotAt: snapshot.index), kept.contradicts(snapshot.digest) {
                return (.snapshotDiffers, nil)
            }
            return (.snapshots(try await snapshots()), nil)
        case .drop(let plan):
            try await drop(plan)
            return (.dropped, nil)
        }
    }

    /// The number of times that snapshots are listed before a reader gives up, if they are removed while it reads them.
    private static var snapshotListings: Int { 3 }

    /// Returns the newest snapshot that is whole; `nil` if there is none. The entries after the two newest ones are kept, so
    /// that one of them may be damaged.
    ///
    /// - Returns: The snapshot, and what is wrong with the newer ones that were passed over.
    /// - Throws: `.unreadable` if there are snapshots, and none is whole; `.unknown` if all were removed while they were
    ///   read, again and again.
    public func newestReadableSnapshot() async throws(SharedLogError) -> (
        snapshot: LogSnapshot?, damage: SharedLogError?
    ) {
        var indices = try await snapshots()
        for _ in 0..<Self.snapshotListings {
            if let newest = try await newestReadable(of: indices) { return newest }
            let now = try await snapshots()
            guard now != indices else {
                // Those that are still listed were not removed: what they consist of is missing.
                if now.isEmpty { return (nil, nil) }
                throw .unreadable(.damaged)
            }
            indices = now
        }
        throw .unknown("snapshots are removed faster than they are read")
    }

    /// Returns the newest of some snapshots that is whole; `nil` if all were removed.
    private func newestReadable(
        of indices: [UInt64]
    ) async throws(SharedLogError) -> (snapshot: LogSnapshot?, damage: SharedLogError?)? {
        var damage: SharedLogError?
        for index in indices.reversed() {
            do throws(SharedLogError) {
                if let snapshot = try await snapshot(at: index) {
                    // Older ones are removed first: what a newer one consists of is missing.
                    return (snapshot, index == indices.last ? nil : damage ?? .unreadable(.damaged))
                }
            } catch {
                guard case .unreadable = error else { throw error }
                damage = damage ?? error
            }
        }
        if let damage { throw damage }
        return nil
    }
}
