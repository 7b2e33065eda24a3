import Foundation
import TestPrograms

/// The scripts of the folder `Python`: clients that share no code with this project.
enum Python {
    /// Whether there is a Python with pyzmq.
    static let hasZeroMQ: Bool = {
        let check = try? ChildProcess("/usr/bin/env", ["python3", "-c", "import zmq"]).result()
        return check?.exit == .code(0)
    }()

    /// Starts a script.
    static func start(_ script: String, _ arguments: [String], input: String = "/dev/null") throws -> ChildProcess {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Python").appending(path: script).path
        return try ChildProcess(
            "/usr/bin/env", ["python3", "-B", path] + arguments, input: input)
    }
}
