import ArgumentParser
import ExampleSupport
import PopupClient

/// A producer that has nothing to do with wishes, and considers its popups more important.
struct AdvertRole: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "advert", abstract: "Shows adverts of a high priority repeatedly, until it is stopped.")

    /// The collapse key: the newest advert replaces one that still waits.
    private static let collapseKey = "advert"
    private static let texts = [
        "Wishing wells, now with coins included", "Sand-proof shoes, half price today",
        "Ice cream? There is an app for it",
    ]

    @OptionGroup var story: StoryOptions
    @Option(help: "The time between two adverts, in ms.") var every: UInt32 = 2500
    @Option(help: "The display time of each, in ms.") var duration: UInt32 = 1200
    @Option(parsing: .unconditional, help: "The priority of the adverts.") var priority: Int32 = 9

    func perform() async throws {
        let connection = try BrokerConnection(story.brokerEndpoints)
        let producer = Producer(connection)
        try await running(for: story.limit) { [self] in
            for number in 1...10_000 {
                var advert = Popup(
                    id: "\(story.run)advert-\(number)", group: Wish.group, priority: priority,
                    duration: .milliseconds(Int64(duration)), title: "Advert",
                    text: Self.texts[(number - 1) % Self.texts.count])
                advert.collapseKey = Self.collapseKey
                advert.presentation.style = "warning"
                try await producer.show(advert)
                tell("advert", "asks to be shown, with priority \(priority)")
                try await Task.sleep(for: .milliseconds(Int64(every)))
            }
        }
        await connection.close()
    }
}
