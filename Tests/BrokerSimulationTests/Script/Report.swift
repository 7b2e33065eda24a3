import Foundation

/// What is said of a seed: how to run it again first, then what was wrong and the shortest script that shows it.
enum Report {
    static func begin(_ seed: UInt64) {
        print("simulating seed \(seed); again: make simulate FIRST=\(seed) SEEDS=1")
    }

    /// What happened in all of the runs.
    static func end(_ marks: [String: Int]) {
        print(marks.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", "))
    }

    /// At once, whatever ends the process next.
    private static func print(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }

    static func of(_ failure: Failure, in script: Script) -> String {
        var last = failure
        let shortest = shrunk(script) { candidate in
            guard let found = World(candidate).run(), found.check == failure.check else { return false }
            last = found
            return true
        }
        return """
            seed \(script.seed): \(last)
            \(script.items.count) items shrank to \(shortest.items.count); as a test:

                @Test func `\(last.check)`() throws {
                    let script = try Script(
                        seed: \(script.seed),
                        #\"""
                        \(shortest.text.split(separator: "\n").joined(separator: "\n            "))
                        \"""#)

                    #expect(World(script).run() == nil)
                }
            """
    }
}
