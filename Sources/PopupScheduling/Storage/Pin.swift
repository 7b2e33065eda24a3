private import Synchronization

/// A field that keeps its struct at a fixed address.
///
/// Swift 6.3 treats a struct of plain fields, however many, as a value to be loaded: when a mutating method calls a
/// nonmutating one, it passes a copy of the whole struct. The scheduler has 1.2 KB and was copied five times per
/// `show`. An atomic has an address, so a struct that contains one is passed by its address. The atomic itself is never
/// read.
struct Pin: ~Copyable {
    private let address = Atomic<Bool>(false)
}
