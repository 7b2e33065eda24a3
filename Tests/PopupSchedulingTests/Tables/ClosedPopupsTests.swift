@testable import PopupScheduling
import Testing

/// The remembered ids of closed popups: in order of closing, of all and of each account.
@Suite struct ClosedPopupsTests {
    @Test func `the oldest of all and the oldest of an account are known`() {
        var table = Table()
        let (first, second) = (table.close(account: 0, at: 1), table.close(account: 1, at: 2))
        let third = table.close(account: 0, at: 3)
        #expect(table.closed.oldest == first && table.ends[1].oldest == second)
        table.forget(account: 0)
        #expect(table.closed.oldest == second && table.ends[0].oldest == third)
        table.forget(account: 1)
        #expect(table.ends[1].oldest == nil && table.times == [3])
    }

    @Test func `both orders are those of a plain model`() {
        var random = ReferenceGenerator(seed: 9)
        var table = Table()
        var model: [(account: Int, time: Milliseconds)] = []
        for time in 1...3000 as ClosedRange<Milliseconds> {
            let account = random.below(4)
            if random.below(2) == 0 {
                _ = table.close(account: account, at: time)
                model.append((account, time))
            } else if let oldest = model.firstIndex(where: { $0.account == account }) {
                table.forget(account: account)
                model.remove(at: oldest)
            }
            let oldest = table.closed.oldest.map { table.closed[$0].at }
            #expect(oldest == model.first?.time && table.closed.count == model.count)
            let ofAccount = table.ends[account].oldest.map { table.closed[$0].at }
            #expect(ofAccount == model.first { $0.account == account }?.time)
        }
        #expect(table.times == model.map(\.time))
    }

    /// Closed popups of four accounts.
    private struct Table: ~Copyable {
        var closed = ClosedPopups()
        var ends = [ClosedPopups.Ends](repeating: ClosedPopups.Ends(), count: 4)

        mutating func close(account: Int, at time: Milliseconds) -> ClosedPopups.Index {
            let record = ClosedPopups.Record(
                id: .empty, idHash: 0, account: AccountRecord.Index(number: account),
                group: GroupRecord.Index(number: 0), flow: nil, reason: .expired, detail: .empty, at: time,
                displayed: 0)
            return closed.append(record, &ends[account])
        }

        mutating func forget(account: Int) {
            if let oldest = ends[account].oldest { closed.remove(oldest, &ends[account]) }
        }

        var times: [Milliseconds] {
            var times: [Milliseconds] = []
            closed.forEach { times.append($0.at) }
            return times
        }
    }
}
