import PopupProtocol

// Messages are received for the gathered batch, and their frames are divided into commands.
extension BrokerLoop {
    /// Receives messages, unless a batch has just completed: then the time advances in a turn before. While a batch is
    /// applied over several turns, messages are gathered, unless the end of a lease has to be committed before them, or
    /// another batch is in flight: at most two batches wait to be applied.
    ///
    /// - Returns: Whether there may be more messages, and space for them.
    mutating func takeMessages(hasCompleted: Bool) throws -> Bool {
        if pipeline.isApplying { return try !pipeline.isInFlight && !isLeaseDue && takeMessages() }
        return try !pipeline.isInFlight && hasCompleted || takeMessages()
    }

    /// Receives messages for a batch, and commits or submits it. While another batch is in flight, the batch grows
    /// until that one is committed. With a shared journal, calls that wait come first; until a reload has taken effect,
    /// nothing is received.
    ///
    /// - Returns: Whether there may be more messages, and space for them.
    mutating func takeMessages() throws -> Bool {
        var isReloading = false
        // Renewals of leases wait with the messages.
        defer { leases.waitForMessages(isReloading) }
        let transport = transport
        let isCommitting = pipeline.isCommitting
        var isDrained = false
        var queries = 0
        replies.beginTurn()
        if !pipeline.isFull { try admitHeld() }
        if pipeline.isShared {
            isReloading = try admitCalls()
            pipeline.waitForReload(isReloading)
            isDrained = isReloading
        }
        while !isDrained, !admission.isHolding, !pipeline.isFull, queries < pipeline.messagesInTurn,
            replies.visits < Ingress.visitedPopups,
            !pipeline.isInFlight || !pipeline.isDone
        {
            let entries = pipeline.gathered.entries.count
            let reception = try transport.receive { user, frame in
                access.begin(user)
                pipeline.gathered.recordReceived(bytes: frame.byteCount)
                admit(frame: frame)
            }
            switch reception {
            case .nothing: isDrained = true
            case .frame where replies.hasReplied && pipeline.gathered.entries.count == entries: queries += 1
            case .frame: pipeline.gathered.recordMessage()
            case .tooManyFrames(let user):
                access.begin(user)
                pipeline.gathered.recordMessage()
                refuse(CommandRefusal(.malformed, "the message has more than two frames; send a command in one frame"))
            }
            if replies.hasReplied { try replies.endMessage() }
        }
        let hasMore = !isDrained || admission.isHolding
        let hasCalls = !isReloading && calls.requestCount > 0
        if isCommitting { return (hasMore || hasCalls) && !pipeline.isFull }
        if pipeline.gathered.isEmpty {
            pipeline.gathered.forgetMessages()
            admission.beginBatch()
        } else {
            try commitOrSubmit()
        }
        return hasMore || !pipeline.isInFlight && (isReloading || hasCalls)
    }

    /// Admits the commands of a frame.
    mutating func admit(frame: RawSpan) {
        admission.beginFrame()
        frame.withUnsafeBytes { bytes in
            switch bytes.first {
            case UInt8(ascii: "{"): admit(json: bytes)
            case BatchFrame.firstByte: admit(batch: bytes)
            default: admit(command: bytes)
            }
        }
    }

    /// Admits the commands of a JSON frame like binary ones.
    private mutating func admit(json text: UnsafeRawBufferPointer) {
        do throws(CommandRefusal) {
            try admission.read(json: Span<UInt8>(_unsafeElements: text.bindMemory(to: UInt8.self)))
        } catch {
            return refuse(error)
        }
        admit(partsOf: text, from: 0)
    }

    /// Admits the commands of the JSON frame that was read last, from this one on: those that a turn may decode and a
    /// batch can hold; the next turns admit the rest.
    private mutating func admit(partsOf text: UnsafeRawBufferPointer, from first: Int) {
        let json = admission.json
        let binary = json.binary
        binary.withUnsafeBytes { bytes in
            for index in first..<json.parts.count {
                let part = json.parts[index]
                switch part.content {
                case .binary(let range): admit(command: UnsafeRawBufferPointer(rebasing: bytes[range]))
                case .command(let command): admit(.success(command), sent: .decoded)
                case .refused(let refusal, let sender):
                    let text = UnsafeRawBufferPointer(rebasing: text[part.text])
                    admit(.failure(refusal), sent: .json(sender, digest: CommandDigest.of(text.bytes)))
                }
                let next = index + 1
                if admission.refusesRest { return refuseRest(json.parts.count - next + json.unread) }
                if pipeline.holdsRest, next < json.parts.count {
                    return admission.hold(.json(next: next, text: Array(text)), of: access.user)
                }
            }
        }
    }

    private mutating func admit(batch bytes: UnsafeRawBufferPointer) {
        let frame = Span<UInt8>(_unsafeElements: bytes.bindMemory(to: UInt8.self))
        guard BatchFrame.isWhole(frame) else {
            return refuse(
                CommandRefusal(.malformed, "the batch is broken; send one protobuf Batch per frame"))
        }
        admit(commandsOf: bytes)
    }

    /// Admits the commands of a binary batch: those that a turn may decode and a batch can hold; the next turns admit
    /// the rest.
    private mutating func admit(commandsOf bytes: UnsafeRawBufferPointer) {
        let frame = Span<UInt8>(_unsafeElements: bytes.bindMemory(to: UInt8.self))
        var batch = BatchFrame()
        var unread = 0
        while let range = (try? batch.next(in: frame)) ?? nil {
            if admission.refusesRest {
                unread += 1
                continue
            }
            admit(command: UnsafeRawBufferPointer(rebasing: bytes[range]))
            if pipeline.holdsRest, range.upperBound < bytes.count, !admission.refusesRest {
                return admission.hold(.binary(Array(bytes[range.upperBound...])), of: access.user)
            }
        }
        refuseRest(unread)
    }

    /// Admits the commands that were held: as many as a turn may decode and a batch can hold.
    mutating func admitHeld() throws {
        guard let held = admission.takeHeld() else { return }
        access.begin(held.user)
        switch held.commands {
        case .binary(let commands): commands.withUnsafeBytes { admit(commandsOf: $0) }
        case .json(let next, let text): text.withUnsafeBytes { admit(partsOf: $0, from: next) }
        }
        if replies.hasReplied { try replies.endMessage() }
    }

    /// Refuses the remaining commands of a frame by one refusal.
    private mutating func refuseRest(_ unread: Int) {
        if unread > 0 { refuse(admission.refusal(ofRest: unread)) }
    }
}
