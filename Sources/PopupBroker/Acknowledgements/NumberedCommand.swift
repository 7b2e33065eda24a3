import PopupScheduling

/// A command of a batch that an acknowledgement is to be given for.
struct NumberedCommand {
    /// Its producer, by its place in the scheduler of acknowledgements.
    var caller: Int32
    var sequence: UInt64
    /// Of its bytes, as its producer sent them.
    var digest: UInt64
}

/// The numbered commands of a batch that are settled when it is committed.
///
/// A producer's sequences nearly always rise: then its highest so far tells that a command is no repetition of one that
/// waits for the same commit. Only when they don't is a table made of those of the batch.
struct NumberedBatch {
    private struct Key: Hashable {
        var caller: Int32
        var sequence: UInt64
    }

    private(set) var commands: [NumberedCommand] = []
    private var digests: [Key: UInt64] = [:]
    private var tabled = 0
    /// New producers for which the producer sessions keep room; known when the batch is closed.
    var reserved = 0

    init() {}

    subscript(index: Int32) -> NumberedCommand { commands[Int(index)] }

    /// Adds a command and returns its index.
    @inline(__always)
    mutating func append(_ command: NumberedCommand) -> Int32 {
        commands.append(command)
        return Int32(truncatingIfNeeded: commands.count - 1)
    }

    /// The digest of the command with this sequence, when there is one. O(1) amortized.
    mutating func digest(of sequence: UInt64, from caller: Int32) -> UInt64? {
        for command in commands[tabled...] {
            digests[Key(caller: command.caller, sequence: command.sequence)] = command.digest
        }
        tabled = commands.count
        return digests[Key(caller: caller, sequence: sequence)]
    }

    /// The batch is over.
    mutating func end() {
        commands.forgetAll()
        guard tabled > 0 else { return }
        digests.removeAll()
        tabled = 0
    }
}
