import SystemCalls

/// A text file that a service reads at its start, and again when its service manager tells it to.
public struct ServiceFile: Sendable {
    /// A reason why the text of a file cannot be used.
    public struct Mistake: Error, Hashable, CustomStringConvertible {
        /// The mistake and its remedy, to be put after the name of the file.
        public let description: String
    }

    /// The path.
    public let path: String
    private let largestSize: Int

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - largestSize: The maximum size in bytes: a larger file is taken for a mistake.
    public init(_ path: String, largestSize: Int = 1 << 20) {
        self.path = path
        self.largestSize = largestSize
    }

    /// Checks that the file can be read more than once.
    ///
    /// - Throws: `Mistake` if it is a pipe.
    public func requireRereadable() throws(Mistake) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return }
        throw Mistake(description: "is a pipe, which cannot be read again; name a file, so that a reload finds it")
    }

    /// Returns the text.
    ///
    /// - Throws: `Mistake`.
    public func text() throws(Mistake) -> String {
        let bytes: [UInt8]
        do throws(InputError) {
            bytes = try InputFile(path: path).content(upTo: largestSize + 1)
        } catch {
            throw Mistake(description: "cannot be read: \(error.reason)")
        }
        guard bytes.count <= largestSize else {
            throw Mistake(
                description: "is larger than \(largestSize) bytes, the most that is read; check that it is the right "
                    + "file")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Mistake(description: "is not UTF-8 text; save it as UTF-8")
        }
        return text
    }
}
