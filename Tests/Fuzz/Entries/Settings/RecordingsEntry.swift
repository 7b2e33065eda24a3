import Foundation
@testable import PopupBroker
import PopupConfiguration
import PopupProtocol
import PopupSimulation
@testable import popup_broker

/// Files of commands into `simulate`.
enum RecordingsEntry {
    private static let path = ScratchFolder.path("recordings.jsonl")

    static func run(_ input: [UInt8]) throws -> Bool {
        var isAccepted = false
        try Data(input).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        if let line = input.split(separator: UInt8(ascii: "\n")).first {
            _ = try? Timestamp(String(decoding: line, as: UTF8.self))
        }
        do {
            var recording = try CommandFile(path: path)
            var simulation = try Simulation(SimulationSettings(BrokerConfiguration()))
            while let step = try recording.next() {
                isAccepted = true
                switch step.action {
                case .commands(let commands, let leasesLast):
                    for command in commands {
                        simulation.apply(command, at: step.time, leasesLast: leasesLast) { _ = $0.jsonLine }
                    }
                case .removePolicy(let pattern): simulation.removePolicy(of: pattern, at: step.time) { _ = $0.jsonLine }
                case .setWallClock(let ahead): simulation.setWallClock(ahead: ahead, at: step.time) { _ = $0.jsonLine }
                }
            }
            simulation.finish { _ = $0.jsonLine }
            _ = simulation.waitingCount()
        } catch let fault as RecordingFault {
            guard !fault.text.isEmpty else { throw Finding("a fault without a text") }
        }
        return isAccepted
    }
}
