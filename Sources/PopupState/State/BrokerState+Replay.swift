package import PopupJournal
import PopupProtocol
package import PopupScheduling
import SwiftProtobuf

// The replay of a journal, for a restart and for each snapshot of a running broker. The bytes are decoded here, and the
// entries applied as when they were committed.
//
// A journal in a directory may have been written by a newer version, of which the replay leaves out what it does not know.
// The replica of a shared log may not: its node could own the log with another state than the newer owner before it.
extension BrokerState {
    /// Returns the state that a journal determines.
    ///
    /// - Parameter beginning: The settings for a journal that contains none.
    /// - Throws: The errors of the journal if it cannot be read; those of `apply` if its content cannot be used.
    package static func recover(
        from snapshot: consuming JournalSnapshot?, _ settings: JournaledSettings,
        replay: (_ sequence: UInt64, _ body: (borrowing JournalBatch) throws -> Void) throws -> Void
    ) throws -> BrokerState {
        var state = if let snapshot { try restored(from: snapshot) } else { BrokerState(settings) }
        var output = EventBuffer()
        state.beginReplay()
        try replay(state.sequence + 1) { try state.apply($0, into: &output) }
        state.endReplay()
        return state
    }

    /// Applies a batch as when it was committed. The content of `output` is only valid during an entry.
    ///
    /// - Parameter isStrict: Whether it must contain nothing that this version does not know. An ordinary `show` or
    ///   `dismiss` never does; other commands are looked through.
    /// - Throws: `CommandLogError`, `JournalContentError`; `NewerContentError` for limits that this version does not know,
    ///   and for anything else that it does not know if `isStrict`. Then later batches must not be applied.
    package mutating func apply(
        _ batch: borrowing JournalBatch, into output: inout EventBuffer, isStrict: Bool = false
    ) throws {
        guard 0...TimeLimits.latest ~= batch.time else {
            throw JournalContentError(what: "a batch is of the time \(batch.time), which can't be")
        }
        while advance(to: batch.time, into: &output) { output.removeAll() }
        for entry in try CommandLog.entries(in: batch.commands) {
            try apply(entry, of: batch.commands, at: batch.time, into: &output, isStrict: isStrict)
            output.removeAll()
        }
        endBatch(batch.sequence, at: batch.time)
    }

    private mutating func apply(
        _ entry: CommandLog.Entry, of bytes: [UInt8], at now: Milliseconds, into output: inout EventBuffer,
        isStrict: Bool
    ) throws {
        switch entry.kind {
        case .command:
            try apply(command: bytes, entry.range, at: now, into: &output, isStrict: isStrict)
        case .amendedCommand:
            guard let amended = CommandLog.amended(entry, in: bytes) else {
                throw JournalContentError(what: "an amended command is damaged")
            }
            try apply(
                command: bytes, amended.command, digest: amended.digest, at: now, into: &output, isStrict: isStrict)
        case .configuredPolicy:
            let policy = try Self.configuredPolicy(bytes[entry.range])
            if isStrict { try NewerContent.check(policy) }
            try requireTimeZones(of: policy)
            _ = apply(.configuredPolicy(policy), at: now, into: &output)
        case .removedPolicy:
            let pattern = String(decoding: bytes[entry.range], as: UTF8.self)
            _ = apply(.removedPolicy(pattern: pattern), at: now, into: &output)
        case .timeZone:
            _ = apply(.timeZone(try Self.timeZone(bytes[entry.range])), at: now, into: &output)
        case .settings:
            _ = apply(.settings(try JournaledSettings(bytes[entry.range])), at: now, into: &output)
        case .wallClock:
            _ = apply(.wallClock(try WallClockEntry(bytes[entry.range])), at: now, into: &output)
        case .refusedSequence:
            let refused = try RefusalEntry(bytes: bytes[entry.range])
            if isStrict, case .UNRECOGNIZED = refused.refusal.reason {
                throw NewerContentError(what: "a reason of a refusal")
            }
            setUser("")
            let origin = Origin(sender: refused.sender, digest: refused.digest)
            _ = apply(.refused(refused.refusal), from: origin, at: now, into: &output)
        case .scheduler, .producer:
            throw JournalContentError(what: "a batch holds the part of a snapshot")
        }
    }

    /// Applies the entry of a command.
    ///
    /// - Parameter digest: The digest of the command as its producer sent it, if that differs.
    private mutating func apply(
        command bytes: [UInt8], _ range: Range<Int>, digest: UInt64? = nil, at now: Milliseconds,
        into output: inout EventBuffer, isStrict: Bool
    ) throws {
        let text = bytes.span.extracting(range)
        // The user stands behind what the producer sent.
        func origin(_ sender: CommandSender?, userBytes count: Int) -> Origin? {
            let sent = text.bytes.extracting(droppingLast: CommandUser.fieldBytes(ofName: count))
            return sender.map { Origin(sender: $0, digest: digest ?? CommandDigest.of(sent)) }
        }
        if let show = ShowFrame.read(text, limits: WireLimits(contentBytes: .max)) {
            let sender = CommandSender(show.producer, show.sequence)
            let origin = origin(sender, userBytes: Int(show.by.count))
            setUser(text.string(show.by.indices))
            _ = apply(show.request, text.bytes, from: origin, at: now, into: &output)
        } else if let dismiss = DismissFrame.read(text) {
            let sender = CommandSender(dismiss.producer, dismiss.sequence)
            let origin = origin(sender, userBytes: dismiss.by.count)
            setUser(text.string(dismiss.by))
            _ = apply(dismiss.dismissal, text.bytes, by: dismiss.producer, from: origin, at: now, into: &output)
        } else if let command = try? WireCommand(serializedBytes: Array(bytes[range])) {
            if isStrict { try Self.requireKnown(command) }
            if case .setPolicy(let policy) = command.command { try requireTimeZones(of: policy) }
            let origin = origin(CommandSender(command), userBytes: command.by.utf8.count)
            setUser(command.by)
            _ = apply(.command(command), from: origin, at: now, into: &output)
        } else {
            throw JournalContentError(what: "a command can't be decoded")
        }
    }

    /// Checks that a command has nothing which this version does not know. What a query asks for changes no state;
    /// another field of its command may.
    ///
    /// - Throws: `NewerContentError`.
    private static func requireKnown(_ command: WireCommand) throws {
        switch command.command {
        case .query:
            guard command.unknownFields.data.isEmpty else { throw NewerContentError(what: "a field") }
        case nil: throw NewerContentError(what: "a command")
        default: try NewerContent.check(command)
        }
    }

    /// Checks that the policies of configurations, as a snapshot contains them, have nothing which this version does not
    /// know.
    ///
    /// - Throws: `NewerContentError`.
    package func requireKnownPolicies() throws {
        for policy in configuredPolicies { try NewerContent.check(policy) }
    }

    private func requireTimeZones(of policy: WireSetPolicy) throws(JournalContentError) {
        if let zone = timeZones.firstMissing(for: policy) {
            throw JournalContentError(what: "there is no data of the time zone `\(zone)` before its policy")
        }
    }

    /// Returns the policy of an entry of the configuration.
    static func configuredPolicy(_ command: ArraySlice<UInt8>) throws(JournalContentError) -> WireSetPolicy {
        guard case .setPolicy(let policy)? = try? WireCommand(serializedBytes: Array(command)).command else {
            throw JournalContentError(what: "a policy of the configuration can't be decoded")
        }
        return policy
    }

    /// Returns the time zone of an entry.
    package static func timeZone(_ entry: ArraySlice<UInt8>) throws(JournalContentError) -> TimeZoneData {
        do {
            return try TimeZoneData(journalEntry: entry)
        } catch {
            throw JournalContentError(what: "the data of a time zone is damaged: \(error.what)")
        }
    }
}

extension Span<UInt8> {
    fileprivate func string(_ range: Range<Int>) -> String {
        range.isEmpty ? "" : extracting(range).bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
