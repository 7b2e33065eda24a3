import TestSupport

/// Makes commands in JSON, mostly ordinary ones, with everything that the text of one can have: names in both spellings,
/// spaces, escapes, numbers in all their forms, values of other types, members twice, `null`, and damage.
struct JSONFuzz {
    var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func command() -> [UInt8] {
        var members: [String] = []
        if !random.once(in: 3) {
            members.append(member("producer", string(String(repeating: "0aF9", count: random.once(in: 9) ? 7 : 8))))
            if !random.once(in: 4) { members.append(member("sequence", long())) }
        }
        members.append(member(random.once(in: 25) ? "dismiss" : "show", popup()))
        if random.once(in: 20) { members.append(member("show", popup())) }
        if random.once(in: 30) { members.append(member("whatever", "1")) }
        var text = Array((space() + object(members) + space()).utf8)
        if random.once(in: 15) { damage(&text) }
        return text
    }

    private mutating func popup() -> String {
        var members: [String] = []
        if !random.once(in: 20) { members.append(member("id", string(line()))) }
        if !random.once(in: 20) {
            members.append(
                member("group", string(random.once(in: 9) ? pick(["", "a//b"]) : pick(["lobby", "a/b/c"]))))
        }
        // Different ones, mostly, and few that are rare.
        for kind in (0..<15).shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random)) {
            members.append(field(random.once(in: 40) ? 15 + kind % 2 : random.once(in: 40) ? 0 : kind))
        }
        return object(members.shuffled(using: &random))
    }

    private mutating func field(_ kind: Int) -> String {
        switch kind {
        case 0: member("priority", signed())
        case 1: member(pick(["durationMs", "duration_ms"]), number())
        case 2: member(pick(["ttlMs", "ttl_ms"]), number())
        case 3: member(pick(["delayMs", "delay_ms"]), number())
        case 4: member(pick(["minDisplayMs", "min_display_ms"]), number())
        case 5:
            member(
                "exclusive", random.once(in: 9) ? pick(["1", "\"SOME\""]) : pick(["\"NONE\"", "\"GROUP\"", "\"ALL\""]))
        case 6: member(pick(["collapseKey", "collapse_key"]), string(line()))
        case 7: member("interruptible", flag())
        case 8, 9: member("text", string(line()))
        case 10: member(pick(["contentType", "content_type"]), string(pick(["text/plain", ""])))
        case 11, 12: member("actions", list((0..<Int.random(in: 0...3, using: &random)).map { _ in action() }))
        case 13: member("presentation", presentation())
        case 14: member("surface", string(line()))
        case 15: member("data", "\"AAEC\"")
        default: member(pick(["quorum", "remainingMs", "flow", "no such field"]), pick(["1", "{}", "null"]))
        }
    }

    private mutating func action() -> String {
        var members = [member("id", string(random.once(in: 9) ? "" : pick(["ok", "later"])))]
        if !random.once(in: 3) { members.append(member("label", string(line()))) }
        if random.once(in: 20) { members.append(member("id", string("again"))) }
        return object(members)
    }

    private mutating func presentation() -> String {
        var members: [String] = []
        if random.once(in: 2) {
            members.append(
                member("scene", random.once(in: 9) ? pick(["2", "\"x\""]) : pick(["\"CENTER\"", "\"TOP_BAR\""])))
        }
        if random.once(in: 2) { members.append(member("animation", pick(["\"FADE\"", "\"ZOOM\""]))) }
        if random.once(in: 2) { members.append(member(pick(["dismissOnOutside", "dismiss_on_outside"]), flag())) }
        if random.once(in: 3) { members.append(member("cornerRadius", number())) }
        if random.once(in: 2) { members.append(member("title", string(line()))) }
        if random.once(in: 4) { members.append(member("style", string("warning"))) }
        return object(members)
    }

    // MARK: - Values

    private mutating func number() -> String {
        !random.once(in: 6)
            ? "\(UInt32.random(in: 0...100_000, using: &random))"
            : pick([
                "0", "1", "250", "5000", "4294967295", "4294967296", "-1", "007", "1e3", "5.0", "5.5", "\"70\"",
                "null",
                "123456789012345678", "1234567890123456789", "+1", "1 2",
                "\(UInt32.random(in: 0...100_000, using: &random))",
            ])
    }

    private mutating func signed() -> String {
        !random.once(in: 6)
            ? "\(Int32.random(in: -10...10, using: &random).magnitude)"
            : pick([
                "0", "-0", "7", "-7", "2147483647", "-2147483648", "2147483648", "\"-3\"", "null", "1e1", "--1", "-",
            ])
    }

    private mutating func long() -> String {
        !random.once(in: 6)
            ? "\"\(UInt32.random(in: 1...100_000, using: &random))\""
            : pick([
                "1", "\"1\"", "0", "\"17\"", "\" 1\"", "\"1 \"", "18446744073709551615", "\"9007199254740993\"", "-1",
                "\"\"",
            ])
    }

    private mutating func flag() -> String {
        pick(["true", "false", "true", "false", "null", "1", "\"true\"", "truex"])
    }

    private mutating func line() -> String {
        !random.once(in: 6)
            ? pick(["a", "Grüße 日本", "x y", "👩‍👩‍👧", "quote\"back\\slash/"])
            : pick(["", "line\nfeed", "\u{1}", "tab\t", "\u{7F}\u{85}"])
    }

    /// Text in quotes, with some of its characters escaped, one way or another.
    private mutating func string(_ text: String) -> String {
        var json = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" {
                json += "\\\(scalar)"
            } else if scalar.value < 0x20 || random.once(in: 12) {
                let short: [Unicode.Scalar: String] = ["\n": "\\n", "\t": "\\t", "/": "\\/"]
                if let short = short[scalar], random.once(in: 2) {
                    json += short
                } else if random.once(in: 30) {
                    json.unicodeScalars.append(scalar)
                } else {
                    for unit in String(scalar).utf16 { json += "\\u" + hex(unit) }
                }
            } else {
                json.unicodeScalars.append(scalar)
            }
        }
        return json + (random.once(in: 60) ? "\\ud800\"" : "\"")
    }

    private mutating func hex(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16, uppercase: random.once(in: 2))
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    private mutating func member(_ name: String, _ value: String) -> String {
        "\"\(name)\"\(space()):\(space())\(random.once(in: 80) ? "null" : value)"
    }

    private mutating func object(_ members: [String]) -> String {
        "{\(space())" + members.joined(separator: "\(space()),\(space())") + "\(space())}"
    }

    private mutating func list(_ elements: [String]) -> String {
        "[\(space())" + elements.joined(separator: "\(space()),") + (random.once(in: 40) ? ",]" : "]")
    }

    private mutating func space() -> String { random.once(in: 6) ? pick([" ", "\n", "\t \r\n"]) : "" }

    private mutating func damage(_ text: inout [UInt8]) {
        let place = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text[place] = UInt8.random(in: 0...255, using: &random)
        case 1: text.remove(at: place)
        case 2: text.removeSubrange(place...)
        default: text.insert(UInt8.random(in: 0...255, using: &random), at: place)
        }
    }

    private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &random)! }
}
