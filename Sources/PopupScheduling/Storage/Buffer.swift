/// A growing array with a single owner, for the tables of the scheduler.
///
/// An `Array` checks on each write whether it is shared, and on each access whether the index is valid. Here the type
/// excludes sharing, and an invalid index is a bug of the table, which debug builds and tests detect by assertions.
struct Buffer<Element: BitwiseCopyable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private(set) var capacity: Int
    private(set) var count = 0

    init(minimumCapacity: Int = 16) {
        capacity = minimumCapacity
        base = LargePages.allocate(minimumCapacity)
    }

    /// Creates a buffer with `count` copies of an element.
    init(repeating element: Element, count: Int) {
        self.init(minimumCapacity: count)
        base.initialize(repeating: element, count: count)
        self.count = count
    }

    deinit {
        base.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    subscript(index: Int) -> Element {
        @inline(__always) unsafeAddress {
            assert(index >= 0 && index < count, "an index outside of its table")
            return UnsafePointer(base + index)
        }
        @inline(__always) unsafeMutableAddress {
            assert(index >= 0 && index < count, "an index outside of its table")
            return base + index
        }
    }

    /// Appends an element. O(1) amortized.
    mutating func append(_ element: Element) {
        if count == capacity { grow() }
        (base + count).initialize(to: element)
        count += 1
    }

    /// Removes all elements and keeps the memory.
    mutating func removeAll() {
        count = 0
    }

    /// Removes the last element, which must exist, and returns it.
    mutating func removeLast() -> Element {
        assert(count > 0, "an empty table has no last element")
        count -= 1
        return base[count]
    }

    private mutating func grow() {
        let larger: UnsafeMutablePointer<Element> = LargePages.allocate(capacity * 2)
        larger.initialize(from: base, count: count)
        base.deallocate()
        base = larger
        capacity *= 2
    }
}
