/// A page of a tree.
struct Page {
    var node: [UInt8]
    var value: [UInt8]
    /// The bytes that it takes: its texts and an approximate overhead.
    var bytes: Int { 128 + node.count + value.count }
    /// The index of its parent; `nil` for the root.
    var parent: Int?
}

/// A tree of pages. The pages are in the order in which they were opened, so that each follows its parent.
struct PageTree {
    typealias Index = TableIndex<PageTree>

    var name: [UInt8]
    /// The account that created the tree.
    let account: AccountRecord.Index?
    var pages: [Page] = []
    /// The index of the current page; unspecified if there are no pages.
    var current = 0
    /// The live popups bound to the tree, in order of acceptance.
    var bound = List<BoundPopups>()
    /// The number of bound popups.
    var boundCount = 0
    /// The values from the root to the current page.
    private(set) var path: [[UInt8]] = []

    init(name: [UInt8], account: AccountRecord.Index?) {
        self.name = name
        self.account = account
    }

    /// The bytes that the tree and its pages take.
    var bytes: Int { pages.reduce(256 + name.count) { $0 + $1.bytes } }

    func index(of node: UnsafeRawBufferPointer) -> Int? {
        pages.firstIndex { $0.node.withUnsafeBytes { $0.equals(node) } }
    }

    /// Returns the indices of the pages from the root to a page.
    func path(to index: Int) -> [Int] {
        var path = [index]
        while let parent = pages[path[path.count - 1]].parent { path.append(parent) }
        return path.reversed()
    }

    /// The indices of the pages from the root to the current one.
    var currentPath: [Int] { pages.isEmpty ? [] : path(to: current) }

    /// Removes a page and all pages below it.
    mutating func close(_ closed: Int) {
        var kept: [Int: Int] = [:]
        var remaining: [Page] = []
        let current = currentPath
        for (index, page) in pages.enumerated() where index != closed {
            let parent = page.parent.map { kept[$0] }
            guard parent != .some(nil) else { continue }
            kept[index] = remaining.count
            remaining.append(Page(node: page.node, value: page.value, parent: parent ?? nil))
        }
        self.current = current.compactMap { kept[$0] }.last ?? 0
        pages = remaining
    }

    /// The values of the pages.
    var values: Set<[UInt8]> { Set(pages.lazy.map(\.value)) }

    /// Updates `path` after a change.
    mutating func noteCurrentPath() {
        path = currentPath.map { pages[$0].value }
    }
}

/// The trees of pages by name. A tree exists while it has a page or a popup is bound to it.
struct PageTrees {
    private var trees: [PageTree?] = []
    private var freePlaces: [PageTree.Index] = []
    private var places: [[UInt8]: PageTree.Index] = [:]

    init() {}

    var count: Int { places.count }

    /// The names of the trees in byte order.
    var names: [[UInt8]] { places.keys.sorted { $0.lexicographicallyPrecedes($1) } }

    func place(of name: UnsafeRawBufferPointer) -> PageTree.Index? { places[Array(name)] }

    func place(of name: [UInt8]) -> PageTree.Index? { places[name] }

    /// The tree at an index in use.
    subscript(place: PageTree.Index) -> PageTree {
        _read { yield trees[place.number]! }
        _modify { yield &trees[place.number]! }
    }

    mutating func make(_ name: UnsafeRawBufferPointer, account: AccountRecord.Index?) -> PageTree.Index {
        let tree = PageTree(name: Array(name), account: account)
        let place = freePlaces.popLast() ?? PageTree.Index(number: trees.count)
        if place.number == trees.count { trees.append(tree) } else { trees[place.number] = tree }
        places[tree.name] = place
        return place
    }

    /// Removes a tree without pages and bound popups, and returns it.
    mutating func forgetIfEmpty(_ place: PageTree.Index) -> PageTree? {
        guard let tree = trees[place.number], tree.pages.isEmpty, tree.bound.isEmpty else { return nil }
        places[tree.name] = nil
        trees[place.number] = nil
        freePlaces.append(place)
        return tree
    }
}

extension Scheduler {
    /// Creates a tree for an account.
    mutating func makeTree(_ name: UnsafeRawBufferPointer, of account: AccountRecord.Index?) -> PageTree.Index {
        let tree = pages.make(name, account: account)
        let bytes = pages[tree].bytes
        store.countBytes(bytes)
        if let account {
            accounts[account].trees += 1
            accounts[account].bytes += bytes
        }
        return tree
    }

    /// Changes the pages of a tree, and counts the bytes that they take.
    mutating func changePages(of tree: PageTree.Index, _ change: (inout PageTree) -> Void) {
        let former = pages[tree].bytes
        change(&pages[tree])
        let (more, account) = (pages[tree].bytes - former, pages[tree].account)
        store.countBytes(more)
        if let account { accounts[account].bytes += more }
    }

    mutating func forgetTreeIfEmpty(_ place: PageTree.Index) {
        guard let tree = pages.forgetIfEmpty(place) else { return }
        store.countBytes(-tree.bytes)
        count(of: tree.account) {
            $0.trees -= 1
            $0.bytes -= tree.bytes
        }
    }
}
