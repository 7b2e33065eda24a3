import TestSupport

/// Makes frames field by field as protobuf lays them out, with everything that a frame can have and none should:
/// fields twice, unknown, of another wire type, groups, numbers written longer than needed or too long, lengths that lie,
/// texts that are no UTF-8. Most are nearly right: what is wrong everywhere is refused at its first byte.
struct WireFuzz {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    // MARK: - Messages

    /// A `Command`, mostly a `show` or a `dismiss`.
    mutating func command() -> [UInt8] {
        var fields: [[UInt8]] = []
        if !random.once(in: 3) {
            fields.append(bytes(1, random.once(in: 12) ? text() : Array("0aF9".utf8.cycled(32))))
            if !random.once(in: 4) { fields.append(number(2)) }
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0: fields.append(bytes(UInt64.random(in: 4...17, using: &random), text()))
        case 1...5: fields.append(bytes(5, dismiss()))
        default: fields.append(bytes(3, popup()))
        }
        if random.once(in: 12) {
            fields.append(bytes(random.once(in: 2) ? 3 : 5, random.once(in: 2) ? popup() : dismiss()))
        }
        return joined(fields)
    }

    /// A `Batch` of such commands.
    mutating func batch() -> [UInt8] {
        var fields = (0..<Int.random(in: 1...4, using: &random)).map { _ in bytes(15, command()) }
        if random.once(in: 4) { fields.append(unknown()) }
        return joined(fields, damagedOnceIn: 6)
    }

    private mutating func popup() -> [UInt8] {
        var fields: [[UInt8]] = []
        if !random.once(in: 15) { fields.append(bytes(1, line())) }
        if !random.once(in: 15) { fields.append(bytes(2, group())) }
        // Different ones, mostly: what stands twice is for the full decoder.
        for field in (3...15).shuffled(using: &random).prefix(Int.random(in: 0...6, using: &random)) {
            fields.append(popupField(field))
        }
        // Rarely what only the full decoder knows: there would be little left for the quick one.
        if random.once(in: 12) { fields.append(popupField(Int.random(in: 1...34, using: &random))) }
        return joined(fields)
    }

    private mutating func popupField(_ field: Int) -> [UInt8] {
        switch field {
        case 1, 9, 13: bytes(random.once(in: 3) ? 19 : UInt64(field), line())
        case 2: bytes(2, group())
        case 3...8, 10, 20...22, 32...34: number(UInt64(field))
        case 11: bytes(11, content())
        case 12: bytes(12, content())
        case 14: bytes(14, action())
        case 15: bytes(15, presentation())
        case 16...19: bytes(UInt64(field), random.once(in: 2) ? [] : line())
        case 23: bytes(23, line())
        default: unknown()
        }
    }

    private mutating func action() -> [UInt8] {
        var fields = [bytes(1, line()), bytes(2, line())]
        if random.once(in: 10) { fields.append(unknown()) }
        if random.once(in: 10) { fields.removeFirst() }
        return joined(fields)
    }

    private mutating func presentation() -> [UInt8] {
        let fields = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            let field = UInt64.random(in: 1...9, using: &random)
            return random.once(in: 15) ? unknown() : field < 7 ? number(field) : bytes(field, line())
        }
        return joined(fields)
    }

    private mutating func dismiss() -> [UInt8] {
        var fields: [[UInt8]] = []
        if !random.once(in: 10) { fields.append(bytes(1, line())) }
        if !random.once(in: 3) { fields.append(bytes(2, line())) }
        if random.once(in: 3) { fields.append(number(3)) }
        if random.once(in: 3) { fields.append(bytes(4, group())) }
        if random.once(in: 3) { fields.append(bytes(5, group())) }
        if random.once(in: 12) { fields.append(unknown()) }
        return joined(fields)
    }

    // MARK: - Fields

    private mutating func bytes(_ field: UInt64, _ content: [UInt8]) -> [UInt8] {
        if random.once(in: 150) { return number(field) }
        let lie = random.once(in: 200) ? Int.random(in: -1...1, using: &random) : 0
        let count = random.once(in: 400) ? UInt64.max : UInt64(max(0, content.count + lie))
        return varint(field << 3 | 2) + varint(count) + content
    }

    private mutating func number(_ field: UInt64) -> [UInt8] {
        switch Int.random(in: 0..<200, using: &random) {
        case 0: return varint(field << 3 | 1) + [UInt8](repeating: 1, count: 8)
        case 1: return varint(field << 3 | 5) + [UInt8](repeating: 2, count: 4)
        case 2: return varint(field << 3 | 2) + [1, 3]
        case 3..<120: return varint(field << 3) + varint(UInt64.random(in: 0...1, using: &random))
        default:
            let values: [UInt64] = [
                0, 1, 1, 2, 3, 4, 5, 127, 128, 16383, 16384, 1 << 31 - 1, 1 << 31, 1 << 32 - 1, 1 << 32, 1 << 63,
                UInt64(bitPattern: -1), UInt64(bitPattern: -(1 << 31)), UInt64(bitPattern: -(1 << 31) - 1),
            ]
            return varint(field << 3) + varint(values.randomElement(using: &random) ?? 0)
        }
    }

    private mutating func unknown() -> [UInt8] {
        let field =
            [0, 24, 31, 35, 63, 64, 65, 100, 2047, 2048, 1 << 29 - 1, 1 << 29, 1 << 61 - 1]
            .randomElement(using: &random) ?? 24
        let tag = UInt64(field) << 3
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return varint(tag | 1) + [UInt8](repeating: 7, count: Int.random(in: 7...8, using: &random))
        case 1: return varint(tag | 5) + [UInt8](repeating: 7, count: Int.random(in: 3...4, using: &random))
        // A group, whole or not.
        case 2: return varint(tag | 3) + number(1) + (random.once(in: 3) ? [] : varint(tag | 4))
        case 3: return varint(tag | UInt64.random(in: 4...7, using: &random))
        case 4: return varint(tag) + varint(UInt64.random(in: 0 ... .max, using: &random))
        default: return varint(tag | 2) + varint(3) + [1, 2, 3]
        }
    }

    /// A number of the wire, rarely in more bytes than it needs, or in too many, or with bits that it hasn't.
    private mutating func varint(_ value: UInt64) -> [UInt8] {
        var rest = value
        var bytes: [UInt8] = []
        repeat {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        } while rest > 0
        if random.once(in: 250) {
            bytes += [UInt8](repeating: 0x80, count: Int.random(in: 1...10, using: &random))
        }
        bytes[bytes.count - 1] &= 0x7F
        if bytes.count >= 10, random.once(in: 4) { bytes[9] |= UInt8.random(in: 0...0x7F, using: &random) }
        return bytes
    }

    // MARK: - Texts

    // Cut out rather than drawn byte by byte: there are many.
    private static let printable = (0..<1200).map { UInt8(0x20 + $0 % 95) }
    private static let letters = Array(repeating: "aZ09._-m".utf8, count: 10).flatMap { $0 }

    private mutating func text() -> [UInt8] {
        let texts: [[UInt8]] = [
            [], [0], Array("x".utf8), Array("Grüße 你好 👋".utf8), [0x1F], [0x7F], [0x20], Array("a\n".utf8), [0x80],
            [0xC2], [0xC3, 0xA9], [0xC0, 0xAF], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xEF, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x91, 0x8B], [0xFF], Array("a/b".utf8), Array("//".utf8),
        ]
        return texts.randomElement(using: &random) ?? []
    }

    /// Text of one line, mostly; of every length up to what the longest field may have, and one more.
    private mutating func line() -> [UInt8] {
        let count: Int
        switch Int.random(in: 0..<20, using: &random) {
        case 0: count = [199, 200, 201, 999, 1000, 1001].randomElement(using: &random) ?? 0
        case 1...4: count = Int.random(in: 0...70, using: &random)
        default: count = Int.random(in: 1...12, using: &random)
        }
        var line = Array(Self.printable.dropFirst(Int.random(in: 0..<95, using: &random)).prefix(count))
        if random.once(in: 25) { line.insert(contentsOf: text(), at: Int.random(in: 0...line.count, using: &random)) }
        return line
    }

    private mutating func group() -> [UInt8] {
        let segments =
            random.once(in: 10) ? Int.random(in: 5...9, using: &random) : Int.random(in: 1...3, using: &random)
        var name: [UInt8] = []
        for segment in 0..<segments {
            if segment > 0 { name.append(UInt8(ascii: "/")) }
            let longest = random.once(in: 12) ? 66 : 9
            let count = random.once(in: 30) ? 0 : Int.random(in: 1...longest, using: &random)
            name += Self.letters.dropFirst(Int.random(in: 0..<8, using: &random)).prefix(count)
        }
        if random.once(in: 40) { name.insert(contentsOf: text(), at: Int.random(in: 0...name.count, using: &random)) }
        return name
    }

    private mutating func content() -> [UInt8] {
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return text()
        case 1:
            return (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        case 2 where random.once(in: 20):
            return [UInt8](repeating: 0x61, count: Int.random(in: 65_535...65_537, using: &random))
        default:
            var content = [UInt8](repeating: 0x62, count: Int.random(in: 0...300, using: &random))
            if random.once(in: 6) {
                content.insert(contentsOf: text(), at: Int.random(in: 0...content.count, using: &random))
            }
            return content
        }
    }

    // MARK: - Damage

    /// The fields one after another, mostly in their order and whole.
    private mutating func joined(_ fields: [[UInt8]], damagedOnceIn times: Int = 30) -> [UInt8] {
        var fields = fields
        if random.once(in: 8) { fields.shuffle(using: &random) }
        if random.once(in: 40), let again = fields.randomElement(using: &random) { fields.append(again) }
        var bytes = Array(fields.joined())
        guard random.once(in: times), !bytes.isEmpty else { return bytes }
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.remove(at: position)
        case 3: bytes.removeSubrange(position...)
        default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: position)
        }
        return bytes
    }
}

extension Collection<UInt8> {
    /// Its bytes over and over, so many in all.
    fileprivate func cycled(_ count: Int) -> [UInt8] {
        Array((0..<count / self.count).flatMap { _ in self })
    }
}
