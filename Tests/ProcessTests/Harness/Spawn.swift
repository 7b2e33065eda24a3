import Glibc

/// Starts a program with its output on two pipes. Nothing else is inherited: the pipe of another test, kept open by this
/// program, would hide that test's end of output.
struct Spawn {
    let process: pid_t
    /// The reading ends of standard output and standard error.
    let streams: [Int32]

    init(_ executable: String, _ arguments: [String], _ environment: [String], input: String) throws {
        let pipes = try (Self.pipe(), Self.pipe())
        defer {
            close(pipes.0.write)
            close(pipes.1.write)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, pipes.0.write, 1)
        posix_spawn_file_actions_adddup2(&actions, pipes.1.write, 2)

        // The signals as a shell would leave them.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var process: pid_t = 0
        let result = Self.withStrings([executable] + arguments) { arguments in
            Self.withStrings(environment) { environment in
                posix_spawn(&process, executable, &actions, &attributes, arguments, environment)
            }
        }
        guard result == 0 else {
            close(pipes.0.read)
            close(pipes.1.read)
            throw SystemError("cannot start \(executable)", result)
        }
        self.process = process
        streams = [pipes.0.read, pipes.1.read]
    }

    /// A pair of sockets: unlike a pipe it can be made without a moment in which another thread's program inherits it.
    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw SystemError("cannot make a pipe", errno) }
        return (ends[0], ends[1])
    }

    private static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}

/// A call to the system that failed.
struct SystemError: Error, CustomStringConvertible {
    let description: String

    init(_ what: String, _ code: Int32) {
        description = "\(what): \(String(cString: strerror(code)))"
    }
}
