import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// From frames to the entries of a batch. Nothing here changes what is shown.
extension BrokerCore {
    /// Takes one batch of messages, commits and applies it. Returns whether there may be more.
    mutating func takeMessages() throws -> Bool {
        let transport = transport
        var received = 0
        var isDrained = false
        let most = min(configuration.limits.batchMessages, journal.preferredBatch)
        while !isDrained, received < most, log.bytes.count < Self.batchBytes {
            switch try transport.receive({ admit(frame: $0) }) {
            case .nothing: isDrained = true
            case .frame: break
            case .tooManyFrames:
                refuse(CommandRefusal(.malformed, "the message has more than two frames; send a command in one frame"))
            }
            received += 1
        }
        if !entries.isEmpty { try commit() }
        return !isDrained
    }

    /// A batch is not made larger than so many bytes.
    private static var batchBytes: Int { 4 << 20 }

    /// Admits the commands of a frame.
    mutating func admit(frame: RawSpan) {
        frame.withUnsafeBytes { bytes in
            switch bytes.first {
            case UInt8(ascii: "{"): admit(json: Array(bytes))
            case BatchFrame.firstByte: admit(batch: bytes)
            default: admit(command: bytes)
            }
        }
    }

    private mutating func admit(json frame: [UInt8]) {
        do throws(CommandRefusal) {
            for text in try Ingress.jsonTexts(in: frame) {
                admit(Result { () throws(CommandRefusal) in try Ingress.command(json: text) }, sent: .json(text))
            }
        } catch {
            refuse(error)
        }
    }

    private mutating func admit(batch bytes: UnsafeRawBufferPointer) {
        let frame = Span<UInt8>(_unsafeElements: bytes.bindMemory(to: UInt8.self))
        guard BatchFrame.isWhole(frame) else {
            return refuse(
                CommandRefusal(.malformed, "the batch is broken; send one protobuf Batch per frame"))
        }
        var batch = BatchFrame()
        while let range = (try? batch.next(in: frame)) ?? nil {
            admit(command: UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
    }

    /// Admits an encoded command: by the short way if it is an ordinary `show`.
    @inline(__always)
    private mutating func admit(command bytes: UnsafeRawBufferPointer) {
        let frame = Span<UInt8>(_unsafeElements: bytes.bindMemory(to: UInt8.self))
        guard let show = ShowFrame.read(frame, limits: wireLimits) else { return decode(command: bytes) }
        var number: NumberedCommand?
        if let sender = CommandSender(show.producer, show.sequence) {
            switch take(sender, digest: CommandDigest.of(frame.bytes)) {
            case .new(let command): number = command
            case .known: return
            case .refused(let refusal): return refuse(refusal, ofBytes: bytes)
            }
        }
        let before = log.bytes.count
        let range = log.append(.command, frame.bytes)
        if !plugins.isEmpty {
            var admitted = AdmittedCommand(.show, from: show.producer, in: log.bytes, at: range)
            do throws(CommandRefusal) {
                if try askPlugins(&admitted) {
                    let amended = admitted.command
                    log.truncate(toByteCount: before)
                    return enter(amended, number, call: nil)
                }
            } catch {
                log.truncate(toByteCount: before)
                return refuse(error, of: admitted.command, number)
            }
        }
        requests.append(show.request)
        entries.append(
            BatchEntry(
                content: .show(requests.count - 1), kind: .show, producer: show.producer, range: range,
                number: number.map { register($0) } ?? BatchEntry.unnumbered))
    }

    private mutating func decode(command bytes: UnsafeRawBufferPointer) {
        let bytes = Array(bytes)
        admit(Result { () throws(CommandRefusal) in try Ingress.command(binary: bytes) }, sent: .binary(bytes))
    }

    /// Admits a decoded command, or enters its refusal.
    ///
    /// What was settled before goes no further: neither plugins nor the journal see it.
    mutating func admit(
        _ result: Result<WireCommand, CommandRefusal>, sent: SentCommand = .call, call: Int? = nil
    ) {
        var number: NumberedCommand?
        if let sender = sent.sender(result) {
            switch take(sender, digest: sent.digest(result)) {
            case .new(let command): number = command
            case .known(let refusal): return answerAgain(result, refusal, call: call)
            case .refused(let refusal): return refuse(refusal, of: (try? result.get()) ?? WireCommand(), call: call)
            }
        }
        do throws(CommandRefusal) {
            var command = try result.get()
            do throws(CommandRefusal) {
                try admission.admit(&command)
                if !plugins.isEmpty, var admitted = AdmittedCommand(command), try askPlugins(&admitted) {
                    command = admitted.command
                }
            } catch {
                return refuse(error, of: command, number, call: call)
            }
            enter(command, number, call: call)
        } catch {
            refuse(error, number, call: call)
        }
    }

    /// A question is answered as often as it comes; whoever calls from another thread is told what was settled.
    private mutating func answerAgain(
        _ result: Result<WireCommand, CommandRefusal>, _ refusal: SettledRefusal?, call: Int?
    ) {
        if refusal == nil, case .success(let command) = result, case .query(let query) = command.command {
            entries.append(BatchEntry(content: .query(query), call: call))
        } else if call != nil {
            entries.append(
                BatchEntry(content: .repetition(refusal.map { CommandRefusal($0.reason, $0.detail) }), call: call))
        }
    }

    /// Asks the plugins one after another. Returns whether the command was amended.
    private func askPlugins(_ command: inout AdmittedCommand) throws(CommandRefusal) -> Bool {
        for plugin in plugins { try plugin.admit(&command, at: now) }
        return command.isAmended
    }

    /// Enters a command that plugins have seen; what they amended is checked like a received one.
    private mutating func enter(_ command: WireCommand, _ number: NumberedCommand?, call: Int?) {
        var command = command
        do throws(CommandRefusal) {
            try admission.admit(&command)
            guard !isRenewal(command) else {
                if let call { answeredCalls.append((call, nil)) }
                return
            }
            try append(command, number, call: call)
        } catch {
            refuse(error, of: command, number, call: call)
        }
    }

    /// Enters a command that is as it should be.
    mutating func append(
        _ command: WireCommand, _ number: NumberedCommand? = nil, call: Int?
    ) throws(CommandRefusal) {
        guard let content = command.command else { return }
        if case .query(let query) = content, number == nil {
            return entries.append(BatchEntry(content: .query(query), call: call))
        }
        guard let bytes: [UInt8] = try? command.serializedBytes(), bytes.count <= Ingress.maximumFrameBytes else {
            throw CommandRefusal(
                .tooLarge, "the command has more than \(Ingress.maximumFrameBytes) bytes as it is kept; send less")
        }
        if case .setPolicy(let policy) = content { try enterTimeZones(of: policy) }
        let entry: BatchEntry.Content
        // A question has no kind here: it is committed for its sequence alone.
        var kind: CommandKind? = CommandKind(content)
        if case .show = content, let show = ShowFrame.read(bytes.span, limits: wireLimits) {
            requests.append(show.request)
            entry = .show(requests.count - 1)
        } else if case .query(let query) = content {
            entry = .query(query)
            kind = nil
        } else {
            entry = .decoded(command)
        }
        let range = appendToLog(bytes, number)
        entries.append(
            BatchEntry(
                content: entry, kind: kind, producer: ProducerName(command.producer), range: range,
                call: call, number: number.map { register($0) } ?? BatchEntry.unnumbered))
    }

    /// Appends a command to the journal's next batch; with the digest of what was sent, when that was something else.
    private mutating func appendToLog(_ bytes: [UInt8], _ number: NumberedCommand?) -> Range<Int> {
        if let number, CommandDigest.of(bytes.span.bytes) != number.digest {
            return log.append(amended: bytes.span.bytes, digest: number.digest)
        }
        return log.append(.command, bytes.span.bytes)
    }

    private mutating func refuse(_ refusal: CommandRefusal, ofBytes bytes: UnsafeRawBufferPointer) {
        refuse(refusal, of: (try? WireCommand(serializedBytes: Array(bytes))) ?? WireCommand())
    }

    /// Enters a refusal; its group and popup are those of the command, if it doesn't name them.
    private mutating func refuse(
        _ refusal: CommandRefusal, of command: WireCommand, _ number: NumberedCommand? = nil, call: Int? = nil
    ) {
        var refusal = refusal
        let subject = command.subject
        if refusal.group == nil { refusal.group = GroupName(subject.group) }
        if refusal.popup.isEmpty { refusal.popup = subject.popup }
        var query: WireQuery?
        if case .query(let asked) = command.command { query = asked }
        refuse(refusal, number, query: query, call: call)
    }

    /// Enters a refusal. That of a numbered command settles its sequence, unless there is only no room now.
    mutating func refuse(
        _ refusal: CommandRefusal, _ number: NumberedCommand? = nil, query: WireQuery? = nil, call: Int? = nil
    ) {
        entries.append(
            BatchEntry(
                content: .refused(refusal, query), call: call,
                number: number.flatMap { register($0, refusedFor: refusal) } ?? BatchEntry.unnumbered))
    }
}
