import ArgumentParser
import PopupClient

@main
struct WishStory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wish-story",
        abstract:
            "Roles of a story: a server answers each of a person's choices with the next popup. `run.sh` plays it.",
        version: ProductVersion.text(of: "wish-story"),
        subcommands: [ServerRole.self, AdvertRole.self])
}
