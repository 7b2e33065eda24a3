import ArgumentParser
import ExampleSupport
import Foundation
import PopupClient

@main
struct PagesWalk: ExampleCommand {
    static let configuration = CommandConfiguration(
        commandName: "pages-walk",
        abstract:
            "Walks through the screens of a small app, and prints by which path each popup was reached and how it ended.",
        discussion: """
            `terminal-renderer --group app/overlay` in another terminal shows the popups as they come and go.
            """,
        version: ProductVersion.text(of: "pages-walk"))

    @OptionGroup var story: StoryOptions

    @Option(help: ArgumentHelp("The time between two steps, in ms.", valueName: "ms"))
    var pause: UInt32 = 600

    func perform() async throws {
        let connection = try BrokerConnection(story.brokerEndpoints)
        let (run, pause) = (story.run, Duration.milliseconds(Int64(pause)))
        let walk = Walk(run: run)
        let end = try await running(for: story.limit) {
            var app = try await App(connection, tree: walk.tree, group: Walk.group)
            for step in walk.steps {
                Output.line(step.words)
                try await app.take(step)
                try await Task.sleep(for: pause)
            }
            Output.line("")
            app.attribution.lines().forEach(Output.line)
        }
        if end == .timeUp { throw Failure(.unavailable, "the walk took longer than --at-most") }
        await connection.close()
    }
}
