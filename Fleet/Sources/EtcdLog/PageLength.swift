internal import Synchronization

/// The number of values that are read at once, by what the path to etcd carries in time: half as many after a read without an
/// answer, and one more after each page that was read whole.
final class PageLength: Sendable {
    private let longest: Int
    private let present: Mutex<Int>

    /// Creates the greatest length of pages, with which it begins.
    init(longest: Int) {
        self.longest = longest
        present = Mutex(longest)
    }

    /// The number for the next read.
    var count: Int { present.withLock { $0 } }

    /// Records that a page of this length was read.
    func grow(after count: Int) { present.withLock { $0 = min(longest, max($0, count + 1)) } }

    /// Records that a page of this length was not read in time. Returns whether a shorter one can be tried.
    func shrink(after count: Int) -> Bool {
        present.withLock { $0 = max(1, min($0, count / 2)) }
        return count > 1
    }
}
