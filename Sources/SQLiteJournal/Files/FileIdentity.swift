import SystemCalls

/// The identity of a file, independent of its names.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    init(_ status: stat) {
        (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }

    /// Creates the identity of the file that has this path now; `nil` if none has.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }
}
