import PopupScheduling

/// The lines between the broker and its clients: what is lost, repeated, late, in the wrong order, or kept in a queue
/// until its reader takes it. It says when a message arrives; the world carries it there.
struct SimulatedNetwork {
    private struct Line {
        var weather: [Direction: Weather] = [:]
        var isCut = false
        var queue: [SimulatedTransport.Message] = []
        var dice: [Direction: Dice]
    }

    private let queueLimit: Int
    private var lines: [String: Line] = [:]

    init(seed: UInt64, clients: [String], queueLimit: Int) {
        self.queueLimit = queueLimit
        for client in clients {
            let dice = Direction.allCases.map { ($0, Dice(seed, for: "line \(client) \($0)")) }
            lines[client] = Line(dice: Dictionary(uniqueKeysWithValues: dice))
        }
    }

    func isCut(_ client: String) -> Bool { lines[client]?.isCut ?? true }

    mutating func cut(_ client: String) {
        lines[client]?.isCut = true
        lines[client]?.queue.removeAll()
    }

    mutating func heal(_ client: String) { lines[client]?.isCut = false }

    mutating func set(_ weather: Weather, for client: String, _ direction: Direction) {
        lines[client]?.weather[direction] = weather
    }

    /// When the copies of a message arrive, in ms from now; none when it is lost.
    mutating func delays(_ client: String, _ direction: Direction) -> [Milliseconds] {
        guard var line = lines[client], !line.isCut, var dice = line.dice[direction] else { return [] }
        let weather = line.weather[direction] ?? .calm
        guard weather != .calm else { return [0] }
        var delays: [Milliseconds] = []
        func delay() -> Milliseconds {
            Milliseconds(dice.number(Int(weather.delay.lowerBound)...Int(weather.delay.upperBound)))
        }
        if !dice.percent(weather.lost) { delays.append(delay()) }
        if dice.percent(weather.repeated) { delays.append(delay()) }
        line.dice[direction] = dice
        lines[client] = line
        return delays
    }

    /// A message for a reader that takes its time. Returns whether it goes by the queue; `wait` then tells how long the
    /// reader takes to begin, if it does not read already.
    mutating func queues(_ message: SimulatedTransport.Message, for client: String) -> (
        isQueued: Bool, wait: Milliseconds?
    ) {
        guard let line = lines[client], !line.isCut else { return (true, nil) }
        let pace = line.weather[.down]?.every ?? 0
        guard pace > 0 || !line.queue.isEmpty else { return (false, nil) }
        if line.queue.count < queueLimit { lines[client]?.queue.append(message) }
        return (true, line.queue.isEmpty ? pace : nil)
    }

    /// The reader takes a message. `wait` tells when it takes the next, if there is one.
    mutating func take(_ client: String) -> (message: SimulatedTransport.Message, wait: Milliseconds?)? {
        guard var line = lines[client], !line.queue.isEmpty else { return nil }
        let message = line.queue.removeFirst()
        lines[client] = line
        return (message, line.queue.isEmpty ? nil : line.weather[.down]?.every ?? 0)
    }
}
