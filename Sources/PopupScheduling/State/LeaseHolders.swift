/// Which renderers have a lease for a group: they are found by the names and patterns of the group, without going
/// through all renderers.
struct LeaseHolders {
    /// What a name or pattern of a lease takes beside its text, about.
    private static let bytesOfPattern = 128

    /// By name or pattern: the places of the renderers, in ascending order and each once.
    private var holders: [[UInt8]: [RendererRecord.Index]] = [:]

    init() {}

    /// What the names and patterns of a lease take here, whether the renderer has the lease or not.
    static func bytes(for patterns: UnsafeRawBufferPointer) -> Int {
        patterns.reduce(0) { $1 == UInt8(ascii: "\n") ? $0 + bytesOfPattern : $0 }
    }

    /// Adds a renderer that has a lease for these names and patterns, each followed by a line feed.
    mutating func insert(_ client: RendererRecord.Index, _ patterns: UnsafeRawBufferPointer) {
        Self.forEachLine(of: patterns) { pattern in
            let place = holders[pattern, default: []].firstPlace(notBelow: client)
            guard holders[pattern]?.element(at: place) != client else { return }
            holders[pattern, default: []].insert(client, at: place)
        }
    }

    /// Removes a renderer that had a lease for these names and patterns.
    mutating func remove(_ client: RendererRecord.Index, _ patterns: UnsafeRawBufferPointer) {
        Self.forEachLine(of: patterns) { pattern in
            guard let place = holders[pattern]?.firstPlace(notBelow: client),
                holders[pattern]?.element(at: place) == client
            else { return }
            holders[pattern]?.remove(at: place)
            if holders[pattern]?.isEmpty == true { holders[pattern] = nil }
        }
    }

    /// The first renderer with a lease for a group that fulfils a condition, pattern by pattern: its name, then the
    /// patterns from the shortest on.
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
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            body(Pattern.normalized(rest.first(end)))
            rest = rest.after(end + 1)
        }
    }
}

/// Names and patterns, to be asked which groups are among theirs: one look-up for each segment of the group's name.
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
    /// The one way to write a name or pattern.
    static func normalized(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        if case .all = Pattern(text) { [UInt8(ascii: "*")] } else { Array(text) }
    }

    /// The patterns that match a group: `*`, and `a/*` and `a/b/*` for `a/b/c`.
    static func texts(matching name: UnsafeRawBufferPointer) -> [[UInt8]] {
        let star = [UInt8(ascii: "*")]
        return [star]
            + name.indices.lazy.filter { name[$0] == UInt8(ascii: "/") }.map { Array(name.first($0 + 1)) + star }
    }
}

extension [RendererRecord.Index] {
    /// The first place whose element is not below a value: by halving.
    fileprivate func firstPlace(notBelow value: RendererRecord.Index) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].number < value.number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    fileprivate func element(at place: Int) -> RendererRecord.Index? { place < count ? self[place] : nil }
}
