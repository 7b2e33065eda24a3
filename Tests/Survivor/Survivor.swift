import Foundation
import PopupClient

/// The producers, renderers and auditors that the tests of survival kill: one role a process, and one line for each fact.
///
///     survivor producer INGRESS EGRESS NAME COUNT [OUTBOX]
///     survivor renderer INGRESS EGRESS GROUPS dismiss|keep
///     survivor auditor  INGRESS EGRESS FILE
///
/// What goes wrong is a fact, too: `failed …`. A process ends when its parent has.
@main
struct Survivor {
    static func main() async {
        watchParent()
        do {
            try await play(CommandLine.arguments.dropFirst().map { $0 })
        } catch {
            Fact.tell("failed \(error)")
            exit(1)
        }
    }

    private static func play(_ arguments: [String]) async throws {
        guard arguments.count >= 4 else { throw Misuse() }
        let endpoints = BrokerEndpoints(ingress: arguments[1], egress: arguments[2])
        switch (arguments[0], arguments.count) {
        case ("producer", 5...6):
            guard let count = Int(arguments[4]) else { throw Misuse() }
            try await ProducerRole(
                endpoints: endpoints, name: arguments[3], count: count, outbox: arguments.dropFirst(5).first
            ).play()
        case ("renderer", 5):
            try await RendererRole(
                endpoints: endpoints, groups: arguments[3], isDismissing: arguments[4] == "dismiss"
            ).play()
        case ("auditor", 4):
            try await AuditorRole(endpoints: endpoints, file: arguments[3]).play()
        default: throw Misuse()
        }
    }

    private static func watchParent() {
        let parent = getppid()
        Thread.detachNewThread {
            while getppid() == parent { sleep(1) }
            exit(1)
        }
    }
}

struct Misuse: Error, CustomStringConvertible {
    let description = "no such role; see Survivor.swift"
}

/// What has happened for certain, as the tests count it.
enum Fact {
    /// Tells it in one write: a process that is killed has told it wholly or not at all.
    static func tell(_ words: String) {
        let line = Array("\(words)\n".utf8)
        _ = write(1, line, line.count)
    }
}

extension ClientLimits {
    /// Those of a client that waits for a broker as long as it takes.
    static var patient: ClientLimits {
        var limits = ClientLimits()
        limits.sendTimeout = .seconds(300)
        limits.replyTimeout = .seconds(60)
        return limits
    }
}

/// Waits to be killed.
func waitForTheEnd() async throws {
    while true { try await Task.sleep(for: .seconds(3600)) }
}
