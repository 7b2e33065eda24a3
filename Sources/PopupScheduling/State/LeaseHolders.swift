/// The renderers with a lease by the names and patterns of their groups, so that those of a group are found without a
/// search through all renderers.
struct LeaseHolders {
    /// The approximate bytes that a name or pattern of a lease takes in addition to its text.
    private static let bytesOfPattern = 128

    /// The renderers of a name or pattern, in ascending order of their indices, without duplicates. There may be
    /// millions of names.
    private var holders = SpreadTable<[UInt8], [RendererRecord.Index]>(parts: 1024)

    /// The cost of a name or pattern in visits: a look-up in a table of millions takes some 5 µs.
    private static let visitsPerPattern = 2

    init() {}

    /// Returns the bytes that the names and patterns of a lease take here, whether or not the renderer has the lease.
    static func bytes(for patterns: UnsafeRawBufferPointer) -> Int { count(of: patterns) * bytesOfPattern }

    /// Returns the cost of entering or removing the names and patterns of a lease.
    static func visits(of patterns: UnsafeRawBufferPointer) -> Int { count(of: patterns) * visitsPerPattern }

    /// Returns the number of names and patterns, each followed by a line feed.
    static func count(of patterns: UnsafeRawBufferPointer) -> Int { patterns.count { $0 == UInt8(ascii: "\n") } }

    /// Adds a renderer with a lease for these names and patterns, each followed by a line feed.
    mutating func insert(_ client: RendererRecord.Index, _ patterns: UnsafeRawBufferPointer) {
        Self.forEachLine(of: patterns) { holders[$0].insertOnce(client) }
    }

    /// Removes a renderer that had a lease for these names and patterns.
    mutating func remove(_ client: RendererRecord.Index, _ patterns: UnsafeRawBufferPointer) {
        Self.forEachLine(of: patterns) { holders[$0].remove(client) }
    }

    /// Returns the first renderer with a lease for a group that satisfies a condition: those of its name first, then
    /// those of the patterns from the shortest on.
    func first(
        ofGroup name: UnsafeRawBufferPointer, where holds: (RendererRecord.Index) -> Bool
    ) -> RendererRecord.Index? {
        if let found = holders[Array(name)]?.first(where: holds) { return found }
        for pattern in Pattern.texts(matching: name) {
            if let found = holders[pattern]?.first(where: holds) { return found }
        }
        return nil
    }

    private static func forEachLine(of text: UnsafeRawBufferPointer, _ body: ([UInt8]) -> Void) {
        var rest = text
        while let line = rest.takeLine() { body(Pattern.normalized(line)) }
    }
}

/// A set of names and patterns. Whether it matches a group takes one look-up for each segment of the group's name.
struct PatternSet {
    private var texts: Set<[UInt8]>

    init(_ texts: [[UInt8]]) {
        self.texts = Set(texts.map { $0.withUnsafeBytes { Pattern.normalized($0) } })
    }

    var isEmpty: Bool { texts.isEmpty }

    func matches(_ name: UnsafeRawBufferPointer) -> Bool {
        !texts.isEmpty && (texts.contains(Array(name)) || Pattern.texts(matching: name).contains(where: texts.contains))
    }
}

extension Pattern {
    /// Returns the canonical form of a name or pattern.
    static func normalized(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        if case .all = Pattern(text) { star } else { Array(text) }
    }

    /// Returns the patterns that match a group: for `a/b/c` these are `*`, `a/*` and `a/b/*`.
    static func texts(matching name: UnsafeRawBufferPointer) -> [[UInt8]] {
        [star]
            + name.indices.lazy.filter { name[$0] == UInt8(ascii: "/") }.map { Array(name.first($0 + 1)) + star }
    }
}

extension UnsafeRawBufferPointer {
    /// Removes and returns the first line, without its line feed; `nil` if there is no line feed.
    mutating func takeLine() -> UnsafeRawBufferPointer? {
        guard let end = firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { self = after(end + 1) }
        return first(end)
    }
}

extension [RendererRecord.Index]? {
    /// Inserts an element at its place, unless it is there.
    fileprivate mutating func insertOnce(_ element: RendererRecord.Index) {
        if self == nil { self = [element] } else { self?.insertOnce(element) }
    }

    /// Removes an element, if it is there. `nil` if it was the last one.
    fileprivate mutating func remove(_ element: RendererRecord.Index) {
        self?.remove(element)
        if self?.isEmpty == true { self = nil }
    }
}

extension [RendererRecord.Index] {
    /// Inserts an element at its place, unless it is there.
    fileprivate mutating func insertOnce(_ element: RendererRecord.Index) {
        let place = place(of: element)
        if place == count || self[place] != element { insert(element, at: place) }
    }

    /// Removes an element, if it is there.
    fileprivate mutating func remove(_ element: RendererRecord.Index) {
        let place = place(of: element)
        if place < count, self[place] == element { remove(at: place) }
    }

    /// Returns the first position whose element is not below a value.
    private func place(of element: RendererRecord.Index) -> Int {
        partitioningIndex { $0.number >= element.number }
    }
}
