import PopupScheduling

/// A command of a batch that requires an acknowledgement.
struct NumberedCommand {
    /// The index of its producer in the scheduler of acknowledgements.
    var caller: AckScheduler.Index
    var sequence: UInt64
    /// The digest of its bytes as the producer sent them.
    var digest: UInt64
}

/// The numbered commands of a batch, which are settled when it is committed.
///
/// A producer's sequences nearly always ascend. Then its highest one so far shows that a command does not repeat one of
/// the same batch. A table of the batch's sequences is made only if they do not.
struct NumberedBatch {
    typealias Index = TableIndex<NumberedCommand>

    private struct Key: Hashable {
        var caller: AckScheduler.Index
        var sequence: UInt64
    }

    private(set) var commands: [NumberedCommand] = []
    private var digests: [Key: UInt64] = [:]
    private var tabled = 0
    /// The number of new producers for which the producer sessions reserve space; known when the batch is closed.
    var reserved = 0

    init() {}

    subscript(index: Index) -> NumberedCommand { commands[index.number] }

    /// Adds a command. Returns its index.
    @inline(__always)
    mutating func append(_ command: NumberedCommand) -> Index {
        commands.append(command)
        return Index(number: commands.count - 1)
    }

    /// Returns the digest of the command with this sequence, if there is one. O(1) amortized.
    mutating func digest(of sequence: UInt64, from caller: AckScheduler.Index) -> UInt64? {
        for command in commands[tabled...] {
            digests[Key(caller: command.caller, sequence: command.sequence)] = command.digest
        }
        tabled = commands.count
        return digests[Key(caller: caller, sequence: sequence)]
    }

    /// Removes all commands.
    mutating func end() {
        commands.forgetAll()
        guard tabled > 0 else { return }
        digests.removeAll()
        tabled = 0
    }
}
