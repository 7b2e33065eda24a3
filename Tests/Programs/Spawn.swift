import CSpawn
import Glibc

/// Starts a program that inherits its standard streams and nothing else. A pipe of another test that it kept open would
/// hide the end of that test's program.
///
/// - Parameters:
///   - executable: Its path.
///   - environment: All of it.
///   - folder: Where it runs; nil: where this process does.
///   - streams: What it has as standard input, output and error. They stay open here.
/// - Throws: `SystemError` when the system can't start it.
package func spawn(
    _ executable: String, _ arguments: [String], environment: [String: String], folder: String? = nil,
    streams: (input: Int32, output: Int32, error: Int32)
) throws(SystemError) -> SpawnedProcess {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, streams.input, 0)
    posix_spawn_file_actions_adddup2(&actions, streams.output, 1)
    posix_spawn_file_actions_adddup2(&actions, streams.error, 2)
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder) }

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
    let result = withStrings([executable] + arguments) { arguments in
        withStrings(environment.map { "\($0)=\($1)" }) { environment in
            posix_spawn(&process, executable, &actions, &attributes, arguments, environment)
        }
    }
    guard result == 0 else { throw SystemError("cannot start \(executable)", result) }
    return SpawnedProcess(process)
}

private func withStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies + [nil])
}

/// A call to the system that failed.
package struct SystemError: Error, CustomStringConvertible {
    package let description: String

    package init(_ what: String, _ code: Int32) {
        description = "\(what): \(String(cString: strerror(code)))"
    }
}
