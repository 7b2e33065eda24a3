/// A batch or snapshot is whole and can't be used all the same.
struct JournalContentError: Error, Hashable, CustomStringConvertible {
    var what: String

    var description: String {
        "the journal cannot be used: \(what); restore a backup, or start with an empty one"
    }
}
