import PopupAccess
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// The admission of commands into the gathered batch: decode, look up, ask the plugins, append. Nothing here changes the
// state. An ordinary `show` or `dismiss` is read and kept as it was received, all other commands are decoded.
extension BrokerLoop {
    /// Admits an encoded command. An ordinary `show` or `dismiss` is not decoded.
    @inline(__always)
    mutating func admit(command bytes: UnsafeRawBufferPointer) {
        let frame = Span<UInt8>(_unsafeElements: bytes.bindMemory(to: UInt8.self))
        if let command = admission.readOrdinary(frame),
            access.userField.isEmpty || admission.isLastInFrame(command.kind, of: bytes.bytes)
        {
            enter(command, bytes.bytes)
        } else {
            decode(command: bytes)
        }
    }

    /// Adds the ordinary command that was read last in these bytes to the batch.
    @inline(__always)
    private mutating func enter(_ command: Admission.Ordinary, _ bytes: RawSpan) {
        var number: NumberedCommand?
        if !access.isOpen, let refusal = refusal(ofName: command.producer) { return refuse(refusal, ofBytes: bytes) }
        if let sender = CommandSender(command.producer, command.sequence) {
            switch lookUp(sender, digest: CommandDigest.of(bytes)) {
            case .new(let numbered): number = numbered
            case .known: return
            case .refused(let refusal): return refuse(refusal, ofBytes: bytes)
            }
        }
        if !access.isOpen {
            do throws(CommandRefusal) {
                try admission.check(command.kind, in: bytes, &access, state.scheduler)
                try access.claim(command.producer)
            } catch {
                return refuse(error, settled(number, command.producer))
            }
        }
        let before = pipeline.gathered.log.bytes.count
        let range =
            access.userField.isEmpty
            ? pipeline.gathered.append(command: bytes)
            : access.append(withUser: bytes, to: &pipeline.gathered)
        if !access.userField.isEmpty { admission.append(userOf: access.sender.nameBytes, to: command.kind) }
        if admission.hasPlugins {
            switch admission.verdict(on: command, in: pipeline.gathered.log, at: range, now) {
            case .admitted: break
            case .amended(let amended):
                pipeline.gathered.truncateLog(toByteCount: before)
                return enter(amended: amended, number, by: access.user, call: nil)
            case .refused(let refusal, let refused):
                pipeline.gathered.truncateLog(toByteCount: before)
                return refuse(refusal, of: refused, number)
            }
        }
        let content = admission.keepOrdinary(command.kind, in: &pipeline.gathered)
        let index = number.map { acknowledgements.register($0, in: state.producers) }
        pipeline.gathered.enter(
            BatchEntry(
                content: content, kind: command.kind, producer: command.producer, range: range,
                sender: access.sender, number: index))
    }

    /// Returns the reason for which the present user may not use a producer's name; `nil`: it may.
    @inline(__always)
    private mutating func refusal(ofName producer: ProducerName?) -> CommandRefusal? {
        guard let producer, !access.mayUse(producer, state.producers) else { return nil }
        return access.deny("uses the producer name of another user; use a random name", right: nil, group: nil)
    }

    /// Returns the number of a denied command, if its denial settles it. A name that does not belong to the user yet
    /// gets no record by a denied command.
    private func settled(_ number: NumberedCommand?, _ producer: ProducerName?) -> NumberedCommand? {
        producer.flatMap { access.isOwn($0, state.producers) ? number : nil }
    }

    /// Looks up a numbered command.
    @inline(__always)
    private mutating func lookUp(
        _ sender: CommandSender, digest: UInt64, isCall: Bool = false
    ) -> Acknowledgements.Lookup {
        let found =
            acknowledgements.lookUp(sender, digest: digest, in: &state, at: now)
            ?? beginAndLookUp(sender, digest: digest, isCall: isCall)
        if case .known = found { pipeline.gathered.recordRepetition() }
        return found
    }

    /// Looks up a numbered command of a producer that was not active lately.
    @inline(never)
    private mutating func beginAndLookUp(
        _ sender: CommandSender, digest: UInt64, isCall: Bool
    ) -> Acknowledgements.Lookup {
        var origin: ActiveProducers.Sender?
        if !isCall {
            origin = access.user.map { .user($0) } ?? transport.senderOfLastFrame.map { .connection($0) }
        }
        if let refusal = acknowledgements.begin(sender, from: origin, at: now) { return .refused(refusal) }
        guard let found = acknowledgements.lookUp(sender, digest: digest, in: &state, at: now) else {
            preconditionFailure("a producer whose activity has begun is not active")
        }
        return found
    }

    private mutating func decode(command bytes: UnsafeRawBufferPointer) {
        let bytes = Array(bytes)
        admit(Result { () throws(CommandRefusal) in try Ingress.command(binary: bytes) }, sent: .binary(bytes))
    }

    /// Admits a decoded command, or adds its refusal to the batch.
    ///
    /// Repetitions of settled commands reach neither plugins nor the journal.
    mutating func admit(
        _ result: Result<WireCommand, CommandRefusal>, sent: SentCommand = .decoded, call: Int? = nil
    ) {
        pipeline.gathered.recordDecoded()
        admission.recordDecoded()
        var number: NumberedCommand?
        // Calls from the embedding process have all rights.
        let isChecked = !access.isOpen && call == nil
        let user = call == nil ? access.user : nil
        let name = isChecked ? sent.sender(result)?.producer ?? producer(of: result) : nil
        if let refusal = refusal(ofName: name) {
            return refuse(refusal, of: (try? result.get()) ?? WireCommand(), call: call)
        }
        if let sender = sent.sender(result) {
            switch lookUp(sender, digest: sent.digest(result), isCall: call != nil) {
            case .new(let command): number = command
            case .known(let refusal): return answerAgain(result, refusal, call: call)
            case .refused(let refusal): return refuse(refusal, of: (try? result.get()) ?? WireCommand(), call: call)
            }
        }
        do throws(CommandRefusal) {
            var command = try result.get()
            var (isCounted, isAmended) = (false, false)
            do throws(CommandRefusal) {
                try admission.complete(&command)
                if isChecked, let content = command.command {
                    // Whose popups it is about is looked up among all of them.
                    if case .clear = content, !access.access.isUnrestricted {
                        try spendVisits(of: content)
                        isCounted = true
                    }
                    try access.check(content, in: state.scheduler, state.producers)
                    try access.claim(name)
                } else if !access.isOpen, let content = command.command {
                    access.recordPending(content, by: nil)
                }
                command.by = user?.text ?? ""
                isAmended = try admission.askPlugins(about: &command, at: now)
            } catch {
                return refuse(error, of: command, isChecked ? settled(number, name) : number, call: call)
            }
            if isAmended {
                enter(amended: command, number, by: user, call: call, isCounted: isCounted)
            } else {
                enter(command, number, call: call, isCounted: isCounted)
            }
        } catch {
            refuse(error, isChecked ? settled(number, name) : number, call: call)
        }
    }

    private func producer(of result: Result<WireCommand, CommandRefusal>) -> ProducerName? {
        (try? result.get()).flatMap { ProducerName($0.producer) }
    }

    /// Answers a repeated query again, with the current rights and limits. A repeated call from another thread receives
    /// the settled outcome.
    private mutating func answerAgain(
        _ result: Result<WireCommand, CommandRefusal>, _ refusal: SettledRefusal?, call: Int?
    ) {
        if refusal == nil, case .success(var command) = result, case .query = command.command {
            do throws(CommandRefusal) {
                try admission.complete(&command)
                guard let content = command.command, case .query(let query) = content else { return }
                if !access.isOpen, call == nil {
                    try access.check(content, in: state.scheduler, state.producers)
                }
                try ask(query, call: call)
            } catch {
                refuse(error, of: command, call: call)
            }
        } else if call != nil {
            let sender = SentCommand.decoded.sender(result)
            if let sender, refusal == nil, !isSettled(sender) {
                pipeline.gathered.enter(.pendingRepetition(sender), call: call)
            } else {
                pipeline.gathered.enter(.repetition(refusal.map { CommandRefusal($0.reason, $0.detail) }), call: call)
            }
        }
    }

    /// Whether the sequence of a command is settled.
    func isSettled(_ sender: CommandSender) -> Bool {
        guard let session = state.producers.index(of: sender.producer) else { return false }
        return state.producers[session].isSettled(sender.sequence)
    }

    /// Returns the refusal of a settled command; `nil` if it was accepted.
    func settledRefusal(of sender: CommandSender) -> CommandRefusal? {
        guard let session = state.producers.index(of: sender.producer),
            let refusal = state.producers[session].refusal(of: sender.sequence)
        else { return nil }
        return CommandRefusal(refusal.reason, refusal.detail)
    }

    /// Adds a command to the batch that the plugins have amended. It is checked like a received one.
    private mutating func enter(
        amended: WireCommand, _ number: NumberedCommand?, by user: UserName?, call: Int?, isCounted: Bool = false
    ) {
        var command = amended
        do throws(CommandRefusal) { try admission.complete(&command) } catch {
            return refuse(error, of: command, number, call: call)
        }
        command.by = user?.text ?? ""
        enter(command, number, call: call, isCounted: isCounted)
    }

    /// Adds a complete command to the batch after the plugins were asked.
    private mutating func enter(
        _ command: WireCommand, _ number: NumberedCommand?, call: Int?, isCounted: Bool = false
    ) {
        guard !leases.isRenewal(command, at: now) else {
            if let call { calls.answer(call, nil) }
            return
        }
        do throws(CommandRefusal) {
            try append(command, number, call: call, isCounted: isCounted)
        } catch {
            leases.endChange(by: command)
            refuse(error, of: command, number, call: call)
        }
    }

    /// Adds a valid command to the batch.
    ///
    /// - Parameter isCounted: Whether the popups that it visits are counted already.
    mutating func append(
        _ command: WireCommand, _ number: NumberedCommand? = nil, call: Int?, isCounted: Bool = false
    ) throws(CommandRefusal) {
        guard let content = command.command else { return }
        if case .query(let query) = content, number == nil { return try ask(query, call: call) }
        if !isCounted { try spendVisits(of: content) }
        guard let bytes: [UInt8] = try? command.serializedBytes(), bytes.count <= Ingress.maxFrameBytes else {
            throw CommandRefusal(
                .tooLarge, "the command has more than \(Ingress.maxFrameBytes) bytes as it is kept; send less")
        }
        if case .setPolicy(let policy) = content { try enterTimeZones(of: policy, before: bytes.count) }
        let entry: BatchEntry.Content
        // A query has no kind here: it is committed only to settle its sequence.
        var kind: CommandKind? = CommandKind(content)
        if let ordinary = admission.keepOrdinary(kind, bytes.span, in: &pipeline.gathered) {
            entry = ordinary
        } else if case .query(let query) = content {
            let answer = answerOfAccess(to: query) ?? (pipeline.isCommitting ? answer(query) : nil)
            entry = pipeline.gathered.keep(answer == nil ? .query(query) : .answered)
            if let answer { reply(answer) }
            kind = nil
        } else {
            entry = pipeline.gathered.keep(.state(.command(command)))
        }
        let range = appendToLog(bytes, number, user: command.by)
        let index = number.map { acknowledgements.register($0, in: state.producers) }
        pipeline.gathered.enter(
            BatchEntry(
                content: entry, kind: kind, producer: ProducerName(command.producer), range: range,
                sender: command.by.isEmpty ? .withoutName : access.sender, call: call, number: index))
    }

    /// Appends a command to the journal's next batch, with the digest of the sent command if that was different.
    private mutating func appendToLog(_ bytes: [UInt8], _ number: NumberedCommand?, user: String) -> Range<Int> {
        let sent = bytes.span.bytes.extracting(droppingLast: CommandUser.fieldBytes(ofName: user.utf8.count))
        if let number, CommandDigest.of(sent) != number.digest {
            return pipeline.gathered.append(amended: bytes.span.bytes, digest: number.digest)
        }
        return pipeline.gathered.append(command: bytes.span.bytes)
    }
}
