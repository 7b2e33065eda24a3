import Foundation
import Synchronization
import Testing
import ZeroMQ

@Suite("A poller")
struct PollerTests {
    let context = try! Context()

    @Test("tells which socket, file descriptor and wake-up is ready")
    func ready() throws {
        let left = try Socket(context, .pair)
        let right = try Socket(context, .pair)
        try left.bind("inproc://poll")
        try right.connect("inproc://poll")
        let wakeup = try Wakeup()
        var pipe: [Int32] = [0, 0]
        #expect(Foundation.pipe(&pipe) == 0)
        defer { for end in pipe { close(end) } }
        var poller = Poller()
        let socket = poller.add(left)
        let bell = poller.add(wakeup)
        let file = poller.add(fileDescriptor: pipe[0])
        func found() throws -> [Poller.Events] {
            _ = try poller.wait(timeoutMilliseconds: 0)
            return [poller[socket], poller[bell], poller[file]]
        }

        #expect(try found() == [[], [], []])
        _ = try right.send([1])
        #expect(try found() == [.readable, [], []])
        wakeup.signal()
        #expect(try found() == [.readable, .readable, []])
        _ = write(pipe[1], "x", 1)
        #expect(try found() == [.readable, .readable, .readable])
        poller.setEvents([], at: file)
        poller.setEvents([.readable, .writable], at: socket)
        wakeup.drain()
        #expect(try found() == [[.readable, .writable], [], []])
    }

    @Test("returns at its timeout with nothing ready")
    func timeout() throws {
        let wakeup = try Wakeup()
        var poller = Poller()
        let bell = poller.add(wakeup)

        #expect(try poller.wait(timeoutMilliseconds: 1) == 0)
        #expect(poller[bell] == [])
    }

    @Test("hears every signal from other threads: none is lost, whatever the moment")
    func wakeups() throws {
        let wakeup = try Wakeup()
        let mailbox = Mailbox()
        let rounds = 20_000
        Thread.detachNewThread {
            for _ in 0..<rounds {
                mailbox.letters.withLock { $0 += 1 }
                wakeup.signal()
            }
        }

        var poller = Poller()
        let bell = poller.add(wakeup)
        var taken = 0
        while taken < rounds {
            // A lost signal would leave letters in the box and nobody ringing again.
            try #require(poller.wait(timeoutMilliseconds: 60_000) == 1)
            #expect(poller[bell] == .readable)
            wakeup.drain()
            taken += mailbox.letters.withLock { letters in
                defer { letters = 0 }
                return letters
            }
        }

        #expect(taken == rounds)
    }

    private final class Mailbox: Sendable {
        let letters = Mutex(0)
    }
}
