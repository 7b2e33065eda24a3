import Foundation
import Testing
import ZeroMQ

@Suite("An accepted connection", .timeLimit(.minutes(5)))
struct AcceptedConnectionTests {
    /// A TCP connection over loopback, both ends in this process.
    private struct Pair: ~Copyable {
        let accepted: Int32
        let peer: Int32

        init() throws {
            let listener = socket(AF_INET, streamType, 0)
            defer { close(listener) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            peer = socket(AF_INET, streamType, 0)
            let results = withUnsafeMutablePointer(to: &address) { [peer] pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    [
                        bind(listener, address, length), listen(listener, 1),
                        getsockname(listener, address, &length), connect(peer, address, length),
                    ]
                }
            }
            #expect(results == [0, 0, 0, 0])
            accepted = accept(listener, nil, nil)
            #expect(accepted >= 0)
        }

        deinit {
            close(accepted)
            close(peer)
        }
    }

    @Test("is dropped with all that was received and not read, and its peer notices at once")
    func shutDown() throws {
        let pair = try Pair()
        let bytes = [UInt8](repeating: 7, count: 10_000)
        #expect(send(pair.peer, bytes, bytes.count, 0) == bytes.count)
        var first: UInt8 = 0
        #expect(recv(pair.accepted, &first, 1, Int32(MSG_PEEK)) == 1)

        try #require(AcceptedConnection(descriptor: pair.accepted)).shutDown()

        // An error or the end, but none of the bytes.
        #expect(recv(pair.accepted, &first, 1, Int32(MSG_DONTWAIT)) <= 0)
        var waiting = pollfd(fd: pair.peer, events: Int16(POLLIN), revents: 0)
        #expect(poll(&waiting, 1, 60_000) == 1)
        #expect(recv(pair.peer, &first, 1, Int32(MSG_DONTWAIT)) == -1)
        #expect(errno == ECONNRESET)
    }

    @Test("of which the descriptor names a newer connection by now leaves that one alone")
    func reused() throws {
        let former = try Pair()
        let connection = try #require(AcceptedConnection(descriptor: former.accepted))
        let newer = try Pair()
        #expect(dup2(newer.accepted, former.accepted) == former.accepted)

        connection.shutDown()

        var byte: UInt8 = 1
        #expect(send(newer.peer, &byte, 1, 0) == 1)
        #expect(recv(newer.accepted, &byte, 1, 0) == 1)
    }
}

#if canImport(Glibc)
    private let streamType = Int32(SOCK_STREAM.rawValue)
#else
    private let streamType = SOCK_STREAM
#endif
