import Synchronization

/// The address of a client on another machine, as limits distinguish clients: an IPv4 address, or the first 64 bits of
/// an IPv6 address, since the owner of one such address has all of them.
public struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Creates an address of 4 or 16 bytes; `nil` for this machine's own, and for another number of bytes.
    public init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4 where bytes[0] != 127: self.bytes = bytes
        case 16 where bytes != [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]: self.bytes = Array(bytes[..<8])
        default: return nil
        }
    }
}

/// The counts for each address: requests without a known token, open streams and open connections.
final class ClientAddresses: Sendable {
    /// The requests without a known token.
    private struct Strangers {
        var budget: RequestBudget
        var lastRequest: ContinuousClock.Instant
        /// The requests with an unknown token within the minute.
        var unknownTokens = 0
        var minuteBegin: ContinuousClock.Instant

        func isNeeded(at now: ContinuousClock.Instant) -> Bool {
            now - lastRequest < ClientAddresses.minute
        }
    }

    /// The open streams and connections.
    private struct Open {
        var all = 0
        var perAddress: [ClientAddress: Int] = [:]

        mutating func add(_ address: ClientAddress?, limit: Int, perAddress most: Int) -> Bool {
            guard all < limit else { return false }
            if let address {
                guard perAddress[address, default: 0] < most else { return false }
                perAddress[address, default: 0] += 1
            }
            all += 1
            return true
        }

        mutating func remove(_ address: ClientAddress?) {
            all -= 1
            guard let address, let count = perAddress[address] else { return }
            perAddress[address] = count > 1 ? count - 1 : nil
        }
    }

    /// The maximum number of addresses whose requests are counted. Those of further addresses are not: a token has 256
    /// bits and cannot be guessed. Streams and connections need no such number: all together have a limit.
    private static let maxAddresses = 65_536
    private static let minute: Duration = .seconds(60)
    /// The number of unknown tokens in a minute after which the address has to wait.
    static let maxFailures = 10

    private let strangers = Mutex<[ClientAddress: Strangers]>([:])
    private let streams = Mutex(Open())
    private let connections = Mutex(Open())

    /// Counts a request without a known token.
    ///
    /// - Parameters:
    ///   - hasToken: Whether it has an unknown token, which may be a guess.
    ///   - rate: The maximum number of such requests in a second.
    /// - Throws: 429 if the address has sent too many.
    func countStranger(
        _ address: ClientAddress, hasToken: Bool, rate: Int, at now: ContinuousClock.Instant = .now
    ) throws(Problem) {
        let problem = strangers.withLock { strangers -> Problem? in
            if strangers[address] == nil, strangers.count >= Self.maxAddresses {
                strangers = strangers.filter { $0.value.isNeeded(at: now) }
                if strangers.count >= Self.maxAddresses { return nil }
            }
            var entry =
                strangers[address]
                ?? Strangers(budget: RequestBudget(rate: rate, at: now), lastRequest: now, minuteBegin: now)
            defer { strangers[address] = entry }
            entry.lastRequest = now
            if now - entry.minuteBegin >= Self.minute { (entry.unknownTokens, entry.minuteBegin) = (0, now) }
            if hasToken { entry.unknownTokens += 1 }
            if hasToken, entry.unknownTokens > Self.maxFailures {
                return Self.problem(
                    "sent more than \(Self.maxFailures) unknown tokens within a minute",
                    entry.minuteBegin + Self.minute - now)
            }
            return entry.budget.take(rate: rate, at: now).map {
                Self.problem("may send \(rate) requests a second without a known token", $0)
            }
        }
        if let problem { throw problem }
    }

    private static func problem(_ why: String, _ wait: Duration) -> Problem {
        Problem(
            429, "OVERLOAD", "your address \(why); wait",
            retryAfterMs: UInt32(max(1, (wait / .milliseconds(1)).rounded(.up))))
    }

    /// Counts one more stream of an address. Returns `false`, and counts nothing, if it has as many as the limit allows.
    /// All streams together have their limit in `OpenStreams`.
    func openStream(_ address: ClientAddress?, limit: Int) -> Bool {
        streams.withLock { $0.add(address, limit: .max, perAddress: limit) }
    }

    /// Counts one stream of an address less.
    func closeStream(_ address: ClientAddress?) {
        streams.withLock { $0.remove(address) }
    }

    /// Counts one more connection, from an address or from this machine. Returns `false`, and counts nothing, if there are
    /// as many as a limit allows.
    func openConnection(_ address: ClientAddress?, limit: Int, perAddress: Int) -> Bool {
        connections.withLock { $0.add(address, limit: limit, perAddress: perAddress) }
    }

    /// Counts one connection less.
    func closeConnection(_ address: ClientAddress?) {
        connections.withLock { $0.remove(address) }
    }
}
