import Foundation

/// What all survivors told, in the order in which it came in. See `Tests/Survivor`.
final class Facts: Sendable {
    struct Shown: Hashable {
        var id: String
        var group: String
        var version: Version
    }

    struct Content {
        /// All lines.
        var count = 0
        /// Ids that acknowledgements, and outboxes on disk, have promised.
        var accepted: Set<String> = []
        var safe: Set<String> = []
        /// The texts of popups whose ids the broker made.
        var named: Set<String> = []
        /// Ids whose dismissal was accepted.
        var done: Set<String> = []
        var shown: [Shown] = []
        /// What a renderer had on screen last, by its name and the group; "": nothing.
        var screens: [String: String] = [:]
        var following: Set<String> = []
        var settled: Set<String> = []
        /// What the broker says of an id.
        var found: [String: String] = [:]
        var isAudited = false
        /// Outbox files that ended within a record.
        var torn = 0
        /// Each is a fault.
        var failures: [String] = []
    }

    private let changed = NSCondition()
    nonisolated(unsafe) private var content = Content()

    /// Takes a line of a process.
    func take(_ line: String, of process: String) {
        changed.withLock { content.take(line.split(separator: " ").map(String.init), line, process) }
        changed.broadcast()
    }

    var now: Content { changed.withLock { content } }

    /// Waits until a condition holds.
    func wait(
        for purpose: String, before deadline: Deadline = .standard, _ condition: (borrowing Content) -> Bool
    ) throws {
        try changed.withLock {
            while !condition(content) {
                if let failure = content.failures.first {
                    throw NotInTime(description: "before \(purpose): \(failure)")
                }
                let left = deadline.milliseconds
                guard left > 0 else {
                    throw NotInTime(description: "waited in vain for \(purpose): \(content.summary)")
                }
                _ = changed.wait(until: Date(timeIntervalSinceNow: Double(left) / 1000))
            }
        }
    }
}

extension Facts.Content {
    var summary: String {
        """
        \(count) facts, \(accepted.count) accepted, \(safe.count) safe, \(named.count) named, \(done.count) done, \
        settled: \(settled.sorted())
        """
    }

    fileprivate mutating func take(_ words: [String], _ line: String, _ process: String) {
        count += 1
        switch (words.first, words.count) {
        case ("accepted", 2): accepted.insert(words[1])
        case ("safe", 2): safe.insert(words[1])
        case ("named", 2): named.insert(words[1])
        case ("done", 2): done.insert(words[1])
        // A killed process may leave a part of its last, unfinished write. What it had promised before is still there:
        // the audit looks for it.
        case ("torn", 2): torn += 1
        case ("late", 2): break
        case ("settled", 2): settled.insert(words[1])
        case ("following", 1): following.insert(process)
        case ("shown", 5):
            let version = Version(epoch: UInt64(words[3]) ?? 0, revision: UInt64(words[2]) ?? 0)
            shown.append(Facts.Shown(id: words[1], group: words[4], version: version))
            screens["\(process) \(words[4])"] = words[1]
        case ("empty", 4): screens["\(process) \(words[3])"] = ""
        case ("found", 3...5): found[words[1]] = words[2...].joined(separator: " ")
        case ("audited", 2): isAudited = true
        default: failures.append("\(process): \(line)")
        }
    }
}

/// Where a group's state stands.
struct Version: Comparable, Hashable {
    var epoch: UInt64
    var revision: UInt64

    static func < (one: Version, other: Version) -> Bool {
        (one.epoch, one.revision) < (other.epoch, other.revision)
    }
}
