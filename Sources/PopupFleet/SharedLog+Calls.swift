public import PopupJournal

extension SharedLog {
    /// Carries out a call of a node, and returns the answer.
    public func answer(to call: FleetCall, of node: LogOwner) async -> FleetAnswer {
        do {
            return try await carryOut(call, of: node)
        } catch .missing {
            return .head(nil)
        } catch .unreadable {
            return .unreadable
        } catch {
            return .unknown
        }
    }

    private func carryOut(_ call: FleetCall, of node: LogOwner) async throws(SharedLogError) -> FleetAnswer {
        switch call {
        case .readOrders: return .orders(try await orders())
        case .readHead: return .head(try await head())
        case .readEntries(let range): return .entries(try await entries(in: range))
        case .readSnapshot:
            guard let newest = try await snapshots().last else { return .snapshot(nil) }
            return .snapshot(try await snapshot(at: newest))
        case .claim: return .claim(isOwn: try await claim(as: node))
        case .renewClaim: return .claim(isOwn: try await renewClaim(of: node))
        case .write(let write): return .write(try await self.write(write))
        case .keep(let snapshot):
            try await keep(snapshot, by: node)
            return .snapshots(try await snapshots())
        case .drop(let plan):
            try await drop(plan)
            return .dropped
        }
    }
}
