import Glibc
import TestPrograms

/// A disk that takes long to say that it has what was written: a library that a program loads before the system's, in
/// whose calls it waits while a file is there.
final class SlowDisk {
    private let folder: TemporaryDirectory
    private let library: String
    private let flag: String

    /// Makes the library, with the C compiler.
    ///
    /// - Parameter commit: How long the disk takes at least while it is slow.
    init(commit: Duration) throws {
        let folder = try TemporaryDirectory()
        self.folder = folder
        (library, flag) = (folder.path("slow.so"), folder.path("slow"))
        let source = try folder.write(
            "slow.c",
            """
            #include <sys/syscall.h>
            #include <unistd.h>
            static void wait_for_disk(void) {
                if (access("\(flag)", F_OK) == 0) usleep(\(commit / .microseconds(1)));
            }
            int fsync(int file) { wait_for_disk(); return syscall(SYS_fsync, file); }
            int fdatasync(int file) { wait_for_disk(); return syscall(SYS_fdatasync, file); }

            """)
        let result = try ChildProcess("/usr/bin/env", ["cc", "-shared", "-fPIC", "-o", library, source]).result()
        guard result.exit == .code(0) else { throw NotInTime(description: "cc: \(result.error)") }
    }

    /// What a program that has this disk needs in its environment.
    var environment: [String: String] { ["LD_PRELOAD": library] }

    /// From now on.
    func becomeSlow() throws { try folder.write("slow", "") }

    /// From now on.
    func becomeFast() { unlink(flag) }
}
