import PopupProtocol
import SwiftProtobuf
import TestSupport

/// The commands of the traffic. A `show` is written by hand, as there are so many.
struct SoakCommands {
    /// So many that a group gets less than it can show: in one that always has something more urgent, what was paused would
    /// wait for ever.
    static let groups = 20_000
    private var random = SplitMix64(seed: 1)
    private let text = [UInt8](repeating: UInt8(ascii: "x"), count: 200)

    /// Random, and the same in each run.
    mutating func roll(_ sides: Int) -> Int { Int(random.next() >> 33) % sides }

    static func id(_ number: Int) -> String { "s" + digits(number, 10) }

    static func group(_ number: Int) -> String {
        (number.isMultiple(of: 2) ? "soak/stop/" : "soak/line/") + digits(number, 5)
    }

    /// A popup of 200 bytes for 20 to 200 ms.
    mutating func show(_ number: Int) -> [UInt8] {
        var popup: [UInt8] = []
        popup.reserveCapacity(260)
        Self.append(1, Array(Self.id(number).utf8), to: &popup)
        Self.append(2, Array(Self.group(roll(Self.groups)).utf8), to: &popup)
        popup += [3 << 3, UInt8(roll(4))]
        popup.append(4 << 3)
        Self.append(varint: 20 + roll(180), to: &popup)
        Self.append(11, text, to: &popup)
        var command: [UInt8] = []
        command.reserveCapacity(270)
        Self.append(3, popup, to: &command)
        return command
    }

    /// One of the other commands about a popup that was sent, or a group.
    mutating func other(about number: Int) -> WireCommand {
        var command = WireCommand()
        switch roll(20) {
        case 0..<12:
            command.dismiss.id = Self.id(number)
            command.dismiss.action = "ok"
        case 12..<18:
            command.update.id = Self.id(number)
            command.update.restartTimer = true
            command.update.text = "changed"
        case 18:
            command.clear.selector.group = Self.group(roll(Self.groups))
        default:
            command.advance.group = Self.group(roll(Self.groups))
        }
        return command
    }

    /// Several commands in one frame.
    static func batch(_ commands: [[UInt8]]) -> [UInt8] {
        var frame: [UInt8] = []
        for command in commands { append(15, command, to: &frame) }
        return frame
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    private static func append(_ field: UInt8, _ bytes: [UInt8], to message: inout [UInt8]) {
        message.append(field << 3 | 2)
        append(varint: bytes.count, to: &message)
        message += bytes
    }

    private static func append(varint value: Int, to message: inout [UInt8]) {
        var value = value
        while value >= 0x80 {
            message.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        message.append(UInt8(value))
    }
}
