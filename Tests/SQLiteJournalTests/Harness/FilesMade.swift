import Foundation
import Glibc

/// Watches which files are made in a directory, those included that are gone again (inotify(7)).
final class FilesMade {
    private let descriptor: Int32

    init(in directory: String) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        descriptor = inotify_init1(Int32(IN_NONBLOCK))
        guard inotify_add_watch(descriptor, directory, UInt32(IN_CREATE)) >= 0 else {
            throw CocoaError(.fileReadUnknown)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Since it was asked the last time.
    func names() -> [String] {
        var names: [String] = []
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
            var place = 0
            // Each: 16 bytes, of which the last four are the length of the name that follows, padded with zeros.
            while place + 16 <= count {
                let length = bytes[place + 12..<place + 16].reversed().reduce(0) { $0 << 8 | Int($1) }
                let name = bytes[place + 16..<place + 16 + length]
                names.append(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
                place += 16 + length
            }
        }
        return names
    }
}
