import Foundation

/// Returns whether the code that a script generates from the schema is in the repository as the script writes it.
///
/// - Parameter script: The path of the script, which has the option `--check`.
package func isUpToDate(codeOf script: String) throws -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", packageRoot.appending(path: script).path, "--check"]
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
}
