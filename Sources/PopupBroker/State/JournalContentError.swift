/// A batch or snapshot is whole and can't be used all the same.
struct JournalContentError: Error, Hashable, CustomStringConvertible {
    var what: String

    var description: String {
        "the journal can't be used: \(what); restore it from a copy, or start with an empty one"
    }
}
