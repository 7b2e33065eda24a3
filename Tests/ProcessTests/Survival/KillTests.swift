import Foundation
import Testing

/// `POPUP_ROUNDS` and `POPUP_SEED` make another run of it: `make chaos ROUNDS=200 SEED=1`.
@Suite("Killed at random moments under load, broker, producers and renderers", .ownThread, .serialized)
struct KillTests {
    private static let environment = ProcessInfo.processInfo.environment

    @Test(
        "lose nothing that was accepted, and show nothing twice to its end",
        arguments: [("full", 20), ("normal", 6)])
    func rounds(durability: String, rounds: Int) throws {
        let seed = Self.environment["POPUP_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...999_999)
        let rounds = Self.environment["POPUP_ROUNDS"].flatMap { Int($0) } ?? rounds
        print("\(rounds) rounds with durability \(durability); again: make chaos ROUNDS=\(rounds) SEED=\(seed)")
        let faults = try KillRounds(seed: seed, durability: durability).run(rounds)
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }
}
