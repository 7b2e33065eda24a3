import Foundation
import Glibc
import Synchronization
import TestSupport

/// A disk with the files of one directory, which computes what a power failure leaves of them.
///
/// The files lie in memory and hold what the system would show the process. Beside them the disk keeps what is *durable*:
/// the content of each file and the names in each directory as they were synchronized last, and the changes since then. At a
/// power cut, each 512 bytes of a write that was not synchronized survive or do not, whatever their order, and of the
/// changes of names the first few survive, as with a file system that keeps a journal of them.
///
///     write, truncate, name ──▶ changes ── synchronize ──▶ durable
///                                  └────── power cut ────▶ some, torn and out of order
final class SimulatedDisk: Sendable {
    /// What becomes of a call that changes something.
    enum Answer: Equatable {
        case done
        /// The disk fails with EIO; what a failed synchronization should have made durable may never be.
        case failed
        /// No room: a part of what is written fits.
        case full
    }

    /// What an unsynchronized change leaves at a power cut.
    enum Loss: CaseIterable {
        /// The process ended, the machine did not: nothing is lost.
        case nothing
        case everything
        /// Some sectors of each write, whatever their order.
        case anySectors
        /// All of some writes up to one, and a part of that.
        case tail
    }

    static let sectorSize = 512

    private enum Change {
        case write(at: Int, [UInt8])
        case truncate(to: Int)
    }

    private struct File {
        var durable: [UInt8] = []
        var changes: [Change] = []
    }

    /// A change of names, which are relative to the directory.
    private struct NameChange {
        var directories: Set<String>
        var removed: [String] = []
        /// A file's number; 0: a directory.
        var added: (name: String, file: UInt64)?
    }

    private struct State {
        var files: [UInt64: File] = [:]
        var names: [String: UInt64] = [:]
        var nameChanges: [NameChange] = []
        var calls = 0
        var reads = 0
        var faults: [Int: Answer] = [:]
        var cutAt: Int?
        var isFull = false
        var liesAbout: (@Sendable (String) -> Bool)?
        var isOff = false
        var dice: SplitMix64
    }

    let directory: String
    private let state: Mutex<State>

    /// A disk under a directory that is there; what it holds is durable.
    init(under directory: String, seed: UInt64) {
        self.directory = directory
        var state = State(dice: SplitMix64(seed: seed))
        let paths = FileManager.default.enumerator(atPath: directory)
        while let name = paths?.nextObject() as? String {
            let path = directory + "/" + name
            guard let number = Self.number(path) else { continue }
            if Self.isDirectory(path) {
                state.names[name] = 0
            } else {
                state.names[name] = number
                state.files[number] = File(durable: Self.content(path))
            }
        }
        self.state = Mutex(state)
        DiskVFS.attach(self)
    }

    deinit { DiskVFS.detach(directory) }

    // MARK: What goes wrong

    /// The power is cut at so many changes from now on: nothing is changed, and every call fails, from then on.
    func cut(after changes: Int) { state.withLock { $0.cutAt = $0.calls + changes } }

    /// The change that comes after so many fails so.
    func fail(_ answer: Answer, after changes: Int) { state.withLock { $0.faults[$0.calls + changes] = answer } }

    /// It works again.
    func recover() {
        state.withLock { state in
            state.faults.removeAll()
            state.isFull = false
        }
    }

    /// There is no room for anything from now on, or there is again.
    func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    /// Synchronizing these files does nothing, and succeeds.
    func lie(about isConcerned: @escaping @Sendable (String) -> Bool) { state.withLock { $0.liesAbout = isConcerned } }

    /// The power was cut.
    var isOff: Bool { state.withLock { $0.isOff } }
    /// How many calls were made that change something.
    var changes: Int { state.withLock { $0.calls } }
    /// How many calls were made in all.
    var calls: Int { state.withLock { $0.calls + $0.reads } }

    /// Writes what is left after a power cut, or after the end of the process, into another directory.
    func leave(_ loss: Loss, in other: String) throws {
        var (names, files, changes, dice) = state.withLock { ($0.names, $0.files, $0.nameChanges, $0.dice) }
        let kept =
            switch loss {
            case .nothing: changes.count
            case .everything: 0
            case .anySectors, .tail: Int.random(in: 0...changes.count, using: &dice)
            }
        for change in changes.prefix(kept) { Self.apply(change, to: &names) }
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        for (name, number) in names.sorted(by: { $0.key < $1.key }) {
            let path = other + "/" + name
            guard number != 0 else {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
                continue
            }
            // SQLite's index of the WAL is made anew.
            guard !name.hasSuffix("-shm") else { continue }
            let bytes =
                loss == .nothing
                ? Self.content(directory + "/" + name) : Self.survivor(files[number] ?? File(), loss, &dice)
            // Two names of one file become two files: the next opening removes one of them before it writes.
            try Data(bytes).write(to: URL(filePath: path))
        }
    }

    private static func survivor(_ file: File, _ loss: Loss, _ dice: inout SplitMix64) -> [UInt8] {
        var bytes = file.durable
        let kept = loss == .tail ? Int.random(in: 0...file.changes.count, using: &dice) : file.changes.count
        for (index, change) in file.changes.enumerated() {
            switch loss {
            case .nothing, .everything: break
            case .anySectors: apply(change, to: &bytes) { Bool.random(using: &dice) }
            case .tail where index < kept: apply(change, to: &bytes) { true }
            case .tail where index == kept: apply(change, to: &bytes) { Bool.random(using: &dice) }
            case .tail: break
            }
        }
        return bytes
    }

    private static func apply(_ change: Change, to bytes: inout [UInt8], isKept: () -> Bool) {
        switch change {
        case .truncate(let size):
            guard isKept() else { return }
            if size <= bytes.count { bytes.removeLast(bytes.count - size) } else { bytes.grow(to: size) }
        case .write(let offset, let written):
            var start = 0
            while start < written.count {
                let end = min(written.count, start + sectorSize - (offset + start) % sectorSize)
                if isKept() {
                    bytes.grow(to: offset + end)
                    bytes.replaceSubrange(offset + start..<offset + end, with: written[start..<end])
                }
                start = end
            }
        }
    }

    private static func apply(_ change: NameChange, to names: inout [String: UInt64]) {
        for name in change.removed { names[name] = nil }
        if let added = change.added { names[added.name] = added.file }
    }

    // MARK: What is done to it

    /// Decides about a change, and makes it by `body` if nothing keeps it from being made.
    ///
    /// - Parameter body: Makes it on the files in memory; returns whether it could be made.
    private func change(_ body: (inout State) -> Bool) -> Answer {
        state.withLock { state in
            guard !state.isOff else { return .failed }
            if state.cutAt == state.calls { state.isOff = true }
            guard !state.isOff else { return .failed }
            state.calls += 1
            if let fault = state.faults[state.calls - 1] { return fault }
            return body(&state) ? .done : .failed
        }
    }

    /// A read, which only fails when there is no power.
    func read() -> Bool {
        state.withLock { state in
            state.reads += 1
            return !state.isOff
        }
    }

    /// Bytes are written to a file.
    ///
    /// - Parameter body: Writes so many of them. Returns how many it has written.
    /// - Returns: How many were written, and whether that is all that can be.
    func write(
        _ bytes: UnsafeRawBufferPointer, to file: UInt64, at offset: Int, _ body: (Int) -> Int
    ) -> (count: Int, answer: Answer) {
        var written = 0
        func put(_ count: Int, _ state: inout State) {
            written = max(0, body(count))
            let part = Array(UnsafeRawBufferPointer(rebasing: bytes[..<written]))
            state.files[file, default: File()].changes.append(.write(at: offset, part))
        }
        let isFull = state.withLock { $0.isFull }
        let answer =
            isFull
            ? change { _ in true } == .done ? .full : .failed
            : change { state in
                put(bytes.count, &state)
                return true
            }
        if answer == .full { state.withLock { if !$0.isOff { put(bytes.count / 2, &$0) } } }
        return (written, answer)
    }

    /// A file is cut off, or lengthened with zeros.
    func truncate(_ file: UInt64, to size: Int, _ body: () -> Bool) -> Answer {
        change { state in
            state.files[file, default: File()].changes.append(.truncate(to: size))
            return body()
        }
    }

    /// A file's content is to be durable.
    func synchronize(_ file: UInt64, path: String) -> Answer {
        let answer = change { state in
            guard state.liesAbout?(path) != true else { return true }
            for change in state.files[file]?.changes ?? [] {
                Self.apply(change, to: &state.files[file, default: File()].durable) { true }
            }
            state.files[file]?.changes.removeAll()
            return true
        }
        // The system forgets what it could not write, and thinks that it has: the next call succeeds.
        if answer == .failed { state.withLock { if !$0.isOff { $0.files[file]?.changes.removeAll() } } }
        return answer
    }

    /// The names in a directory are to be durable, and with them all changes of names before.
    func synchronizeNames(in path: String) -> Answer {
        let name = relative(path)
        return change { state in
            guard let last = state.nameChanges.lastIndex(where: { $0.directories.contains(name) }) else { return true }
            for change in state.nameChanges[...last] { Self.apply(change, to: &state.names) }
            state.nameChanges.removeSubrange(...last)
            return true
        }
    }

    /// A file or directory gets a name.
    func add(_ path: String, isDirectory: Bool = false, _ body: () -> Bool) -> Answer {
        if state.withLock({ $0.isFull && !$0.isOff }) { return .full }
        return change { state in
            guard body(), let number = Self.number(path) else { return false }
            let name = relative(path)
            let added = (name, isDirectory ? 0 : number)
            state.nameChanges.append(NameChange(directories: [Self.directory(of: name)], added: added))
            return true
        }
    }

    /// A name is taken from a file.
    func remove(_ path: String, _ body: () -> Bool) -> Answer {
        change { state in
            guard body() else { return false }
            let name = relative(path)
            state.nameChanges.append(NameChange(directories: [Self.directory(of: name)], removed: [name]))
            return true
        }
    }

    /// A file gets another name, in one step.
    func rename(_ path: String, to other: String, _ body: () -> Bool) -> Answer {
        change { state in
            guard let number = Self.number(path), body() else { return false }
            let (name, new) = (relative(path), relative(other))
            let directories: Set = [Self.directory(of: name), Self.directory(of: new)]
            state.nameChanges.append(NameChange(directories: directories, removed: [name], added: (new, number)))
            return true
        }
    }

    /// Whether it keeps what is under a path.
    func holds(_ path: String) -> Bool { path == directory || path.hasPrefix(directory + "/") }

    private func relative(_ path: String) -> String {
        path == directory ? "" : String(path.dropFirst(directory.count + 1))
    }

    private static func directory(of name: String) -> String {
        name.lastIndex(of: "/").map { String(name[..<$0]) } ?? ""
    }

    // MARK: Files in memory

    /// A file's number, which it keeps whatever its names.
    static func number(_ path: String) -> UInt64? {
        var status = stat()
        return lstat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    static func number(_ descriptor: Int32) -> UInt64? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func content(_ path: String) -> [UInt8] {
        (try? Data(contentsOf: URL(filePath: path))).map(Array.init) ?? []
    }
}

extension [UInt8] {
    fileprivate mutating func grow(to size: Int) {
        if count < size { append(contentsOf: repeatElement(0, count: size - count)) }
    }
}
