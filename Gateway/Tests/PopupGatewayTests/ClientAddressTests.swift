import PopupAccess
import Testing

@testable import PopupGateway

@Suite("Addresses of clients")
struct ClientAddressTests {
    private let address = ClientAddress(bytes: [192, 0, 2, 7])!
    private let begin = ContinuousClock.now

    private func token(_ name: String) -> AccessToken {
        AccessToken(name: UserName(name)!, hash: TokenHash(of: name), may: [:])
    }

    private func ipv6(_ head: [UInt8], _ last: UInt8) -> [UInt8] {
        head + [UInt8](repeating: 0, count: 15 - head.count) + [last]
    }

    @Test("this machine's own are none")
    func loopback() {
        #expect(ClientAddress(bytes: [127, 0, 0, 1]) == nil)
        #expect(ClientAddress(bytes: [127, 9, 9, 9]) == nil)
        #expect(ClientAddress(bytes: ipv6([], 1)) == nil)
        #expect(ClientAddress(bytes: ipv6([], 2)) != nil)
        #expect(ClientAddress(bytes: [1, 2, 3]) == nil)
    }

    @Test("those of IPv6 with the same first 64 bits are one")
    func network() {
        let head: [UInt8] = [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 5]
        #expect(ClientAddress(bytes: ipv6(head, 1)) == ClientAddress(bytes: ipv6(head, 2)))
        #expect(ClientAddress(bytes: ipv6(head, 1)) != ClientAddress(bytes: ipv6([0x20, 0x01, 0x0d, 0xb9], 1)))
    }

    @Test("ten unknown tokens a minute are 401; the next ones are 429 until the minute is over")
    func failures() throws {
        let addresses = ClientAddresses()
        for second in 0..<10 { try guess(address, addresses, at: second) }
        let problem = #expect(throws: Problem.self) { try guess(address, addresses, at: 20) }
        #expect(problem?.status == 429)
        #expect(problem?.retryAfterMs == 40_000)
        try guess(ClientAddress(bytes: [192, 0, 2, 8])!, addresses, at: 20)
        try guess(address, addresses, at: 60)
    }

    @Test("a full table counts no further addresses until a minute is over, and refuses nobody")
    func fullTable() throws {
        let addresses = ClientAddresses()
        for number in 0..<65_536 {
            let bytes = [10, UInt8(number >> 8), UInt8(number & 255), 1]
            try guess(ClientAddress(bytes: bytes.map { UInt8($0) })!, addresses, at: 0)
        }
        for _ in 0..<20 { try guess(address, addresses, at: 1) }
        for _ in 0..<10 { try guess(address, addresses, at: 60) }
        #expect(throws: Problem.self) { try guess(address, addresses, at: 60) }
    }

    @Test("an address with a connection needs room in a full table like any other")
    func fullTableWithConnections() throws {
        let addresses = ClientAddresses()
        for number in 0..<65_536 {
            let bytes = [10, UInt8(number >> 8), UInt8(number & 255), 1]
            try guess(ClientAddress(bytes: bytes.map { UInt8($0) })!, addresses, at: 0)
        }
        #expect(addresses.openConnection(address, limit: 10, perAddress: 10))
        for _ in 0..<20 { try guess(address, addresses, at: 1) }
        addresses.closeConnection(address)
    }

    @Test("one may send so many requests a second without a token, with five times as many at once")
    func strangers() throws {
        let addresses = ClientAddresses()
        for _ in 0..<10 { try addresses.countStranger(address, hasToken: false, rate: 2, at: begin) }
        let problem = #expect(throws: Problem.self) {
            try addresses.countStranger(address, hasToken: false, rate: 2, at: begin)
        }
        #expect(problem?.status == 429 && problem?.retryAfterMs == 500)
        try addresses.countStranger(address, hasToken: false, rate: 2, at: begin + .milliseconds(501))
        try addresses.countStranger(ClientAddress(bytes: [192, 0, 2, 8])!, hasToken: false, rate: 2, at: begin)
    }

    @Test("connections and streams that have ended leave nothing, and do not count below zero")
    func ends() {
        let addresses = ClientAddresses()
        for _ in 0..<3 {
            #expect(addresses.openConnection(address, limit: 2, perAddress: 1))
            #expect(!addresses.openConnection(address, limit: 2, perAddress: 1))
            #expect(addresses.openConnection(nil, limit: 2, perAddress: 1))
            #expect(!addresses.openConnection(nil, limit: 2, perAddress: 1))
            addresses.closeConnection(nil)
            addresses.closeConnection(address)
        }
    }

    private func guess(_ address: ClientAddress, _ addresses: ClientAddresses, at second: Int) throws(Problem) {
        try addresses.countStranger(address, hasToken: true, rate: 1000, at: begin + .seconds(second))
    }

    @Test("one has so many streams and no more, until one of them ends; this machine has no such limit")
    func streams() throws {
        let streams = OpenStreams()
        let limits = OpenStreams.Limits(streams: 10, perAddress: 2)
        let first = try #require(streams.reserve(for: token("a"), .state, from: address, limits: limits))
        #expect(streams.reserve(for: token("b"), .events, from: address, limits: limits) != nil)
        #expect(streams.reserve(for: token("c"), .state, from: address, limits: limits) == nil)
        for name in ["d", "e", "f"] { #expect(streams.reserve(for: token(name), .state, limits: limits) != nil) }
        streams.release(first)
        streams.release(first)
        #expect(streams.reserve(for: token("c"), .state, from: address, limits: limits) != nil)
        #expect(streams.reserve(for: token("g"), .state, from: address, limits: limits) == nil)
    }
}
