/// Growing memory for the tables of the scheduler: an array that belongs to one owner alone.
///
/// An `Array` asks on each write whether it is shared and on each access whether the index is inside; here sharing is
/// ruled out by the type, and an index outside is a fault of the table, asserted in debug builds and by the tests.
struct Buffer<Element: BitwiseCopyable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>
    private(set) var capacity: Int
    private(set) var count = 0

    init(minimumCapacity: Int = 16) {
        capacity = minimumCapacity
        base = LargePages.allocate(minimumCapacity)
    }

    /// `count` times the same element.
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

    /// Adds an element: O(1) amortized.
    mutating func append(_ element: Element) {
        if count == capacity { grow() }
        (base + count).initialize(to: element)
        count += 1
    }

    /// Forgets all elements and keeps the memory.
    mutating func removeAll() {
        count = 0
    }

    /// Takes the last element out; there must be one.
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
