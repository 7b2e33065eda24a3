import PopupProtocol
import PopupValues
@testable import PopupWebClient

/// What a hostile gateway sends to a client over HTTP: the lines of streams, also in pieces, and problems. No state goes
/// back, what is kept has a bound, and no time is longer than a client accepts.
enum StateFeedEntry {
    /// Few enough to be reached by an input.
    private static let tight = StateFeed.Limits(groups: 4, bytes: 2048)
    /// The size of a piece: smaller than most lines.
    private static let pieceBytes = 7

    /// Lines of a stream. The first one may be `tight`: then little is kept. `!` begins the next connection.
    static func run(_ input: [UInt8]) throws -> Bool {
        guard !WebClientError(status: 503, problem: input).description.isEmpty else {
            throw Finding("an error without a text")
        }
        let limits = input.starts(with: "tight\n".utf8) ? tight : StateFeed.Limits()
        var whole = StateFeed(limits: limits)
        var cut = StateFeed(limits: limits)
        var check = Check()
        let newest = NewestStates()
        for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).prefix(256) {
            if line.elementsEqual("!".utf8) {
                whole.begin()
                cut.begin()
                newest.doubt(after: newest.lose())
                continue
            }
            let bytes = Array(line) + [UInt8(ascii: "\n")]
            let outcomes = try? whole.take(bytes)
            guard outcomes == inPieces(bytes, into: &cut) else { throw Finding("a line in pieces is another line") }
            // An error ends the connection.
            guard let outcomes else {
                whole.begin()
                cut.begin()
                continue
            }
            for outcome in outcomes { try check(outcome, of: whole, newest, at: .fuzzed) }
            guard whole.groups <= limits.groups, (.seconds(5) ... .seconds(7205)).contains(whole.silence) else {
                throw Finding("a client keeps \(whole.groups) groups, and waits for \(whole.silence)")
            }
        }
        return check.isAccepted
    }

    private static func inPieces(_ bytes: [UInt8], into feed: inout StateFeed) -> [StateFeed.Outcome]? {
        var outcomes: [StateFeed.Outcome] = []
        for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
            guard let next = try? feed.take(Array(bytes[start..<min(start + pieceBytes, bytes.count)])) else {
                return nil
            }
            outcomes += next
        }
        return outcomes
    }

    /// What a stream has said so far.
    private struct Check {
        private var last: [String: (epoch: UInt64, revision: UInt64)] = [:]
        private(set) var isAccepted = false

        mutating func callAsFunction(
            _ outcome: StateFeed.Outcome, of feed: StateFeed, _ newest: NewestStates, at now: ContinuousClock.Instant
        ) throws {
            switch outcome {
            case .states(let states):
                guard Set(states.map(\.group)).count == states.count else { throw Finding("a group has two states") }
                for state in states {
                    try advance(state)
                    newest.add(state, received: now)
                }
            case .confirmed(let isConfirmed):
                guard !isConfirmed || feed.isSynced else { throw Finding("states are confirmed before all came") }
                newest.confirm(isConfirmed)
            case .comeAgain(let time):
                guard .zero <= time.lowerBound, time.upperBound <= .seconds(375) else {
                    throw Finding("a client comes again after \(time)")
                }
            }
            while let state = newest.take() {
                isAccepted = true
                _ = (state.popup, state.offered, state.toCome, state.remaining(at: now))
            }
        }

        private mutating func advance(_ state: WireGroupState) throws {
            let version = (epoch: state.epoch, revision: state.revision)
            if let before = last[state.group], version < before {
                throw Finding("the state of `\(state.group)` goes back from \(before) to \(version)")
            }
            last[state.group] = version
        }
    }
}
