import ArgumentParser
import PopupClient
import PopupProtocol

struct PageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page",
        abstract: "Open, enter and close the pages of a session's tree, and ask for the way to one.",
        discussion: """
            popupctl page open app home
            popupctl page open app history --parent home
            popupctl page enter app history
            popupctl page path app --separator ' > '
            """,
        subcommands: [
            OpenPageCommand.self, EnterPageCommand.self, ClosePageCommand.self, ClearPagesCommand.self,
            PagePathCommand.self,
        ])
}

struct OpenPageCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Add a page; the first one of a tree is its root, and current.")

    @OptionGroup var page: PageOptions

    @Option(help: "The page above it; none: it is the root.")
    var parent: String?

    @Option(help: "What popups are bound to and paths are made of; absent: the node's name.")
    var value: String?

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ console: Console) async throws {
        let tree = console.pages(of: page.tree)
        try await tree.open(page.node, below: parent, value: value)
        // A refusal of a page command has no topic to be told on: whether the page is there tells it.
        let path = try await tree.path(to: page.node)
        var expected = [value ?? page.node]
        if let parent { expected = try await tree.path(to: parent).values + expected }
        guard path.values == expected else {
            throw Failure(
                "the broker did not open `\(page.node)`: its parent is not there, or the page is with another value or "
                    + "parent; see its log", .refused)
        }
        try page.print(path, of: page.node, broker)
    }
}

struct EnterPageCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "enter", abstract: "Make a page the current one.")

    @OptionGroup var page: PageOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ console: Console) async throws {
        let tree = console.pages(of: page.tree)
        let path = try await page.knownPath(in: tree)
        try await tree.enter(page.node)
        guard try await tree.path() == path else {
            throw Failure("the broker did not enter `\(page.node)`; see its log", .refused)
        }
        try page.print(path, of: page.node, broker)
    }
}

struct ClosePageCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "close", abstract: "Remove a page with all below it.")

    @OptionGroup var page: PageOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ console: Console) async throws {
        let tree = console.pages(of: page.tree)
        _ = try await page.knownPath(in: tree)
        try await tree.close(page.node)
        guard try await tree.path(to: page.node).values.isEmpty else {
            throw Failure("the broker did not close `\(page.node)`; see its log", .refused)
        }
        let path = try await tree.path()
        guard !broker.json else { return Terminal.print(try JSON.line(path)) }
        Terminal.print("\(page.node.onOneLine): closed; now at \(Words.path(path))")
    }
}

struct ClearPagesCommand: BrokerCommand {
    static let configuration = CommandConfiguration(commandName: "clear", abstract: "Remove all pages of a tree.")

    @Argument(help: "The tree.")
    var tree: String

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ console: Console) async throws {
        let pages = console.pages(of: tree)
        try await pages.clear()
        let path = try await pages.path()
        guard path.values.isEmpty else { throw Failure("the broker did not clear `\(tree)`; see its log", .refused) }
        Terminal.print(broker.json ? try JSON.line(path) : "\(tree.onOneLine): no pages")
    }
}

struct PagePathCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Print the way from the root to the current page, or to another one.")

    @Argument(help: "The tree.")
    var tree: String

    @Argument(help: "The page; none: the current one.")
    var node: String?

    @Option(help: "Leave out pages with this value.")
    var except: String?

    @Option(help: "What stands between the values.")
    var separator: String = "/"

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ console: Console) async throws {
        let path = try await console.path(in: tree, to: node, except: except, separator: separator)
        Terminal.print(broker.json ? try JSON.line(path) : path.joined.onOneLine)
    }
}

/// A page of a tree.
struct PageOptions: ParsableArguments {
    @Argument(help: "The tree.")
    var tree: String

    @Argument(help: "Names the page within the tree.")
    var node: String

    /// - Throws: `Failure` when there is no such page.
    func knownPath(in pages: PageTree) async throws -> PagePath {
        let path = try await pages.path(to: node)
        guard !path.values.isEmpty else {
            throw Failure("no page `\(node)` is open in `\(tree)`; open it with `popupctl page open`", .refused)
        }
        return path
    }

    func print(_ path: PagePath, of node: String, _ broker: BrokerOptions) throws {
        Terminal.print(broker.json ? try JSON.line(path) : "\(node.onOneLine): \(Words.path(path))")
    }
}
