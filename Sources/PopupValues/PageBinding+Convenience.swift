extension PageBinding {
    /// Returns a binding: the popup is shown only while the current page has this value.
    public static func current(_ value: String, in tree: String) -> PageBinding {
        PageBinding(tree: tree, value: value, scope: .current)
    }

    /// Returns a binding: the popup is shown only while the current page, or one above it, has this value.
    public static func within(_ value: String, in tree: String) -> PageBinding {
        PageBinding(tree: tree, value: value, scope: .within)
    }

    /// Creates a binding to the pages of a tree that have a value.
    public init(tree: String, value: String, scope: Scope) {
        self.init()
        self.tree = tree
        self.value = value
        self.scope = scope
    }
}
