import Foundation
import TestPrograms

extension RunningProgram {
    /// Starts a program in the package's folder.
    ///
    /// - Parameter environment: Besides that of the tests.
    convenience init(
        inPackage executable: URL, _ arguments: [String] = [], input: String = "", environment: [String: String] = [:]
    ) throws {
        try self.init(
            executable, arguments, input: input,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, folder: Package.folder)
    }
}
