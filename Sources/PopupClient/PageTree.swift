public import PopupProtocol

/// The screens that a session is in, as a tree of pages: popups can be bound to them, and events carry the way to the
/// current one.
///
///     home ── history ── detail ── video
///       └──── settings
///
/// All throw as `BrokerConnection.send`; what the broker refuses (an unknown parent, a page that is there already with
/// another value) changes nothing.
public struct PageTree: Sendable {
    /// The connection, which others may share.
    public let connection: BrokerConnection
    /// Names the tree.
    public let name: String
    /// What its commands wait for.
    public let delivery: Delivery

    /// A tree by its name; it begins with its first page.
    public init(_ connection: BrokerConnection, name: String, delivery: Delivery = .confirmed) {
        self.connection = connection
        self.name = name
        self.delivery = delivery
    }

    /// Adds a page. The first one of the tree is its root, and is current.
    ///
    /// - Parameters:
    ///   - node: names the page within the tree.
    ///   - parent: the page above it; nil: it is the root.
    ///   - value: what popups are bound to and paths are made of; nil: the node's name.
    public func open(_ node: String, below parent: String? = nil, value: String? = nil) async throws {
        var page = WireOpenPage()
        page.node = node
        page.parent = parent ?? ""
        page.value = value ?? node
        try await send(.open(page))
    }

    /// The person is on this page now.
    public func enter(_ node: String) async throws {
        try await send(.enter(Self.node(node)))
    }

    /// Removes a page with all below it. Was the current one among them, its parent is current now. Popups that are
    /// bound to a value that no page has any more close (`PAGE_CLOSED`).
    public func close(_ node: String) async throws {
        try await send(.close(Self.node(node)))
    }

    /// Removes all pages.
    public func clear() async throws {
        try await send(.clear(WireEmpty()))
    }

    /// The way from the root to a page.
    ///
    /// - Throws: as `AdminClient.path(in:to:except:separator:)`.
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
