/// The error that the content of an intact batch or snapshot cannot be used.
package struct JournalContentError: Error, Hashable, CustomStringConvertible {
    package var what: String

    package init(what: String) { self.what = what }

    package var description: String {
        "the journal cannot be used: \(what); restore a backup, or start with an empty one"
    }
}
