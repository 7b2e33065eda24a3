import PopupScheduling

/// A command of a batch that an acknowledgement is to be given for.
struct NumberedCommand {
    /// The index of its producer in the scheduler of acknowledgements.
    var caller: AckScheduler.Index
    var sequence: UInt64
    /// The digest of its bytes as its producer sent them.
    var digest: UInt64
}

/// The numbered commands of a batch that are settled when it is committed.
///
/// A producer's sequences nearly always rise: then its highest so far tells that a command is no repetition of one that
/// waits for the same commit. Only when they don't is a table made of those of the batch.
struct NumberedBatch {
    typealias Index = TableIndex<NumberedCommand>

    private struct Key: Hashable {
        var caller: AckScheduler.Index
        var sequence: UInt64
    }

    private(set) var commands: [NumberedCommand] = []
    private var digests: [Key: UInt64] = [:]
    private var tabled = 0
    /// New producers for which the producer sessions keep room; known when the batch is closed.
    var reserved = 0

    init() {}

    subscript(index: Index) -> NumberedCommand { commands[index.number] }

    /// Adds a command and returns its index.
    @inline(__always)
    mutating func append(_ command: NumberedCommand) -> Index {
        commands.append(command)
        return Index(number: commands.count - 1)
    }

    /// The digest of the command with this sequence, when there is one. O(1) amortized.
    mutating func digest(of sequence: UInt64, from caller: AckScheduler.Index) -> UInt64? {
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
