import Foundation
import PopupFleet
import PopupJournal
import Testing

@testable import EtcdLog

private let owner = LogOwner(high: 1, low: 10)

extension EtcdTests {
    /// What a log on three members does when some fail.
    @Suite(.timeLimit(.minutes(10))) struct EtcdClusterTests {
        @Test(arguments: [SIGKILL, SIGSTOP]) func `appends go on when the leader is killed or stopped`(
            signal: Int32
        ) async throws {
            let etcd = try await EtcdServers(3)
            let (patient, log) = (try etcd.log(), try etcd.log(deadline: .seconds(2)))
            defer { for log in [patient, log] { log.close() } }
            let head = try await patient.began(by: owner)
            etcd.signal(try etcd.leader(), signal)

            var write = HeadWrite.append([1], after: head, at: 1000, horizon: 4000)
            for number in 2...20 {
                try await eventually("append \(number) is in") { try await isIn(write, log) }
                write = .append([UInt8(number)], after: write.new, at: 1000, horizon: 4000)
            }

            var entries: [LogEntry] = []
            try await eventually("all entries are read") {
                guard
                    case .entries(let more) = await log.answer(
                        to: .readEntries(UInt64(entries.count + 1)...99), of: owner)
                else { return false }
                entries += more
                return entries.count == 20
            }
            #expect(entries.map(\.index) == Array(1...20))
        }

        @Test func `without a quorum an append is unknown within its deadline, and is in once when the quorum is back`()
            async throws
        {
            let etcd = try await EtcdServers(3)
            let (patient, log) = (try etcd.log(), try etcd.log(deadline: .seconds(2)))
            defer { for log in [patient, log] { log.close() } }
            let head = try await patient.began(by: owner)
            for number in 0..<2 { etcd.signal(number, SIGSTOP) }
            let write = HeadWrite.append([1], after: head, at: 1000, horizon: 4000)

            // Its deadline is 2 s; etcd itself would give up after 7 s. A machine under load may delay some of the answers.
            var shortest = Duration.seconds(3600)
            for _ in 0..<5 where shortest >= .seconds(6) {
                let began = ContinuousClock.now
                #expect(await log.answer(to: .write(write), of: owner) == .unknown)
                shortest = min(shortest, ContinuousClock.now - began)
            }
            #expect(shortest < .seconds(6))
            #expect(await log.answer(to: .readHead, of: owner) == .unknown)

            for number in 0..<2 { etcd.signal(number, SIGCONT) }
            try await eventually("the append is in") { try await isIn(write, log) }
            #expect(try await patient.entries(in: 1...9).map(\.commands) == [[], [1]])
        }

        /// Returns whether a request is known to be in; anything but in and unknown is a failure.
        private func isIn(_ write: HeadWrite, _ log: EtcdLog) async throws -> Bool {
            switch await log.answer(to: .write(write), of: owner) {
            case .unknown: return false
            case .write(let answer):
                // Nobody else writes: a refusal would be another head than both.
                if case .overtaken(let head) = write.outcome(of: answer) { Issue.record("overtaken by \(head)") }
                return write.outcome(of: answer) == .committed
            case let other:
                Issue.record("\(other)")
                return false
            }
        }
    }
}
