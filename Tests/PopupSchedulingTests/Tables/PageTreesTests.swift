@testable import PopupScheduling
import Testing

/// The trees of pages: which page is current, the path to it, and what a closed page takes with it.
@Suite struct PageTreesTests {
    @Test func `the root is the first current page, and another one is entered`() {
        var tree = PageTree("home")
        tree.open("settings", below: "home")
        tree.open("sound", below: "settings")
        #expect(tree.route == "home")
        tree.enter("sound")
        #expect(tree.route == "home settings sound")
        #expect(tree.depth(of: Page.Index(number: 2)) == 3)
        #expect(tree.path(to: Page.Index(number: 1)).map(text) == ["home", "settings"])
        #expect(tree.brokenInvariants == [])
    }

    @Test func `a closed page takes all pages below it, and the nearest page above it becomes the current one`() {
        var tree = PageTree("home")
        tree.open("settings", below: "home")
        tree.open("sound", below: "settings")
        tree.open("help", below: "home")
        tree.enter("sound")
        tree.close("settings")
        #expect(tree.pages.map { text($0.node) } == ["home", "help"])
        #expect(tree.route == "home")
        tree.close("home")
        #expect(tree.pages.isEmpty && tree.path.isEmpty)
        #expect(tree.brokenInvariants == [])
    }

    @Test func `the bytes of a tree are those of its pages, its name and an overhead`() {
        var tree = PageTree("home")
        let bytes = tree.bytes
        tree.open("settings", below: "home")
        #expect(tree.bytes - bytes == tree.pages[1].bytes)
        tree.clear()
        #expect(tree.bytes == 256 + tree.name.count)
    }

    @Test func `pages and the current one follow a plain model`() {
        var random = ReferenceGenerator(seed: 3)
        var tree = PageTree("0")
        // The parent of each page, and the current page. The root is its own parent.
        var (parents, current) = (["0": "0"], "0")
        func route(to page: String) -> [String] { page == "0" ? ["0"] : route(to: parents[page]!) + [page] }
        for step in 1...2000 {
            let pages = tree.pages.map { text($0.node) }
            let page = pages[random.below(pages.count)]
            switch random.below(4) {
            case 0 where pages.count < 40, 1 where pages.count < 40:
                tree.open("\(step)", below: page)
                parents["\(step)"] = page
            case 2:
                tree.enter(page)
                current = page
            default:
                guard page != "0" else { continue }
                tree.close(page)
                let closed = Set(parents.keys.filter { route(to: $0).contains(page) })
                if closed.contains(current) { current = parents[page]! }
                parents = parents.filter { !closed.contains($0.key) }
            }
            #expect(Set(tree.pages.map { text($0.node) }) == Set(parents.keys))
            #expect(tree.route == route(to: current).joined(separator: " "))
            #expect(tree.brokenInvariants == [])
        }
    }

    @Test func `a tree is found by its name until it is empty, and its index is used again`() {
        var trees = PageTrees()
        let (shop, till) = (trees.make("shop"), trees.make("till"))
        trees[till].open("home")
        #expect(trees.index(of: Array("shop".utf8)) == shop && trees.count == 2)
        #expect(trees.names.map(text) == ["shop", "till"])
        #expect(trees.broken == ["tree shop has nothing left"])
        let (isKept, removed) = (trees.forgetIfEmpty(till) == nil, trees.forgetIfEmpty(shop))
        #expect(isKept && removed?.name == Array("shop".utf8))
        #expect(trees.index(of: Array("shop".utf8)) == nil)
        let kiosk = trees.make("kiosk")
        trees[kiosk].open("home")
        #expect(kiosk == shop)
        #expect(trees.broken == [])
    }

    @Test func `a tree that was removed is not removed again`() {
        var trees = PageTrees()
        let shop = trees.make("shop")
        let removed = [trees.forgetIfEmpty(shop), trees.forgetIfEmpty(shop)].map { $0?.name }
        #expect(removed == [Array("shop".utf8), nil])
        let (kiosk, till) = (trees.make("kiosk"), trees.make("till"))
        #expect(kiosk == shop && till != shop)
    }

    @Test func `the index of a removed tree, or of one that another table has, traps`() async {
        await #expect(processExitsWith: .failure) {
            var trees = PageTrees()
            let shop = trees.make("shop")
            _ = trees.forgetIfEmpty(shop)
            trees[shop].clear()
        }
        await #expect(processExitsWith: .failure) {
            var (trees, others) = (PageTrees(), PageTrees())
            let foreign = others.make("shop")
            trees[foreign].clear()
        }
    }
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

extension PageTree {
    /// A tree with a root. The value of a page is its name.
    fileprivate init(_ root: String) {
        self.init(name: Array("tree".utf8), account: nil)
        open(root)
    }

    fileprivate mutating func open(_ node: String, below parent: String? = nil) {
        open(Page(node: Array(node.utf8), value: Array(node.utf8), parent: parent.map { index($0) }))
    }

    fileprivate mutating func enter(_ node: String) { enter(index(node)) }

    fileprivate mutating func close(_ node: String) { close(index(node)) }

    /// The values from the root to the current page.
    fileprivate var route: String { path.map(text).joined(separator: " ") }

    private func index(_ node: String) -> Page.Index {
        Page.Index(number: pages.firstIndex { $0.node == Array(node.utf8) }!)
    }
}

extension PageTrees {
    fileprivate mutating func make(_ name: String) -> PageTree.Index {
        let bytes = Array(name.utf8)
        return bytes.withUnsafeBytes { make($0, account: nil) }
    }

    fileprivate var broken: [String] { brokenInvariants { _ in 0 } }
}
