import PopupProtocol
import SwiftProtobuf

/// Makes a failing script as short and plain as it can be and still fail, within so many runs.
func shrunk(_ script: Script, runs: Int = 600, while fails: (Script) -> Bool) -> Script {
    var left = runs
    let stillFails = { (candidate: Script) in
        left -= 1
        return left >= 0 && fails(candidate)
    }
    var script = script
    while left > 0 {
        let before = script
        script = withoutWhatCanGo(script, stillFails)
        script = plainer(script, stillFails)
        if script == before { break }
    }
    return script
}

/// Leaves out runs of items, long ones first.
private func withoutWhatCanGo(_ script: Script, _ fails: (Script) -> Bool) -> Script {
    var script = script
    var length = max(1, script.items.count / 2)
    while true {
        var start = 0
        while start < script.items.count {
            var shorter = script
            shorter.items.removeSubrange(start..<min(start + length, script.items.count))
            if fails(shorter) {
                script = shorter
            } else {
                start += length
            }
        }
        if length == 1 { return script }
        length /= 2
    }
}

/// Leaves out the fields of commands, one by one.
private func plainer(_ script: Script, _ fails: (Script) -> Bool) -> Script {
    var script = script
    for index in script.items.indices {
        guard case .send(let client, let commands) = script.items[index].deed else { continue }
        var kept = commands
        for place in commands.indices {
            for field in kept[place].fields.indices.reversed() {
                var fewer = kept
                guard let command = kept[place].without(field: field) else { continue }
                fewer[place] = command
                var candidate = script
                candidate.items[index].deed = .send(client, fewer)
                if fails(candidate) {
                    script = candidate
                    kept = fewer
                }
            }
        }
    }
    return script
}

extension WireCommand {
    /// The fields of what it commands, as bytes.
    fileprivate var fields: [[UInt8]] {
        guard let bytes: [UInt8] = try? serializedBytes(), let own = Self.split(bytes).last else { return [] }
        // Behind its key the member's length, then its fields.
        var start = 0
        for _ in 0..<2 {
            while own[start] >= 0x80 { start += 1 }
            start += 1
        }
        return Self.split(Array(own[start...]))
    }

    fileprivate func without(field: Int) -> WireCommand? {
        guard let bytes: [UInt8] = try? serializedBytes(), let own = Self.split(bytes).last else { return nil }
        var left = fields
        left.remove(at: field)
        let inside = left.flatMap { $0 }
        let key = own.prefix { $0 >= 0x80 } + own.drop { $0 >= 0x80 }.prefix(1)
        var length: [UInt8] = []
        var count = inside.count
        repeat {
            length.append(UInt8(count & 0x7F) | (count > 0x7F ? 0x80 : 0))
            count >>= 7
        } while count > 0
        return try? WireCommand(serializedBytes: bytes.dropLast(own.count) + key + length + inside)
    }

    /// The fields of an encoded message, each with its key.
    private static func split(_ bytes: [UInt8]) -> [[UInt8]] {
        var fields: [[UInt8]] = []
        var position = 0
        func number() -> Int {
            var value = 0
            var shift = 0
            while position < bytes.count {
                value |= Int(bytes[position] & 0x7F) << min(shift, 56)
                shift += 7
                position += 1
                if bytes[position - 1] < 0x80 { break }
            }
            return value
        }
        while position < bytes.count {
            let start = position
            switch number() & 7 {
            case 0: _ = number()
            case 1: position += 8
            case 2: position += number()
            default: position += 4
            }
            position = min(position, bytes.count)
            fields.append(Array(bytes[start..<position]))
        }
        return fields
    }
}
