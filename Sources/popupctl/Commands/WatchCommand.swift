import ArgumentParser
import Foundation
import PopupClient

struct WatchCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch groups: what each shows, the time left, and its queue.",
        discussion: """
            On a terminal it draws a view and updates it: groups that show a popup first, then those with a queue, then \
            the idle ones. The arrow keys, PgUp and PgDn scroll, q leaves. Otherwise, also if TERM is dumb or empty, it \
            prints one line per change (with --json, the state) until Ctrl-C.
            """)

    @Argument(help: "Groups and patterns; * for all groups.", completion: BrokerCompletion.groups)
    var groups: [String] = ["*"]

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ admin: AdminClient) async throws {
        let interrupts = Interrupts()
        let interrupted = interrupts.stream
        defer { withExtendedLifetime(interrupts) {} }
        let states = try admin.states(of: groups)
        try await admin.connected(timeout: connection.timeout.duration)
        try await admin.checkRight(.watch, in: groups)
        try await withThrowingTaskGroup { group in
            group.addTask {
                if Terminal.current.canRedraw, !broker.json {
                    try await LiveView(admin: admin, groups: groups).run(states)
                } else {
                    var printed = PrintedVersions()
                    let characters = Terminal.current.characters
                    for try await state in states where printed.record(state.state) {
                        Terminal.print(
                            broker.json ? try JSON.line(state) : WatchLine.text(state, at: Date(), characters))
                    }
                }
            }
            group.addTask { for await _ in interrupted { return } }
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }
}

/// The versions of the states that are printed: a state comes again when the broker is not heard any more, and when it is.
///
/// An empty group keeps its version, because its state comes again, too. The stream limits the number of groups.
private struct PrintedVersions {
    private struct Version: Equatable {
        var epoch: UInt64
        var revision: UInt64
        /// Whether it has a popup: the state of the broker may correct, with the same revision, one that the client presumed.
        var hasActive: Bool
    }

    private var last: [String: Version] = [:]

    /// Records a state, and returns whether it is another than the last one of its group.
    mutating func record(_ state: PublishedState) -> Bool {
        let version = Version(epoch: state.epoch, revision: state.revision, hasActive: state.active != nil)
        return last.updateValue(version, forKey: state.group) != version
    }
}
