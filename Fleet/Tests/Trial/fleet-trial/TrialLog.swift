internal import EtcdLog
internal import FleetService
internal import PopupJournal

/// Reads the log of a shard, and checks that its entries continue one another up to the head.
///
/// - Parameters:
///   - endpoints: The endpoints of etcd, separated by commas.
///   - shard: The name of the shard.
///   - begin: Receives the snapshots that are whole, the oldest first, if entries were removed: the first entry follows the
///     oldest one. `nil`: all entries have to be there.
///   - body: Receives each entry, in order.
/// - Returns: The head.
/// - Throws: `EtcdProblem`; what `body` throws.
@discardableResult
func readLog(
    endpoints: String, shard: String, begin: (([LogSnapshot]) -> Void)? = nil, _ body: (LogEntry) throws -> Void
) async throws -> LogHead {
    let log = try EtcdLog(
        EtcdSettings(endpoints: endpoints.split(separator: ",").map(String.init), shard: shard, node: "fleet-trial"))
    guard let head = try await log.head() else { throw EtcdProblem.missing(shard) }
    var check = LogCheck(nil)
    if let begin {
        check = try await LogCheck.beginning(of: log, endingAt: head)
        var snapshots: [LogSnapshot] = []
        for index in try await log.snapshots() where check.next > 1 && index + 1 >= check.next {
            if let snapshot = try await log.snapshot(at: index) { snapshots.append(snapshot) }
        }
        begin(snapshots)
    }
    switch try await check.read(log, to: head, body) {
    case .broken(let problem): throw EtcdProblem.unreadable(problem)
    case .removed: throw EtcdProblem.unreadable("entries were removed")
    case nil: break
    }
    return head
}
