import Foundation
import PopupProtocol
import Testing

@testable import PopupClient

@Suite("The window of commands under way")
struct DeliveryWindowTests {
    private static let name = ProducerName(high: 0, low: 1)
    private static let other = ProducerName(high: 0, low: 2)
    private let start = ContinuousClock.now

    private func window(_ count: Int = 0) -> DeliveryWindow {
        var window = DeliveryWindow(producer: Self.name)
        for id in 0..<count { window.add(UInt64(id + 1), [UInt8(truncatingIfNeeded: id)], at: start) }
        return window
    }

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    private func ack(
        _ cumulative: UInt64, and more: [UInt64] = [], epoch: UInt64 = 1, refusing: [WireRefusal] = []
    ) -> WireAck {
        var ack = WireAck()
        ack.epoch = epoch
        ack.cumulative = cumulative
        ack.refusals = refusing
        var bits = [UInt8](repeating: 0, count: 32)
        for sequence in more {
            let bit = Int(sequence - cumulative - 2)
            bits[bit / 8] |= 1 << (bit % 8)
        }
        ack.selective = Data(bits)
        return ack
    }

    private func refusal(
        _ sequence: UInt64, _ reason: WireRefused.Reason, _ detail: String = "", retryAfter: UInt32 = 0
    ) -> WireRefusal {
        var refusal = WireRefusal()
        refusal.sequence = sequence
        refusal.reason = reason
        refusal.detail = detail
        refusal.retryAfterMs = retryAfter
        return refusal
    }

    private func settled(_ number: UInt64, _ refusal: Refusal? = nil) -> DeliveryWindow.Settled {
        DeliveryWindow.Settled(id: number, sequence: number, refusal: refusal)
    }

    private func hasRoom(_ window: DeliveryWindow) -> Bool {
        DeliveryWindow.holds(window.nextSequence, from: window.commands.first?.sequence ?? window.nextSequence)
    }

    private func receive(
        _ window: inout DeliveryWindow, _ ack: WireAck, at milliseconds: Int
    ) -> [DeliveryWindow.Settled] {
        window.receive(ack, at: at(milliseconds)) { Self.other }
    }

    /// When each sending of the oldest command is due, from the first on.
    private func sendings(_ window: inout DeliveryWindow, _ count: Int) -> [Int] {
        var times: [Int] = []
        for _ in 0..<count {
            guard let deadline = window.deadline else { break }
            times.append(Int((start.duration(to: deadline) / .milliseconds(1)).rounded()))
            window.sentAgain(window.due(at: deadline).map(\.sequence), at: deadline)
        }
        return times
    }

    @Test("sends again after 250 ms, doubling to 5 s")
    func timetable() {
        var window = window(1)
        #expect(sendings(&window, 7) == [250, 750, 1750, 3750, 7750, 12750, 17750])
    }

    @Test("is opened by what an acknowledgement tells: all up to a sequence, single ones above it, and refusals")
    func acks() {
        var window = window(10)

        let told = receive(
            &window, ack(2, and: [4, 7], refusing: [refusal(4, .stale, "too late")]), at: 10)

        #expect(
            told == [
                settled(1), settled(2),
                settled(4, Refusal(.stale, "too late")),
                settled(7),
            ])
        #expect(window.commands.map(\.sequence) == [3, 5, 6, 8, 9, 10])
        #expect(window.settledOrdinal == 2)
        // A repetition settles nothing twice, and an older one takes nothing back.
        #expect(receive(&window, ack(2, and: [4, 7]), at: 11) == [])
        #expect(receive(&window, ack(0, and: [4]), at: 12) == [])
        #expect(window.commands.map(\.sequence) == [3, 5, 6, 8, 9, 10])
        #expect(receive(&window, ack(10), at: 13).map(\.id) == [3, 5, 6, 8, 9, 10])
        #expect(window.deadline == nil)
        #expect(window.settledOrdinal == 10)
    }

    @Test("holds no more than an acknowledgement can tell one by one, from the oldest open one on")
    func room() {
        var window = window(256)
        #expect(!hasRoom(window))
        // The oldest is open: what is settled above it makes no room.
        _ = receive(&window, ack(0, and: Array(2...256)), at: 1)
        #expect(window.commands.map(\.sequence) == [1])
        #expect(!hasRoom(window))
        _ = receive(&window, ack(256), at: 2)
        #expect(hasRoom(window))
        #expect(window.nextSequence == 257)
    }

    @Test("puts off what the broker had no room for, and sends it under the same sequence")
    func overload() {
        var window = window(2)
        let told = ack(1, refusing: [refusal(2, .overload, retryAfter: 900)])

        #expect(receive(&window, told, at: 10).map(\.id) == [1])
        // Told again, it is not put off further.
        #expect(receive(&window, told, at: 500) == [])

        #expect(window.due(at: at(909)).isEmpty)
        #expect(window.due(at: at(910)).map(\.sequence) == [2])
        window.sentAgain([2], at: at(910))
        #expect(receive(&window, ack(2), at: 920) == [settled(2)])
    }

    @Test("waits twice the round trip, measured with commands that were sent once")
    func roundTrip() {
        var window = window(1)
        _ = receive(&window, ack(1), at: 1000)
        window.add(2, [], at: at(1000))
        #expect(window.deadline == at(3000))

        // Sent twice: whichever sending it answers, it is no measure; and what was too short stays doubled.
        window.sentAgain([2], at: at(3000))
        _ = receive(&window, ack(2), at: 3010)
        window.add(3, [], at: at(3010))
        #expect(window.deadline == at(7010))

        _ = receive(&window, ack(3), at: 3110)
        window.add(4, [], at: at(3110))
        // (7 × 1000 + 100) / 8, twice.
        #expect(window.deadline == at(3110) + .microseconds(1_775_000))
    }

    @Test("sends all again at once when the broker is there again")
    func reconnection() {
        var window = window(3)
        _ = receive(&window, ack(0, and: [2]), at: 10)
        _ = sendings(&window, 4)

        window.reconnected(at: at(20_000))

        #expect(window.due(at: at(20_000)).map(\.sequence) == [1, 3])
        window.sentAgain([1, 3], at: at(20_000))
        #expect(window.deadline == at(20_250))
    }

    @Test("goes on under another name when a restarted broker has lost what it acknowledged")
    func lostMemory() {
        var window = window(4)
        _ = receive(&window, ack(2, and: [4]), at: 10)

        #expect(receive(&window, ack(0, and: [3], epoch: 2), at: 20).map(\.id) == [3])
        #expect(window.producer == Self.other)
        #expect(window.nextSequence == 1)

        var unheard = self.window(4)
        _ = receive(&unheard, ack(2), at: 10)
        #expect(receive(&unheard, ack(0, epoch: 2), at: 20) == [])
        #expect(unheard.producer == Self.other)
        #expect(unheard.commands.map(\.sequence) == [1, 2])
        #expect(unheard.commands.map(\.id) == [3, 4])
        #expect(unheard.due(at: at(20)).map(\.sequence) == [1, 2])
        #expect(unheard.settledOrdinal == 2)
    }

    @Test("goes on under the same name when a restarted broker remembers")
    func keptMemory() {
        var window = window(4)
        _ = receive(&window, ack(2, and: [4]), at: 10)
        #expect(receive(&window, ack(2, and: [4], epoch: 2), at: 20) == [])
        #expect(receive(&window, ack(4, epoch: 2), at: 30).map(\.id) == [3])
        #expect(window.producer == Self.name)
        #expect(window.nextSequence == 5)
    }

    @Test("ignores the acknowledgements of a broker that has been succeeded")
    func oldEpoch() {
        var window = window(2)
        _ = receive(&window, ack(0, epoch: 2), at: 10)
        #expect(receive(&window, ack(2, epoch: 1), at: 20) == [])
        #expect(window.commands.count == 2)
    }

    @Test("believes a broker that has forgotten it only when it keeps saying so")
    func forgotten() {
        var window = window(2)
        _ = receive(&window, ack(1), at: 0)
        _ = receive(&window, ack(0), at: 100)
        _ = receive(&window, ack(1), at: 2000)
        _ = receive(&window, ack(0), at: 2200)
        #expect(window.producer == Self.name)
        _ = receive(&window, ack(0), at: 4200)
        #expect(window.producer == Self.other)
        #expect(window.commands.map(\.sequence) == [1])
    }

    private func contents(settled: UInt64, open: Int = 0) -> OutboxContents {
        var contents = OutboxContents(producer: Self.name)
        _ = contents.add(Array(repeating: [], count: Int(settled) + open))
        _ = contents.settle(Array(1...settled))
        return contents
    }

    @Test("goes on with what an earlier run had sent, of which the broker may know")
    func earlierRun() {
        var window = DeliveryWindow(continuing: contents(settled: 4, open: 3))
        #expect(receive(&window, ack(6), at: 0) == [])
        for sequence in [5, 6, 7] as [UInt64] { window.add(sequence, [], as: sequence, at: start) }
        #expect(receive(&window, ack(6), at: 10).map(\.sequence) == [5, 6])
        #expect(window.producer == Self.name)
        #expect(receive(&window, ack(7), at: 20).map(\.sequence) == [7])
    }

    @Test("goes on under another name when the broker knows more of it than it has sent")
    func restoredFromCopy() {
        var window = DeliveryWindow(continuing: contents(settled: 4))
        window.add(1, [], at: start)
        #expect(receive(&window, ack(9), at: 10).map(\.id) == [1])
        #expect(window.producer == Self.other)
        #expect(window.nextSequence == 1)
    }
}
