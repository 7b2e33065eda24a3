import PopupProtocol
import SystemCalls

/// A recording in a file: one JSON command per line, with an additional member `at`.
struct CommandFile: Recording {
    private let name: String
    private var reader: LineReader
    private var number = 0
    private var latest: Int64 = 0

    /// Opens the file at a path; `-` is standard input.
    init(path: String) throws(RecordingFault) {
        name = path == "-" ? "standard input" : path
        do throws(InputError) {
            reader = try LineReader(path: path)
        } catch {
            throw RecordingFault(text: "\(error)", isMissing: true)
        }
    }

    mutating func next() throws(RecordingFault) -> RecordedStep? {
        while let line = try nextLine() {
            number += 1
            guard !line.allSatisfy(Self.isSpace) else { continue }
            let timed = try parse(line)
            guard timed.time >= latest else {
                throw fault("is at \(timed.time), before the \(latest) of an earlier line; sort the lines by \"at\"")
            }
            latest = timed.time
            return RecordedStep(time: timed.time, action: try action(timed))
        }
        return nil
    }

    private func action(_ line: TimedLine) throws(RecordingFault) -> RecordedStep.Action {
        if let ahead = line.wallClockLead { return .setWallClock(ahead: ahead) }
        guard let removed = line.removedPolicy else {
            if let unknown = Ingress.unknownField(in: line.frame, besides: ["lasts"]) {
                throw fault("has a mistake: \(unknown)")
            }
            return .commands(Self.commands(in: line.frame), leasesLast: line.leasesLast)
        }
        guard let pattern = GroupPattern(removed) else {
            throw fault(
                "has a `removePolicy` without a valid group or pattern; give {\"removePolicy\":{\"group\":\"g\"}}")
        }
        return .removePolicy(pattern)
    }

    /// Returns the commands of a frame, as the broker decodes them.
    private static func commands(in frame: [UInt8]) -> [ReceivedCommand] {
        let limit = Ingress.maxFrameBytes
        guard frame.count <= limit else {
            return [
                ReceivedCommand(
                    CommandRefusal(.tooLarge, "the frame has \(frame.count) bytes; at most \(limit) are allowed"))
            ]
        }
        return Ingress.receivedCommands(in: frame)
    }

    private mutating func nextLine() throws(RecordingFault) -> [UInt8]? {
        do throws(LineReader.Fault) {
            return try reader.next()
        } catch {
            number += 1
            switch error {
            case .unreadable(let error): throw RecordingFault(text: "\(error)", isMissing: true)
            case .lineTooLong: throw fault("is longer than any command; check that this is a file of commands")
            }
        }
    }

    private func parse(_ line: [UInt8]) throws(RecordingFault) -> TimedLine {
        do throws(TimedLine.Fault) {
            return try TimedLine(line)
        } catch {
            switch error {
            case .notJSON: throw fault("is not JSON; give one command such as {\"at\":0,\"show\":{…}}")
            case .notAnObject: throw fault("is not a JSON object; give one command such as {\"at\":0,\"show\":{…}}")
            case .noTime: throw fault("has no \"at\"; give the time in ms from the start")
            case .badTime: throw fault("has an \"at\" that is not a whole number of ms from 0 on")
            }
        }
    }

    private func fault(_ text: String) -> RecordingFault {
        RecordingFault(text: "\(name):\(number): the line \(text)")
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D
    }
}
