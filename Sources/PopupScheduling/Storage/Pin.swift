private import Synchronization

/// Makes the struct that has it as a field stay where it is.
///
/// A struct of plain fields, however many, counts as a value to be loaded: whenever a mutating method calls one that is
/// not, Swift 6.3 first copies the whole struct to lend the copy. The scheduler has 1.2 KB, and did so five times a `show`.
/// An atomic has an address, so what contains one is lent by its address. This one is never read.
struct Pin: ~Copyable {
    private let address = Atomic<Bool>(false)
}
