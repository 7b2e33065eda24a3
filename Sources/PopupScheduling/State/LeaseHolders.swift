/// The renderers with a lease by the names and patterns of their groups, so that those of a group are found without a
/// search through all renderers.
struct LeaseHolders {
    /// The approximate bytes that a name or pattern of a lease takes in addition to its text.
    private static let bytesOfPattern = 128

    /// The number of parts of the table. Each grows by itself: the step in which a table with millions of names grows would
    /// take half a second. The share of the names rises evenly from the first part to the last, which has twice as many, so
    /// that the parts do not grow at the same time.
    private static let partCount = 256

    /// The renderers of a name or pattern, in ascending order of their indices, without duplicates; a name is in the part
    /// of its hash.
    private var parts: [[[UInt8]: [RendererRecord.Index]]] = Array(repeating: [:], count: partCount)

    init() {}

    /// Returns the bytes that the names and patterns of a lease take here, whether or not the renderer has the lease.
    static func bytes(for patterns: UnsafeRawBufferPointer) -> Int { count(of: patterns) * bytesOfPattern }

    /// Returns the number of names and patterns, each followed by a line feed.
    static func count(of patterns: UnsafeRawBufferPointer) -> Int { patterns.count { $0 == UInt8(ascii: "\n") } }

    /// Adds a renderer with a lease for these names and patterns, each followed by a line feed.
    mutating func insert(_ client: RendererRecord.Index, _ patterns: UnsafeRawBufferPointer) {
        Self.forEachLine(of: patterns) { pattern in
            parts[Self.part(of: pattern)][pattern, default: []].insertOnce(client)
        }
    }

    /// Removes a renderer that had a lease for these names and patterns.
    mutating func remove(_ client: RendererRecord.Index, _ patterns: UnsafeRawBufferPointer) {
        Self.forEachLine(of: patterns) { pattern in
            let part = Self.part(of: pattern)
            guard let place = parts[part].index(forKey: pattern) else { return }
            parts[part].values[place].remove(client)
            if parts[part].values[place].isEmpty { parts[part].remove(at: place) }
        }
    }

    /// Returns the first renderer with a lease for a group that satisfies a condition: those of its name first, then
    /// those of the patterns from the shortest on.
    func first(
        ofGroup name: UnsafeRawBufferPointer, where holds: (RendererRecord.Index) -> Bool
    ) -> RendererRecord.Index? {
        if let found = holders(of: Array(name))?.first(where: holds) { return found }
        for pattern in Pattern.texts(matching: name) {
            if let found = holders(of: pattern)?.first(where: holds) { return found }
        }
        return nil
    }

    private func holders(of pattern: [UInt8]) -> [RendererRecord.Index]? { parts[Self.part(of: pattern)][pattern] }

    private static func part(of pattern: [UInt8]) -> Int {
        part(ofHash: UInt64(truncatingIfNeeded: pattern.hashValue))
    }

    /// Returns the part of a hash. The share of the names rises from part to part, so the hashes before part p of n are in
    /// proportion to (1 + p/n)² − 1. This is the inverse.
    static func part(ofHash hash: UInt64) -> Int {
        let fraction = Double(hash >> 32) * 0x1p-32
        return Int(Double(partCount) * ((1 + 3 * fraction).squareRoot() - 1))
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
