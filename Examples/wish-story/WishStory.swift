import ArgumentParser

@main
struct WishStory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wish-story",
        abstract:
            "Roles of a story: a server answers each of a person's choices with the next popup. `run.sh` plays it.",
        subcommands: [ServerRole.self, AdvertRole.self])
}
