/// The error that the content of an intact batch or snapshot cannot be used.
package struct JournalContentError: Error, Hashable, CustomStringConvertible {
    package var what: String
    /// Whether only a newer version can have written it.
    package var isNewer: Bool

    package init(what: String, isNewer: Bool = false) {
        self.what = what
        self.isNewer = isNewer
    }

    package var description: String {
        isNewer
            ? "the journal has \(what) that this version does not know; install a newer version, or restore a backup"
            : "the journal cannot be used: \(what); restore a backup, or start with an empty one"
    }
}
