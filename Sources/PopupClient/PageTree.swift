import PopupProtocol
@_spi(Wire) public import PopupValues

/// A tree of pages, such as the screens of an app. Popups can be bound to pages, and events contain the path to the
/// current page.
///
///     home ── history ── detail ── video
///       └──── settings
///
/// All methods throw the errors of `BrokerConnection.send`. A refused change (an unknown parent, an existing page with
/// another value) has no effect.
public struct PageTree: Sendable {
    /// The connection. Several clients may share it.
    public let connection: BrokerConnection
    /// The name of the tree.
    public let name: String
    /// The condition for which a command waits.
    public let delivery: Delivery

    /// Creates a reference to a tree. The tree itself begins with its first page.
    public init(_ connection: BrokerConnection, name: String, delivery: Delivery = .confirmed) {
        self.connection = connection
        self.name = name
        self.delivery = delivery
    }

    /// Adds a page. The first page of a tree is its root and its current page.
    ///
    /// - Parameters:
    ///   - node: The name of the page within the tree.
    ///   - parent: The parent page; `nil` for the root.
    ///   - value: The value that popups are bound to and paths consist of; `nil`: the name of the page.
    public func open(_ node: String, below parent: String? = nil, value: String? = nil) async throws {
        var page = WireOpenPage()
        page.node = node
        page.parent = parent ?? ""
        page.value = value ?? node
        try await send(.open(page))
    }

    /// Makes a page the current one.
    public func enter(_ node: String) async throws {
        try await send(.enter(Self.node(node)))
    }

    /// Removes a page and all pages below it. If the current page is one of them, the parent becomes the current page.
    /// Popups bound to a value that no page has any more close (`PAGE_CLOSED`).
    public func close(_ node: String) async throws {
        try await send(.close(Self.node(node)))
    }

    /// Removes all pages.
    public func clear() async throws {
        try await send(.clear(WireEmpty()))
    }

    /// Returns the path from the root to a page.
    ///
    /// - Throws: The errors of `AdminClient.path(in:to:except:separator:)`.
    public func path(
        to node: String? = nil, except: String? = nil, separator: String = "/"
    ) async throws -> PagePath {
        try await AdminClient(connection).path(in: name, to: node, except: except, separator: separator)
    }

    private func send(_ page: WirePage.OneOf_Page) async throws {
        var command = WirePage()
        command.tree = name
        command.page = page
        try await AdminClient(connection, delivery: delivery).send(.page(command))
    }

    private static func node(_ name: String) -> WirePageNode {
        var node = WirePageNode()
        node.node = name
        return node
    }
}
