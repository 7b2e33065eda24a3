import ArgumentParser
import ExampleSupport
import PopupClient

/// A producer of notices. They have a group of their own, so offers and notices do not wait for each other.
struct OfficeRole: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "office", abstract: "Sends notices, one after the other, until the order is cancelled.")

    static let group = "freight/notices"

    private static let notices = [
        "Toll on the Brenner goes up on Monday", "Ferry Travemünde–Trelleborg delayed by 40 min",
        "Fuel 1.62 €/l today", "A7 closed near Kassel until 18:00", "Customs in Basel is quick today",
    ]

    @OptionGroup var story: StoryOptions
    @Option(help: "The time between two notices, in ms.") var every: UInt32 = 1500
    @Option(help: "The display time of each, in ms.") var duration: UInt32 = 1200

    func perform() async throws {
        let connection = try BrokerConnection(story.brokerEndpoints)
        let events = try await AdminClient(connection).listening(to: ["freight/*"])
        let run = story.run
        try await running(for: story.limit) { [self] in
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await send(Producer(connection)) }
                tasks.addTask {
                    for try await event in events where event.popup == CustomerRole.cancellation(of: run) { return }
                }
                defer { tasks.cancelAll() }
                try await tasks.next()
            }
        }
        tell("office", "goes home")
        await connection.close()
    }

    private func send(_ producer: Producer) async throws {
        for number in 1...1000 {
            var notice = Popup(
                id: "\(story.run)notice-\(number)", group: Self.group, duration: .milliseconds(Int64(duration)),
                title: "Notice", text: Self.notices[(number - 1) % Self.notices.count])
            notice.presentation.scene = .topBar
            try await producer.show(notice)
            tell("office", "says: \(notice.contentText)")
            try await Task.sleep(for: .milliseconds(Int64(every)))
        }
    }
}
