import PopupProtocol
import PopupScheduling
import SwiftProtobuf

// A script as text, an item a line: what a failure prints, and what a named test holds.
extension Script {
    var text: String { items.map(\.text).joined(separator: "\n") }

    init(seed: UInt64, _ text: String) throws {
        self.seed = seed
        items = try text.split(separator: "\n").map { try Item(String($0)) }
    }
}

struct ScriptError: Error, CustomStringConvertible {
    var line: String
    var description: String { "no item of a script: \(line)" }
}

extension Item {
    var text: String { "\(at) \(deed.text)" }

    init(_ line: String) throws {
        let words = line.split(separator: " ").map(String.init)
        guard words.count > 1, let at = Milliseconds(words[0]), let deed = try Deed(Array(words.dropFirst())) else {
            throw ScriptError(line: line)
        }
        self.at = at
        self.deed = deed
    }
}

extension Deed {
    fileprivate var text: String {
        switch self {
        case .send(let client, let commands): "\(client) \(commands.map(\.json).joined(separator: " "))"
        case .sendNonsense(let client, let bytes): "\(client) nonsense \(bytes.map(String.init).joined(separator: " "))"
        case .perform(let command): "perform \(command.json)"
        case .reconfigure(let policies): "reconfigure \(policies.map(\.json).joined(separator: " "))"
        case .crash(let point, let down, let clock): "crash \(point.text) down \(down) clock \(clock)"
        case .failMachine(let point, let down, let clock): "fail-machine \(point.text) down \(down) clock \(clock)"
        case .snapshot(let time): "snapshot \(time)"
        case .damageSnapshot: "damage-snapshot"
        case .fillDisk(let time): "fill-disk \(time)"
        case .contradict(let client): "\(client) contradict"
        case .startAgain(let client): "\(client) start-again"
        case .failCommits(let count): "fail \(count)"
        case .stall(let time): "stall \(time)"
        case .jump(let time): "jump \(time)"
        case .setWallClock(let change): "set-wall-clock \(change)"
        case .weather(let client, let direction, let weather): "\(client) \(direction) \(weather.text)"
        case .cut(let client, let time): "\(client) cut \(time)"
        }
    }

    fileprivate init?(_ words: [String]) throws {
        let numbers = words.compactMap(Milliseconds.init)
        switch (words[0], words.count > 1 ? words[1] : "") {
        case ("perform", let json): self = .perform(try WireCommand(jsonString: json))
        case ("reconfigure", _): self = .reconfigure(try words.dropFirst().map { try WireSetPolicy(jsonString: $0) })
        case ("crash", let place):
            guard numbers.count >= 2, let point = CrashPoint(place, Int(numbers[0])) else { return nil }
            self = .crash(point, down: numbers[numbers.count - 2], clock: numbers[numbers.count - 1])
        case ("fail-machine", let place):
            guard numbers.count >= 2, let point = CrashPoint(place, Int(numbers[0])) else { return nil }
            self = .failMachine(point, down: numbers[numbers.count - 2], clock: numbers[numbers.count - 1])
        case ("snapshot", _) where numbers.count == 1: self = .snapshot(numbers[0])
        case ("damage-snapshot", _): self = .damageSnapshot
        case ("fill-disk", _) where numbers.count == 1: self = .fillDisk(numbers[0])
        case (let client, "contradict"): self = .contradict(client)
        case (let client, "start-again"): self = .startAgain(client)
        case ("fail", _) where numbers.count == 1: self = .failCommits(Int(numbers[0]))
        case ("stall", _) where numbers.count == 1: self = .stall(numbers[0])
        case ("jump", _) where numbers.count == 1: self = .jump(numbers[0])
        case ("set-wall-clock", _) where numbers.count == 1: self = .setWallClock(numbers[0])
        case (let client, "nonsense"): self = .sendNonsense(client, numbers.map { UInt8(clamping: $0) })
        case (let client, "cut") where numbers.count == 1: self = .cut(client, numbers[0])
        case (let client, let word):
            if let direction = Direction(rawValue: word) {
                guard numbers.count == 5, numbers[2] <= numbers[3] else { return nil }
                let weather = Weather(
                    lost: Int(numbers[0]), repeated: Int(numbers[1]), delay: numbers[2]...numbers[3],
                    every: numbers[4])
                self = .weather(client, direction, weather)
            } else {
                self = .send(client, try words.dropFirst().map { try WireCommand(jsonString: $0) })
            }
        }
    }
}

extension CrashPoint {
    fileprivate var text: String {
        switch self {
        case .receive(let count): "receive \(count)"
        case .beforeCommit: "beforeCommit"
        case .afterCommit: "afterCommit"
        case .publish(let count): "publish \(count)"
        }
    }

    fileprivate init?(_ place: String, _ count: Int) {
        switch place {
        case "receive": self = .receive(count)
        case "beforeCommit": self = .beforeCommit
        case "afterCommit": self = .afterCommit
        case "publish": self = .publish(count)
        default: return nil
        }
    }
}

extension Weather {
    fileprivate var text: String {
        "lost \(lost) repeated \(repeated) delay \(delay.lowerBound) \(delay.upperBound) every \(every)"
    }
}

extension Message {
    /// On one line and without spaces: the simulation's texts have none.
    fileprivate var json: String { (try? jsonString()) ?? "{}" }
}
