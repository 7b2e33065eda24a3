public import PopupProtocol
public import PopupScheduling

// What the state machine receives, and what it returns.
extension BrokerState {
    /// An entry of the journal, except an ordinary `show` or `dismiss`.
    package enum Entry {
        /// A command; a query only settles its sequence.
        case command(WireCommand)
        /// A policy that the configuration sets.
        case configuredPolicy(WireSetPolicy)
        /// The name or pattern whose policy the configuration removes.
        case removedPolicy(pattern: String)
        /// The data of a time zone, for the policies after it.
        case timeZone(TimeZoneData)
        /// The limits of the run that begins, or continues.
        case settings(JournaledSettings)
        /// The time by which the wall clock is ahead of the broker's time from then on.
        case wallClock(WallClockEntry)
        /// A command that was refused by the admission: only its sequence is settled.
        case refused(SettledRefusal)
        /// A numbered query that is answered elsewhere: only its sequence is settled.
        case query
    }

    /// The producer and the sequence of an entry.
    public struct Origin {
        @usableFromInline package var sender: CommandSender
        /// The digest of what the producer sent.
        @usableFromInline package var digest: UInt64
        /// The index of its producer in `producers`, as far as the caller knows.
        @usableFromInline package let session: ProducerSessions.Index?

        @inlinable
        package init(sender: CommandSender, digest: UInt64, session: ProducerSessions.Index? = nil) {
            self.sender = sender
            self.digest = digest
            self.session = session
        }
    }

    /// The outcome of an entry.
    public struct Outcome {
        /// The refusal by the scheduler; `nil` for none.
        @usableFromInline package let refusal: PopupScheduling.Refusal?
        /// The index of its producer in `producers`; `nil` if its sequence is not settled.
        @usableFromInline package let session: ProducerSessions.Index?

        @inlinable
        package init(refusal: PopupScheduling.Refusal? = nil, session: ProducerSessions.Index? = nil) {
            self.refusal = refusal
            self.session = session
        }
    }
}
