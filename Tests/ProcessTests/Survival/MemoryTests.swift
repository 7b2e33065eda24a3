import Foundation
import PopupProtocol
import SwiftProtobuf
import Testing

@Suite("The memory of a flood", .ownThread)
struct MemoryTests {
    /// In bytes: what may stay free for what comes next (32 MiB), and as much again for what a first flood lays out for good.
    private let allowance = 64 << 20

    private func memoryReturns(of broker: BrokerProcess, to before: Int, _ purpose: String) throws {
        let deadline = Deadline.standard
        while try broker.process.residentBytes > before + allowance {
            guard !deadline.isOver else {
                let more = try broker.process.residentBytes - before
                throw NotInTime(description: "\(purpose): \(more >> 20) MiB more than before")
            }
            Thread.sleep(forTimeInterval: 0.1)
        }
    }

    @Test("that is accepted comes back when its popups are gone, whatever their sizes")
    func accepted() throws {
        let broker = try BrokerProcess()
        let wire = try broker.wire()
        let before = try broker.process.residentBytes
        var most = 0
        for round in 0..<3 {
            var command = WireCommand()
            command.show.text = String(repeating: "x", count: 40_000 + 9000 * round)
            for number in 0..<2500 {
                command.show.id = "P\(round)-\(number)"
                command.show.group = "g\(number % 4)"
                try wire.send(frames: [try WireEncoding.binary.encode(command)])
            }
            try wire.settle()
            #expect(try wire.ask(#""count":{}"#).count.popups == 2500)
            most = max(most, try broker.process.residentBytes - before)
            try wire.send(#"{"clear":{"selector":{"group":"*"}}}"#)
            try wire.settle()
        }
        // Otherwise nothing was tested.
        #expect(most > 100 << 20 && most < 300 << 20)
        try memoryReturns(of: broker, to: before, "after the popups are gone")
    }

    @Test("that is refused comes back when it is over")
    func refused() throws {
        let broker = try BrokerProcess()
        let floods = try (0..<4).map { _ in try broker.wire() }
        let before = try broker.process.residentBytes
        let junk = [UInt8](repeating: 0xFF, count: 120_000)
        for _ in 0..<300 { for flood in floods { try flood.send(frames: [junk]) } }
        try floods[0].settle()
        #expect(try floods[0].ask(#""stats":{}"#).stats.refused >= 300)
        try memoryReturns(of: broker, to: before, "after the flood")
    }
}
