import Foundation
import PopupClient

/// Asks the broker what became of the popups whose ids a file names, one a line:
///
///     found ID closed REASON MS    it is closed, and has been displayed for so long
///     found ID PHASE               it is not
///     audited COUNT
struct AuditorRole {
    private static let atOnce = 16

    let endpoints: BrokerEndpoints
    let file: String

    func play() async throws {
        let admin = try AdminClient(endpoints, limits: .patient)
        let ids = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, id) in ids.enumerated() {
                if number >= Self.atOnce { try await group.next() }
                group.addTask { Fact.tell("found \(id) \(Self.words(try await admin.explain(id)))") }
            }
            try await group.waitForAll()
        }
        Fact.tell("audited \(ids.count)")
        await admin.close()
    }

    private static func words(_ explanation: PopupExplanation) -> String {
        guard let closed = explanation.closed else { return "\(explanation.phase)" }
        return "closed \(closed.reason) \(closed.displayedMs)"
    }
}
