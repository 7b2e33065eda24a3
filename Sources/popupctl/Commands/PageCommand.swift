import ArgumentParser
import PopupClient
import PopupProtocol
import TerminalText

struct PageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page",
        abstract: "Open, enter and close the pages of a tree, and print the path to one.",
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

struct OpenPageCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Add a page; the first page of a tree is its root and its current page.")

    @OptionGroup var page: PageOptions

    @Option(help: "The parent page (default: none, for the root).")
    var parent: String?

    @Option(help: "The value that popups are bound to and paths consist of (default: the name of the page).")
    var value: String?

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ admin: AdminClient) async throws {
        _ = try await send(admin)
        try await page.printPath(in: admin.pages(of: page.tree), broker)
    }

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.pages(of: page.tree).open(page.node, below: parent, value: value)
        return page.node
    }
}

struct EnterPageCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "enter", abstract: "Make a page the current one.")

    @OptionGroup var page: PageOptions

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ admin: AdminClient) async throws {
        _ = try await send(admin)
        try await page.printPath(in: admin.pages(of: page.tree), broker)
    }

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.pages(of: page.tree).enter(page.node)
        return page.node
    }
}

struct ClosePageCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "close", abstract: "Remove a page and all pages below it.")

    @OptionGroup var page: PageOptions

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ admin: AdminClient) async throws {
        _ = try await send(admin)
        let path = try await admin.pages(of: page.tree).path()
        guard !broker.json else { return Terminal.print(try JSON.line(path)) }
        Terminal.print("\(page.node.onOneLine): closed; now at \(Words.path(path))")
    }

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.pages(of: page.tree).close(page.node)
        return page.node
    }
}

struct ClearPagesCommand: ChangeCommand {
    static let configuration = CommandConfiguration(commandName: "clear", abstract: "Remove all pages of a tree.")

    @Argument(help: "The tree.")
    var tree: String

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ admin: AdminClient) async throws {
        _ = try await send(admin)
        let path = try await admin.pages(of: tree).path()
        Terminal.print(broker.json ? try JSON.line(path) : "\(tree.onOneLine): no pages")
    }

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.pages(of: tree).clear()
        return tree
    }
}

struct PagePathCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Print the path from the root to the current page, or to another page.")

    @Argument(help: "The tree.")
    var tree: String

    @Argument(help: "The page (default: the current one).")
    var node: String?

    @Option(help: "Omit pages with this value.")
    var except: String?

    @Option(help: "The text between the values.")
    var separator: String = "/"

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ admin: AdminClient) async throws {
        let path = try await admin.path(in: tree, to: node, except: except, separator: separator)
        if path.values.isEmpty { try await checkPage(admin) }
        Terminal.print(broker.json ? try JSON.line(path) : path.joined.onOneLine)
    }

    /// Checks that there is the page, whose path may be empty because all its values are omitted.
    private func checkPage(_ admin: AdminClient) async throws {
        if except != nil, try await !admin.path(in: tree, to: node).values.isEmpty { return }
        var what = "there is no tree `\(tree)`"
        if let node, try await !admin.path(in: tree).values.isEmpty {
            what = "the tree `\(tree)` has no page `\(node)`"
        }
        throw Failure("\(what.onOneLine); `popupctl page open` opens a page", .refused)
    }
}

/// A page of a tree.
struct PageOptions: ParsableArguments {
    @Argument(help: "The tree.")
    var tree: String

    @Argument(help: "The name of the page within the tree.")
    var node: String

    func printPath(in pages: PageTree, _ broker: BrokerOptions) async throws {
        let path = try await pages.path(to: node)
        Terminal.print(broker.json ? try JSON.line(path) : "\(node.onOneLine): \(Words.path(path))")
    }
}
