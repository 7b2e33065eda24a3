import PopupJournal

// An owner appends, handles timers until the horizon, and proves again and again that it still owns the log.
extension FleetNode {
    /// Returns the state that it may publish now; `nil`: none. To be asked before each flush.
    ///
    /// Nothing while a request is under way or an entry is to be applied, nothing unconfirmed.
    public func voice(at moment: FleetMoment) -> Voice? {
        guard isConfirmed(at: moment), pending == nil, unapplied == nil else { return nil }
        return Voice(epoch: replica.epoch, index: replica.index, time: replica.time)
    }

    /// Whether it owns the log and has proved it not long ago, and its broker works.
    public func isConfirmed(at moment: FleetMoment) -> Bool {
        role == .owner && confirmation?.holds(at: moment.boot, age: timing.mute) == true
            && !isBrokerHanging(at: moment)
    }

    /// Records that the loop of the broker has turned, or waits for a batch. Before the first time, the broker reads the
    /// state with which its tenure begins, which may take long.
    public mutating func recordBrokerTurn(at boot: Int64) { broker.recordTurn(at: boot) }

    /// Whether the broker beside an owner has stopped working. Then the owner lets its claim end, so that another node takes
    /// over. One that hands over is not in question.
    public func isBrokerHanging(at moment: FleetMoment) -> Bool {
        guard role == .owner, let end = brokerTurnEnds else { return false }
        return moment.boot > end
    }

    /// The time until which the broker has to turn; `nil`: it need not.
    private var brokerTurnEnds: Int64? {
        guard timers == .ofBroker, !handsOver else { return nil }
        return broker.turned.map { $0 + timing.hang }
    }

    /// Whether it takes a batch now.
    public func canAppend(at moment: FleetMoment) -> Bool {
        isConfirmed(at: moment) && pending == nil && !handsOver
    }

    /// Appends a batch; `canAppend` must say so. It is in the log when `.committed` comes, and not before.
    public mutating func append(_ commands: [UInt8], at moment: FleetMoment) -> [FleetEffect] {
        guard canAppend(at: moment), let head else { return [] }
        var effects: [FleetEffect] = []
        let time = now(at: moment)
        begin(.append(commands, after: head, at: time, horizon: time + timing.ahead), at: moment, &effects)
        return effects
    }

    /// Appends a batch of a broker, which applies it at `time`; `canAppend` must say so. Returns `nil` if that is earlier
    /// than what the log has promised: such a batch can never be in it.
    public mutating func append(_ commands: [UInt8], of time: Int64, at moment: FleetMoment) -> [FleetEffect]? {
        guard canAppend(at: moment), let head else { return [] }
        guard time >= max(replica.time, head.time) else { return nil }
        var effects: [FleetEffect] = []
        begin(.append(commands, after: head, at: time, horizon: time + timing.ahead), at: moment, &effects)
        return effects
    }

    /// Moves the horizon on for a broker; `canAppend` must say so.
    ///
    /// - Parameters:
    ///   - clock: The broker's clock, from which the horizon is counted: no later batch is earlier.
    ///   - handled: The time until which no timer is left to handle: standbys, which tell nobody, follow the head until then.
    ///   - moment: The time, by the clocks of the machine.
    public mutating func reserve(from clock: Int64, handled: Int64, at moment: FleetMoment) -> [FleetEffect] {
        guard canAppend(at: moment), let head else { return [] }
        var effects: [FleetEffect] = []
        begin(.advance(after: head, to: handled, horizon: clock + timing.ahead), at: moment, &effects)
        return effects
    }

    /// The time until which timers may be handled without a batch; `nil` if the node does not own the log.
    public var horizon: Int64? { role == .owner ? head?.horizon : nil }

    /// Returns the time of the log; of an owner only.
    public func time(at moment: FleetMoment) -> Int64 { now(at: moment) }

    /// The time of the machine's clock until which the tenure is proved; `nil` for a standby.
    public var confirmedUntil: Int64? {
        guard role == .owner, let confirmation else { return nil }
        let proved = min(confirmation.headAsked, confirmation.claimAsked) + timing.mute
        return brokerTurnEnds.map { min($0, proved) } ?? proved
    }

    /// Ends the tenure when what is under way is in; a standby ends at once, or as soon as it has given the claim back.
    ///
    /// - Parameters:
    ///   - handled: The time until which a broker has handled timers.
    ///   - moment: The time, by the clocks of the machine.
    public mutating func handOver(handled: Int64 = 0, at moment: FleetMoment) -> [FleetEffect] {
        handsOver = true
        broker.recordHandled(until: handled)
        return turn(at: moment)
    }

    mutating func ownerTurn(at moment: FleetMoment, _ effects: inout [FleetEffect]) {
        let requests = orders.requests(at: moment.boot, timing)
        obeyHandOver(requests, &effects)
        setListening(isConfirmed(at: moment) && !handsOver, &effects)
        prove(at: moment, &effects)
        guard pending == nil, let head else { return }
        if isConfirmed(at: moment), !handsOver, timers == .ofNode {
            replica.advance(to: min(now(at: moment), head.horizon))
        }
        if handsOver {
            begin(.handOver(after: head, at: max(replica.time, broker.handled)), at: moment, &effects)
        } else if let level = wantedLevel(requests, head), canAppend(at: moment) {
            // As early as possible: a broker's next batch is not earlier than the last one.
            begin(.raise(to: level, after: head, at: max(replica.time, head.time)), at: moment, &effects)
        } else if timers == .ofNode, let due = timerBeyondHorizon(of: head, at: moment) {
            let time = now(at: moment)
            // After a pause, timers are due that it has yet to tell of: standbys follow the head.
            begin(.advance(after: head, to: min(time, due - 1), horizon: time + timing.ahead), at: moment, &effects)
        }
    }

    /// Begins to hand over if an operator asks this tenure for it.
    private mutating func obeyHandOver(_ requests: LogOrders?, _ effects: inout [FleetEffect]) {
        guard requests?.handOver == replica.epoch, !handsOver, !broker.isStopping else { return }
        switch timers {
        case .ofNode: handsOver = true
        case .ofBroker:
            // It applies what it has received first, and then hands over itself.
            broker.recordStop()
            effects.append(.stopBroker)
        }
    }

    /// Returns the greater level that an operator asks for, if this program knows it.
    private func wantedLevel(_ requests: LogOrders?, _ head: LogHead) -> UInt32? {
        guard let level = requests?.level, level > head.level, level <= newestLevel else { return nil }
        return level
    }

    /// Returns the time of the log, which is not before the timers that were handled.
    private func now(at moment: FleetMoment) -> Int64 {
        max(clock.time(at: moment.boot), replica.time, head?.time ?? 0)
    }

    /// Returns the time of the next timer, if it is soon, and beyond the horizon.
    private func timerBeyondHorizon(of head: LogHead, at moment: FleetMoment) -> Int64? {
        guard let due = replica.state.nextDeadline, due > head.horizon else { return nil }
        return due <= now(at: moment) + timing.notice ? due : nil
    }

    private mutating func begin(_ write: HeadWrite, at moment: FleetMoment, _ effects: inout [FleetEffect]) {
        pending = write
        ask(.write(write), at: moment, &effects)
    }

    private mutating func setListening(_ listens: Bool, _ effects: inout [FleetEffect]) {
        guard listens != isListening else { return }
        isListening = listens
        effects.append(.listen(listens))
    }

    /// Asks for what proves the tenure, when the last proof is older than a renewal's time.
    private mutating func prove(at moment: FleetMoment, _ effects: inout [FleetEffect]) {
        guard let confirmation else { return }
        if let pending {
            ask(.write(pending), at: moment, &effects)
        } else if headRead == nil || moment.boot - confirmation.headAsked >= timing.renewal {
            // `nil`: somebody saw another's head.
            headRead = moment.boot
            ask(.readHead, at: moment, &effects)
        }
        guard !isBrokerHanging(at: moment) else { return }
        if claim.isRenewalDue(at: moment.boot, timing) {
            ask(.renewClaim, at: moment, &effects)
        } else if claim.isDueAgain(at: moment.boot, timing) {
            claim.ask(at: moment.boot)
            ask(.claim, at: moment, &effects)
        }
    }
}

/// The broker in the process of a node, as far as the node knows it.
struct LocalBroker {
    /// The time at which its loop turned last; `nil` before its first turn.
    private(set) var turned: Int64?
    /// The time until which it has handled timers.
    private(set) var handled: Int64 = 0
    /// Whether it was asked to stop, since an operator wants a hand-over.
    private(set) var isStopping = false

    /// Records a turn of its loop.
    mutating func recordTurn(at boot: Int64) { turned = max(turned ?? boot, boot) }

    /// Records that it has handled all timers until a time.
    mutating func recordHandled(until time: Int64) { handled = max(handled, time) }

    /// Records that it was asked to stop.
    mutating func recordStop() { isStopping = true }
}
