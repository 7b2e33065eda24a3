package import PopupProtocol
import PopupScheduling

/// The result of a look-up of a numbered command, if each command is applied before the next one is looked up.
package enum SequenceLookup {
    /// The sequence is not settled, and there is space to settle it.
    case new
    /// It is settled, with this refusal if it was refused.
    case repeated(SettledRefusal?)
    /// There is no space for it, or another command has its sequence.
    case refused(CommandRefusal)
}

extension ProducerSessions {
    /// Looks up a numbered command that is applied at once.
    mutating func lookUp(_ sender: CommandSender, digest: UInt64, at now: Milliseconds) -> SequenceLookup {
        guard let index = index(of: sender.producer) else {
            if memory.maxRanges == 0, sender.sequence != 1 { return .refused(.tooManySequenceGaps) }
            let hasRoom = reserve(at: now)
            // It counts as a batch of its own.
            endBatch(reserved: beginBatch())
            return hasRoom ? .new : .refused(.tooManyProducers)
        }
        switch status(at: index, sender.sequence, digest: digest) {
        case .repeated: return .repeated(self[index].refusal(of: sender.sequence))
        case .contradicting: return .refused(.reused(sender.sequence))
        case .new:
            let opensRange = !self[index].adjoins(sender.sequence)
            return opensRange && self[index].ranges.count >= memory.maxRanges ? .refused(.tooManySequenceGaps) : .new
        }
    }
}

extension CommandRefusal {
    /// Returns the refusal of a command whose sequence another command has.
    package static func reused(_ sequence: UInt64) -> CommandRefusal {
        CommandRefusal(.sequenceReused, "sequence \(sequence) came before with another command; give each its own")
    }

    /// The refusal of a command that would open one gap more than is allowed.
    package static var tooManySequenceGaps: CommandRefusal {
        CommandRefusal(
            .overload, "the limit `deduplication.maxSequenceGaps` is reached; send the missing commands before it first"
        )
    }

    /// The refusal of the first command of a producer for which there is no space.
    package static var tooManyProducers: CommandRefusal {
        CommandRefusal(.overload, "the limit `deduplication.maxProducers` is reached; try again later or raise it")
    }
}
