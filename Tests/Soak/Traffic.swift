import PopupProtocol
import SwiftProtobuf
import ZeroMQ

/// Producers, an observer that accounts for every popup, and subscribers that are slow or only pass by: all on one
/// thread.
final class Traffic {
    private(set) var tally = TrafficTally()

    private let ingress: Socket
    private let events: Socket
    private var poller = Poller()
    private let message = Message()
    private var ledger = PopupLedger()
    private var commands = SoakCommands()
    private var counted: CountedProducers
    private var fringe: Fringe
    private var latencies: [Double] = []
    // Pacing.
    private var rate = 0.0
    private var begun = 0.0
    private var sentSince = 0

    /// Popups sent of which no event came yet, at most: fewer than any queue on the way holds.
    private static let window = 4000
    /// In seconds: so long at most is anything waited for.
    private static let patience = 60.0

    /// Connects, and waits until a popup's event comes through.
    init(_ broker: SoakedBroker) throws {
        let context = try Context()
        ingress = try Socket(
            context, .xpub, options: [.immediate(true), .xpubNoDrop(true), .linger(milliseconds: 2000)])
        events = try Socket(context, .sub, options: [.receiveHighWaterMark(0)])
        counted = try CountedProducers(context, broker)
        fringe = try Fringe(context, broker)
        try ingress.connect(broker.ingress)
        try events.connect(broker.egress)
        try events.subscribe(to: "events/")
        _ = poller.add(events)
        try openWay()
    }

    /// The broker's subscription comes first; then probes, until an event of one has come.
    private func openWay() throws {
        let end = Clock.seconds() + Self.patience
        while try ingress.receive() == nil {
            guard Clock.seconds() < end else { throw SoakFailure(description: "the broker doesn't subscribe") }
            _ = try poller.wait(timeoutMilliseconds: 5)
        }
        var probes = 0
        while try !events.receive(into: message) {
            guard Clock.seconds() < end else { throw SoakFailure(description: "no event comes through") }
            var probe = WireCommand()
            probe.show.id = "probe-\(probes)"
            probe.show.group = "probe"
            probe.show.durationMs = 1
            probes += 1
            _ = try ingress.send(try probe.serializedBytes())
            _ = try poller.wait(timeoutMilliseconds: 10)
        }
        try takeIn()
    }

    /// How many popups a second come through when as many are sent as can be.
    func measure(seconds: Double) throws -> Double {
        begin(rate: .infinity)
        try run(until: Clock.seconds() + seconds / 3)
        let (start, shown) = (Clock.seconds(), tally.shown)
        try run(until: start + seconds * 2 / 3)
        let result = Double(tally.shown - shown) / (Clock.seconds() - start)
        try finish()
        latencies = []
        return result
    }

    /// So many popups are sent a second from now on.
    func begin(rate: Double) {
        self.rate = rate
        begun = Clock.seconds()
        sentSince = 0
    }

    /// Sends and takes in until then.
    func run(until end: Double) throws {
        while true {
            let now = Clock.seconds()
            if now >= end { return }
            let due = rate.isInfinite ? Self.window : Int((now - begun) * rate) - sentSince
            var room = min(due, Self.window - ledger.unheard)
            while room > 0 {
                let sent = try sendSome()
                guard sent > 0 else { break }
                room -= sent
                sentSince += sent
            }
            try takeIn()
            try counted.takeIn(&tally)
            try fringe.turn(at: now, &tally)
            if room <= 0 { _ = try poller.wait(timeoutMilliseconds: 1) }
        }
    }

    /// Waits until all popups have ended and all acknowledgements have come.
    func finish() throws {
        let end = Clock.seconds() + Self.patience
        while ledger.live > 0 || counted.unsettled > 0 {
            guard Clock.seconds() < end else {
                tally.note("\(ledger.unheard) popups were never heard of, \(ledger.live) never ended")
                tally.note("\(counted.unsettled) numbered commands have no acknowledgement")
                return
            }
            try takeIn()
            try counted.takeIn(&tally)
            _ = try poller.wait(timeoutMilliseconds: 5)
        }
    }

    /// What popups took from being sent to their first event, in ms, in order; forgets them.
    func takeLatencies() -> [Double] {
        defer { latencies.removeAll(keepingCapacity: true) }
        return latencies.sorted()
    }

    // MARK: Sending

    /// One frame of the mix. Returns how many popups it shows; 0 when there was no room.
    private func sendSome() throws -> Int {
        switch commands.roll(20) {
        case 0..<12:
            let number = try ledger.send(at: Clock.nanoseconds())
            try send(commands.show(number))
            return 1
        case 12..<15:
            let count = 2 + commands.roll(30)
            let time = Clock.nanoseconds()
            let shows = try (0..<count).map { _ in commands.show(try ledger.send(at: time)) }
            try send(SoakCommands.batch(shows))
            return count
        case 15..<17:
            guard counted.hasRoom else { return try sendOther() }
            let number = try ledger.send(at: Clock.nanoseconds())
            try send(counted.number(commands.show(number)))
            tally.numbered += 1
            return 1
        default:
            return try sendOther()
        }
    }

    /// A command about a popup sent lately, then one popup.
    private func sendOther() throws -> Int {
        if ledger.next > 1000 {
            let command = commands.other(about: ledger.next - 1 - commands.roll(1000))
            try send(try command.serializedBytes())
            tally.otherCommands += 1
        }
        try send(commands.show(try ledger.send(at: Clock.nanoseconds())))
        return 1
    }

    /// The broker takes it, if not now then soon.
    private func send(_ frame: [UInt8]) throws {
        let end = Clock.seconds() + Self.patience
        while try !ingress.send(frame) {
            guard Clock.seconds() < end else { throw SoakFailure(description: "the broker takes nothing any more") }
            try takeIn()
            _ = try poller.wait(timeoutMilliseconds: 1)
        }
    }

    // MARK: Receiving

    private func takeIn() throws {
        while try events.receive(into: message) {
            guard !message.more else { continue }
            guard let event = EventFrame(message.unsafeBytes) else {
                tally.note("an event can't be read")
                continue
            }
            if event.popup >= 0 { take(event) }
        }
    }

    private func take(_ event: EventFrame) {
        if event.isRefused {
            // Dismissals and updates may come too late; a show may not be refused.
            if ledger.isUnheard(event.popup) {
                tally.note("popup \(event.popup) was refused")
                _ = ledger.hear(event.popup, at: 0)
                _ = ledger.close(event.popup)
            }
            return
        }
        if let latency = ledger.hear(event.popup, at: Clock.nanoseconds()) {
            tally.shown += 1
            if event.popup % 8 == 0 { latencies.append(Double(latency) / 1e6) }
        }
        guard event.isClosed else { return }
        tally.closed += 1
        if !ledger.close(event.popup) { tally.note("popup \(event.popup) ended twice") }
    }
}
