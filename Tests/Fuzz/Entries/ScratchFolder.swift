import Foundation

/// Where inputs become files: in memory, where that is to be had, so that no disk is waited for.
enum ScratchFolder {
    private static let base =
        FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()

    /// A path of this process.
    static func path(_ name: String) -> String {
        "\(base)/popup-fuzz-\(ProcessInfo.processInfo.processIdentifier)-\(name)"
    }
}
