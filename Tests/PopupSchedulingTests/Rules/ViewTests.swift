import PopupScheduling
import Testing

/// What a shell reads: groups by name and prefix, contents, counts; and that nothing is left of what is over.
@Suite struct ViewTests {
    private func apply(_ instructions: [Told], to scheduler: inout Scheduler) {
        var buffer = EventBuffer()
        for told in instructions {
            var text = TextBuilder()
            let command = told.instruction.command(&text)
            scheduler.apply(command, text: text.bytes.span.bytes, at: told.at, into: &buffer)
            buffer.removeAll()
        }
    }

    private func shows(_ groups: [String]) -> [Told] {
        groups.enumerated().map { number, group in
            Told(at: 0, instruction: .show(Instruction.Request(id: "p\(number)", group: group, content: "in \(group)")))
        }
    }

    private func names(_ groups: [GroupIndex], in scheduler: borrowing Scheduler) -> [String] {
        var names: [String] = []
        for group in groups {
            var name: [UInt8] = []
            scheduler.appendName(of: group, to: &name)
            names.append(String(decoding: name, as: UTF8.self))
        }
        return names
    }

    private func groups(_ prefix: String, limit: Int = 100, of scheduler: inout Scheduler) -> [String] {
        let bytes = Array(prefix.utf8)
        let found = scheduler.groups(withPrefix: bytes.span.bytes, limit: limit)
        return names(found, in: scheduler)
    }

    @Test func `groups by prefix, as in subscriptions, in byte order`() {
        var scheduler = Scheduler()
        apply(shows(["lobby2", "lobby/b", "lobby", "hall", "lobby/a/x", "lobby-1", "Lobby"]), to: &scheduler)
        #expect(
            groups("", of: &scheduler) == ["Lobby", "hall", "lobby", "lobby-1", "lobby/a/x", "lobby/b", "lobby2"])
        #expect(groups("lobby/", of: &scheduler) == ["lobby", "lobby/a/x", "lobby/b"])
        #expect(groups("lobby/a/", of: &scheduler) == ["lobby/a/x"])
        #expect(groups("lobby/a/x/", of: &scheduler) == ["lobby/a/x"])
        #expect(groups("lobby", of: &scheduler) == ["lobby", "lobby-1", "lobby/a/x", "lobby/b", "lobby2"])
        #expect(groups("lobby/c", of: &scheduler) == [])
        #expect(groups("lobby/", limit: 2, of: &scheduler) == ["lobby", "lobby/a/x"])
        #expect(groups("lobby/", limit: 0, of: &scheduler) == [])
        #expect(groups("z", of: &scheduler) == [])
    }

    @Test func `groups in order while they are added and removed`() {
        var scheduler = Scheduler()
        var expected: [String] = []
        for number in 0..<200 {
            let name = "group/\(number * 37 % 200)"
            expected.append(name)
            apply(
                [Told(at: 0, instruction: .show(Instruction.Request(id: "p\(number)", group: name)))], to: &scheduler)
            if number % 20 == 0 {
                #expect(groups("group/", of: &scheduler) == expected.sorted().prefix(100).map(\.self))
            }
        }
        #expect(groups("", limit: 500, of: &scheduler) == expected.sorted())
        #expect(scheduler.groupCount == 200)
        #expect(scheduler.groupCapacity >= 200)
    }

    @Test func `contents of active and other live popups`() {
        var scheduler = Scheduler()
        apply(shows(["lobby", "lobby", "hall"]), to: &scheduler)
        func content(_ id: String) -> String? {
            let bytes = Array(id.utf8)
            return scheduler.content(ofPopup: bytes.span.bytes).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(content("p0") == "in lobby")
        #expect(content("p1") == "in lobby")
        #expect(content("p7") == nil)

        let hall = Array("hall".utf8)
        let group = scheduler.group(named: hall.span.bytes)!
        func active() -> String {
            var content: [UInt8] = []
            scheduler.appendActiveContent(of: group, to: &content)
            return String(decoding: content, as: UTF8.self)
        }
        #expect(active() == "in hall")

        apply([Told(at: 1, instruction: .dismiss("p2", action: "", revision: nil, client: ""))], to: &scheduler)
        #expect(active().isEmpty)
        #expect(scheduler.state(of: group, at: 1)?.active == nil)
        #expect(content("p2") == nil)
    }

    @Test func `an unused index is no group`() {
        let scheduler = Scheduler()
        #expect(scheduler.state(of: GroupIndex(number: 0), at: 0) == nil)
        #expect(scheduler.state(of: GroupIndex(number: .max), at: 0) == nil)
    }

    /// Random commands, then everything is cleared and forgotten: what is stored must come back to where it was.
    @Test func `closed popups leave nothing behind`() {
        var limits = Limits()
        limits.deduplicationWindow = 1000
        var scheduler = Scheduler(limits: limits)
        var stored: [Int] = []
        for round in 0..<4 {
            let start = Milliseconds(round * 1_000_000)
            let script = RandomScript.of(seed: UInt64(round), count: 400).map { told in
                Told(at: start + told.at, instruction: told.instruction)
            }
            apply(script, to: &scheduler)
            let clear = Told(at: start + 500_000, instruction: .clear(Instruction.Choice()))
            let idle = (0..<50).map { Told(at: start + 600_000 + $0, instruction: .advance("nowhere")) }
            apply([clear] + idle, to: &scheduler)

            #expect(scheduler.popupCount == 0)
            #expect(scheduler.rememberedCount == 0)
            #expect(scheduler.timerCount == 0)
            #expect(scheduler.nextDeadline == nil)
            #expect(scheduler.groupCount == RandomScript.groups.count)
            stored.append(scheduler.storedBytes)
            #expect(scheduler.brokenInvariants() == [])
        }
        #expect(Set(stored).count == 1, "\(stored) bytes")
    }
}
