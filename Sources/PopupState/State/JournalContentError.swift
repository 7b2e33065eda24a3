/// A batch or snapshot is whole and can't be used all the same.
package struct JournalContentError: Error, Hashable, CustomStringConvertible {
    package var what: String

    package var description: String {
        "the journal cannot be used: \(what); restore a backup, or start with an empty one"
    }
}
