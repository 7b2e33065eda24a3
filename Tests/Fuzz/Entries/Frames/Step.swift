import PopupAccess

/// One thing that happens to the broker of an input.
enum Step {
    case frame([UInt8])
    /// So many ms pass.
    case pass(Int64)
    case subscribe([UInt8])
    case withdraw([UInt8])
    /// The broker ends and begins again from its journal.
    case restart
    /// What follows is of this user; `nil`: of a client without a key.
    case user(UserName?)

    /// Steps at most: a longer input finds nothing that a shorter one doesn't.
    static let most = 64

    /// In ms: so much time passes in one step at most; two years.
    private static let longestPass: Int64 = 1 << 36

    /// The steps of a binary input: each a kind and its value.
    static func steps(binary input: [UInt8]) -> [Step] {
        var reader = InputReader(input)
        var steps: [Step] = []
        while !reader.isAtEnd, steps.count < most {
            switch reader.byte() % 8 {
            case 1: steps.append(.pass(duration(reader.byte())))
            case 2: steps.append(.subscribe(reader.string()))
            case 3: steps.append(.withdraw(reader.string()))
            case 4: steps.append(.restart)
            default: steps.append(.frame(reader.string()))
            }
        }
        return steps
    }

    /// The steps of a text, a line each: `+250` lets 250 ms pass, `<state/` subscribes, `>state/` withdraws, `!` begins
    /// again, `@ann` is followed by what the user `ann` does, anything else is a frame.
    static func steps(lines input: [UInt8]) -> [Step] {
        input.split(separator: UInt8(ascii: "\n"), maxSplits: most, omittingEmptySubsequences: false).prefix(most).map {
            line in
            let rest = Array(line.dropFirst())
            switch line.first {
            case UInt8(ascii: "+"):
                let duration = Int64(String(decoding: rest, as: UTF8.self)) ?? 1
                return .pass(min(max(0, duration), longestPass))
            case UInt8(ascii: "<"): return .subscribe(rest)
            case UInt8(ascii: ">"): return .withdraw(rest)
            case UInt8(ascii: "!"): return .restart
            case UInt8(ascii: "@"): return .user(UserName(String(decoding: rest, as: UTF8.self)))
            default: return .frame(Array(line))
            }
        }
    }

    /// 0 to 31 ms, or a power of two.
    static func duration(_ byte: UInt8) -> Int64 {
        byte < 32 ? Int64(byte) : min(1 << Int64(byte % 37), longestPass)
    }
}
