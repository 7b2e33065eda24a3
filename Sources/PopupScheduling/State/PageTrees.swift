/// A page of a tree.
struct Page {
    /// Its index in its tree.
    typealias Index = TableIndex<Page>

    let node: [UInt8]
    let value: [UInt8]
    /// The index of its parent; `nil` for the root.
    let parent: Index?

    /// The bytes that it takes: its texts and an approximate overhead.
    var bytes: Int { 128 + node.count + value.count }
}

/// A tree of pages with one current page. The pages are in the order in which they were opened, so that each follows
/// its parent.
struct PageTree {
    typealias Index = TableIndex<PageTree>

    let name: [UInt8]
    /// The account that created the tree.
    let account: AccountRecord.Index?
    private(set) var pages: [Page] = []
    /// The index of the current page; `nil` if there are no pages.
    private(set) var current: Page.Index?
    /// The values from the root to the current page.
    private(set) var path: [[UInt8]] = []
    /// The live popups bound to the tree, in order of acceptance.
    var bound = List<BoundPopups>()
    /// The number of bound popups.
    var boundCount = 0

    init(name: [UInt8], account: AccountRecord.Index?) {
        self.name = name
        self.account = account
    }

    /// The bytes that the tree and its pages take.
    var bytes: Int { pages.reduce(256 + name.count) { $0 + $1.bytes } }

    /// The values of the pages.
    var values: Set<[UInt8]> { Set(pages.lazy.map(\.value)) }

    /// Returns the index of the page with a name.
    func index(of node: UnsafeRawBufferPointer) -> Page.Index? {
        pages.firstIndex { $0.node.withUnsafeBytes { $0.equals(node) } }.map { Page.Index(number: $0) }
    }

    /// The page at an index.
    subscript(index: Page.Index) -> Page { pages[index.number] }

    /// Returns the number of pages from the root to a page.
    func depth(of index: Page.Index) -> Int { ancestry(of: index).count }

    /// Returns the values from the root to a page.
    func path(to index: Page.Index) -> [[UInt8]] { ancestry(of: index).map { self[$0].value } }

    /// Returns the indices of the pages from the root to a page.
    private func ancestry(of index: Page.Index) -> [Page.Index] {
        var (path, next) = ([index], self[index].parent)
        while let parent = next {
            path.append(parent)
            next = self[parent].parent
        }
        return path.reversed()
    }

    // MARK: - Changes

    /// Adds a page. The first one is the root, and becomes the current page.
    mutating func open(_ page: Page) {
        let follows = page.parent.map { $0.number < pages.count } ?? pages.isEmpty
        assert(follows, "a page without its parent, or a second root")
        pages.append(page)
        if pages.count == 1 { enter(Page.Index(number: 0)) }
    }

    /// Makes a page the current one.
    mutating func enter(_ index: Page.Index) {
        current = index
        path = path(to: index)
    }

    /// Removes a page and all pages below it. If the current page is among them, the nearest remaining page above it
    /// becomes the current one.
    mutating func close(_ closed: Page.Index) {
        var kept: [Page.Index: Page.Index] = [:]
        var remaining: [Page] = []
        let former = current.map { ancestry(of: $0) } ?? []
        for (number, page) in pages.enumerated() where number != closed.number {
            let parent = page.parent.map { kept[$0] }
            guard parent != .some(nil) else { continue }
            kept[Page.Index(number: number)] = Page.Index(number: remaining.count)
            remaining.append(Page(node: page.node, value: page.value, parent: parent ?? nil))
        }
        pages = remaining
        if let current = former.compactMap({ kept[$0] }).last { enter(current) } else { clear() }
    }

    /// Removes all pages.
    mutating func clear() {
        pages = []
        current = nil
        path = []
    }

    // MARK: - Tests

    /// A sentence for every broken invariant.
    var brokenInvariants: [String] {
        guard !pages.isEmpty else { return path.isEmpty && current == nil ? [] : ["an empty tree has a current page"] }
        guard let current, pages.indices.contains(current.number) else { return ["the current page does not exist"] }
        var broken: [String] = []
        for (number, page) in pages.enumerated()
        where page.parent.map({ $0.number < number }) ?? (number == 0) == false {
            broken.append("page \(number) does not follow its parent")
        }
        if Set(pages.map(\.node)).count != pages.count { broken.append("two pages have one name") }
        if broken.isEmpty, path != path(to: current) { broken.append("the path does not lead to the current page") }
        return broken
    }
}

/// The trees of pages by name. A tree exists while it has a page or a popup is bound to it.
struct PageTrees {
    /// The positions in `trees`.
    private var positions = TableIndices<PageTree>()
    private var trees: [PageTree?] = []
    private var indices: [[UInt8]: PageTree.Index] = [:]

    init() {}

    var count: Int { indices.count }

    /// The names of the trees in byte order.
    var names: [[UInt8]] { indices.keys.sorted { $0.lexicographicallyPrecedes($1) } }

    /// Returns the tree with a name.
    func index(of name: UnsafeRawBufferPointer) -> PageTree.Index? { indices[Array(name)] }

    /// Returns the tree with a name.
    func index(of name: [UInt8]) -> PageTree.Index? { indices[name] }

    /// The tree at an index in use.
    subscript(index: PageTree.Index) -> PageTree {
        _read {
            positions.check(index)
            yield trees[index.number]!
        }
        _modify {
            positions.check(index)
            yield &trees[index.number]!
        }
    }

    /// Adds a tree without pages. Its name must not be in use.
    mutating func make(_ name: UnsafeRawBufferPointer, account: AccountRecord.Index?) -> PageTree.Index {
        let tree = PageTree(name: Array(name), account: account)
        let index = positions.insert()
        if index.number == trees.count { trees.append(tree) } else { trees[index.number] = tree }
        indices[tree.name] = index
        return index
    }

    /// Removes a tree without pages and bound popups, and returns it; `nil` if it has some, or was removed before.
    mutating func forgetIfEmpty(_ index: PageTree.Index) -> PageTree? {
        guard let tree = trees[index.number], tree.pages.isEmpty, tree.bound.isEmpty else { return nil }
        indices[tree.name] = nil
        trees[index.number] = nil
        positions.remove(index)
        return tree
    }

    /// Returns a sentence for every broken invariant.
    ///
    /// - Parameter boundCount: Returns the number of popups in a list of bound ones.
    func brokenInvariants(boundCount: (List<BoundPopups>) -> Int) -> [String] {
        var broken: [String] = []
        let used = Set(indices.values)
        if used.union(positions.free).count != trees.count || used.count != positions.count
            || used.count != indices.count
        {
            broken.append("a tree is lost, or in use and free")
        }
        for name in names {
            let text = "tree \(String(decoding: name, as: UTF8.self))"
            guard let index = indices[name], let tree = trees[index.number] else {
                broken.append("\(text) does not exist")
                continue
            }
            if tree.name != name { broken.append("\(text) has another name") }
            if tree.boundCount != boundCount(tree.bound) { broken.append("\(text) counts \(tree.boundCount) popups") }
            if tree.pages.isEmpty, tree.bound.isEmpty { broken.append("\(text) has nothing left") }
            broken += tree.brokenInvariants.map { "\(text): \($0)" }
        }
        return broken
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

    /// Removes a tree without pages and bound popups.
    mutating func forgetTreeIfEmpty(_ index: PageTree.Index) {
        guard let tree = pages.forgetIfEmpty(index) else { return }
        store.countBytes(-tree.bytes)
        count(of: tree.account) {
            $0.trees -= 1
            $0.bytes -= tree.bytes
        }
    }
}
