/// A change of a tree of pages: the screens of one session.
public struct PageChange: Sendable {
    /// What changes.
    public enum Kind: Sendable {
        /// A page is added below its parent; the first of a tree is its root, has none, and is current.
        case open(node: TextRange, parent: TextRange, value: TextRange)
        /// A page becomes the current one.
        case enter(node: TextRange)
        /// A page goes, with all below it. Was the current page among them, its parent is current now.
        case close(node: TextRange)
        /// All pages go.
        case clear
    }

    /// Names the tree; must not be empty.
    public var tree: TextRange
    /// What changes.
    public var kind: Kind

    /// A change.
    public init(tree: TextRange, _ kind: Kind) {
        self.tree = tree
        self.kind = kind
    }
}
