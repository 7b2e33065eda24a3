/// A change of a tree of pages, which describes what one session displays.
public struct PageChange: Sendable {
    /// The kind of change.
    public enum Kind: Sendable {
        /// Adds a page below its parent. The first page of a tree is its root: it has no parent and becomes the current
        /// page.
        case open(node: TextRange, parent: TextRange, value: TextRange)
        /// Makes a page the current one.
        case enter(node: TextRange)
        /// Removes a page and all pages below it. If the current page was among them, the parent of the removed page
        /// becomes the current one.
        case close(node: TextRange)
        /// Removes all pages.
        case clear
    }

    /// The name of the tree; not empty.
    public var tree: TextRange
    /// The kind of change.
    public var kind: Kind

    /// Creates a change.
    public init(tree: TextRange, _ kind: Kind) {
        self.tree = tree
        self.kind = kind
    }
}
