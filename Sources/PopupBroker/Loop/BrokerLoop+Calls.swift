import PopupJournal
import PopupProtocol
import PopupScheduling

// Calls from other threads. With a journal of its own, the loop performs each at once, as a batch of its own.
//
// The commit to a shared journal takes as long as the network does. So calls are admitted like messages, before those
// that are received in the same turn, and answered when their batch is applied. A reload of the configuration takes
// effect between what was admitted before and what comes after it: until then, nothing else is admitted.
extension BrokerLoop {
    /// Begins the calls of a turn.
    ///
    /// - Parameter count: The number of calls from other threads that wait.
    mutating func beginCalls(count: Int) { calls.beginTurn(count: count) }

    /// Counts the calls that wait in the loop: with a shared journal, those of this turn are among them now.
    mutating func countCallsNotBegun() {
        if pipeline.isShared { calls.countRequests() }
    }

    /// Performs a command from another thread, and passes the outcome to the caller.
    mutating func perform(
        _ command: WireCommand, at callersTime: Milliseconds, _ completion: @escaping PendingCalls.Completion
    ) throws {
        guard !pipeline.isShared else { return wait(for: command, completion) }
        let call = calls.add(completion)
        try drain()
        time.setClock(callersTime)
        advanceClock()
        try fireTimers()
        // Ends of leases may be in flight now.
        try drain()
        admit(command, call)
        try commit()
        calls.deliver()
    }

    /// Applies another configuration, and the time zones that were loaded with it, and passes the outcome to the
    /// caller.
    mutating func perform(_ reload: Reload) {
        if pipeline.isShared {
            if let refusal = calls.refusalOfNext { return reload.done(.failure(refusal)) }
            calls.append(.reload(reload))
        } else {
            do {
                try reconfigure(reload.configuration, timeZones: reload.timeZones)
                reload.done(.success(()))
            } catch {
                reload.done(.failure(error))
            }
        }
    }

    private mutating func wait(for command: WireCommand, _ completion: @escaping PendingCalls.Completion) {
        if let refusal = calls.refusalOfNext { return completion(refusal) }
        calls.append(.command(command, call: calls.add(completion)))
    }

    /// Admits a command from another thread, which counts as a frame.
    private mutating func admit(_ command: WireCommand, _ call: Int) {
        admission.beginFrame()
        admit(.success(command), call: call)
    }

    // MARK: - With a shared journal

    /// Begins the calls that wait: as many as leave half of the gathered batch to messages.
    ///
    /// - Returns: Whether a reload has to take effect before anything else is admitted.
    mutating func admitCalls() throws -> Bool {
        var rest = max(1, pipeline.callsInTurn)
        while rest > 0, !admission.isHolding, !pipeline.isFull, replies.visits < Ingress.visitedPopups {
            rest -= 1
            if let pending = calls.takeReload() {
                guard let unfinished = continueReload(pending) else { continue }
                calls.keep(unfinished)
                return true
            }
            switch calls.takeRequest() {
            case .reload(let request): calls.keep(request)
            case .command(let command, let call):
                let before = pipeline.gathered.log.bytes.count
                admit(command, call)
                pipeline.gathered.recordReceived(bytes: pipeline.gathered.log.bytes.count - before)
                if replies.hasReplied { try replies.endMessage() }
            case nil: return false
            }
        }
        return calls.isReloading
    }

    /// Continues a reload until its next batch is gathered.
    ///
    /// - Returns: The reload, if it continues when everything before it is applied; `nil` if it has taken effect, or
    ///   has failed.
    private mutating func continueReload(_ pending: Reload) -> Reload? {
        guard !pipeline.isCommitting else { return pending }
        var reload = pending
        do {
            guard !reload.isRefused else { throw CommandRefusal.uncommittedPolicies }
            reload.hasGathered = false
            if reload.changes == nil {
                // What the plugins and the rights admitted before is applied first.
                guard pipeline.gathered.isEmpty else { return reload }
                try begin(&reload)
            }
            while let change = reload.changes?.first, pipeline.gathered.log.bytes.count < pipeline.batchBytes {
                reload.hasGathered = true
                try enter(change)
                reload.changes?.removeFirst()
            }
            guard pipeline.gathered.isEmpty else { return reload }
            let plugins = try admission.plugins(for: reload.configuration)
            takeEffect(reload.configuration, plugins)
            end(reload, .success(()))
        } catch {
            if reload.changes != nil { admission.replaceTimeZones(by: reload.timeZones) }
            end(reload, .failure(error))
        }
        return nil
    }

    /// Passes the outcome of a reload to the caller, after those of the calls before it.
    private mutating func end(_ reload: Reload, _ result: Result<Void, any Error>) {
        calls.deliver()
        reload.done(result)
    }

    /// Checks the configuration of a reload, and finds out which policies it changes. The time zones that were loaded
    /// with it come into force.
    private mutating func begin(_ reload: inout Reload) throws {
        reload.timeZones = admission.replaceTimeZones(by: reload.timeZones)
        do {
            let changes = try admission.changes(to: reload.configuration.policies, in: state)
            // The plugins in force change when the policies are committed: nothing can fail after that.
            _ = try ConfiguredPlugins(reload.configuration)
            try checkNumber(of: reload.configuration.policies)
            reload.changes = changes[...]
        } catch {
            reload.timeZones = admission.replaceTimeZones(by: reload.timeZones)
            throw error
        }
    }

    /// Performs all calls, before the end.
    mutating func finishCalls() throws {
        while calls.hasRest {
            replies.beginTurn()
            _ = try admitCalls()
            if pipeline.gathered.isEmpty { pipeline.gathered.forgetMessages() }
            try drain()
        }
        calls.deliver()
    }

    /// Ends all calls without an outcome with this refusal, since the loop has failed.
    mutating func endCalls(_ refusal: CommandRefusal) {
        calls.endAll(refusal)
    }
}

extension CommandRefusal {
    /// Returns the refusal of a call because this number of others waits.
    static func tooManyCalls(_ count: Int) -> CommandRefusal {
        CommandRefusal(.overload, "\(count) calls wait, the limit `limits.pendingCalls`; try again later")
    }

    /// The refusal of a repetition whose first command was not settled.
    static var unsettledRepetition: CommandRefusal {
        CommandRefusal(.overload, "the first command of this sequence was not settled; send it again later")
    }

    /// The refusal of the configuration's policies because the journal could not commit them.
    static var uncommittedPolicies: CommandRefusal {
        CommandRefusal(.overload, "the journal could not commit the policies; read the configuration again later")
    }
}
