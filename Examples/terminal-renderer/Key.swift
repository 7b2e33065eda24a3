/// A key that the user pressed.
enum Key: Equatable {
    case character(Character)
    case enter
    case escape
    case tab
    case up
    case down
    case pageUp
    case pageDown
    /// The terminal has the focus again, as it reports itself.
    case focusGained
    case focusLost
    /// Control-C.
    case interrupt

    /// Returns the keys in the bytes from a terminal. Sequences of other cursor and function keys are left out:
    /// their letters are not keys.
    static func keys(in bytes: [UInt8]) -> [Key] {
        var keys: [Key] = []
        var rest = bytes[...]
        while let byte = rest.first {
            switch byte {
            case 0x1B where rest.count == 1:
                keys.append(.escape)
                rest.removeFirst()
            case 0x1B:
                let length = sequenceLength(rest)
                if let key = key(of: rest.prefix(length)) { keys.append(key) }
                rest = rest.dropFirst(length)
            case 0x03:
                keys.append(.interrupt)
                rest.removeFirst()
            case 0x09:
                keys.append(.tab)
                rest.removeFirst()
            case 0x0A, 0x0D:
                keys.append(.enter)
                rest.removeFirst()
            case 0x20...0x7E:
                keys.append(.character(Character(Unicode.Scalar(byte))))
                rest.removeFirst()
            default:
                rest.removeFirst()
            }
        }
        return keys
    }

    private static func key(of sequence: ArraySlice<UInt8>) -> Key? {
        switch Array(sequence) {
        case Array("\u{1B}[A".utf8), Array("\u{1B}OA".utf8): .up
        case Array("\u{1B}[B".utf8), Array("\u{1B}OB".utf8): .down
        case Array("\u{1B}[5~".utf8): .pageUp
        case Array("\u{1B}[6~".utf8): .pageDown
        case Array("\u{1B}[I".utf8): .focusGained
        case Array("\u{1B}[O".utf8): .focusLost
        default: nil
        }
    }

    /// Returns the length of a sequence: escape and `[`, parameters, and one final byte; or escape, `O` and a letter;
    /// or escape and a key (Alt).
    private static func sequenceLength(_ bytes: ArraySlice<UInt8>) -> Int {
        let second = bytes[bytes.startIndex + 1]
        switch second {
        case UInt8(ascii: "["):
            let final = bytes.dropFirst(2).firstIndex { (0x40...0x7E).contains($0) }
            return (final ?? bytes.endIndex - 1) - bytes.startIndex + 1
        case UInt8(ascii: "O"): return min(3, bytes.count)
        case 0x1B: return 1
        default: return 2
        }
    }
}
