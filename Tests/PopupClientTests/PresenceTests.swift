import PopupProtocol
import Testing

@_spi(Wire) @testable import PopupClient

/// What a renderer tells by itself, on a clock of the test's own.
@Suite("A renderer's presence")
struct PresenceTests {
    private let start = ContinuousClock.now
    private var presences = Presences(limits: ClientLimits())

    /// What is told at a time, a frame a line: `lease a b; displayed A`.
    private mutating func told(at milliseconds: Int) -> [String] {
        var frames: [String] = []
        _ = presences.sendDue(at: start + .milliseconds(milliseconds)) { commands in
            frames.append(commands.map(\.words).joined(separator: "; "))
            return true
        }
        return frames
    }

    private mutating func follow(
        _ stream: UInt64, _ groups: String..., client: String = "r", isReporting: Bool = true
    ) throws {
        try presences.follow(stream, RendererSubject(client: client, groups: groups, isReporting: isReporting))
    }

    private mutating func deliver(
        _ popup: String?, in group: String = "a", epoch: UInt64 = 1, revision: UInt64 = 1, isOffered: Bool = false,
        stream: UInt64 = 1
    ) {
        var state = WireGroupState(group, epoch: epoch, revision: revision, popup: popup)
        state.offered = isOffered
        presences.deliver(GroupState(PublishedState(wire: state), received: start), in: stream)
    }

    @Test("is a lease at once, one each interval, and one of no groups at the end")
    mutating func leases() throws {
        try follow(1, "b", "a/*")
        #expect(told(at: 0) == ["lease a/* b"])
        #expect(told(at: 999) == [])
        #expect(presences.deadline == start + .seconds(1))
        #expect(told(at: 1000) == ["lease a/* b"])

        try follow(2, "c", "b")
        #expect(told(at: 1100) == ["lease a/* b c"])
        presences.leave(1)
        #expect(told(at: 1200) == ["lease b c"])
        presences.leave(2)
        #expect(presences.finalLeases.map(\.words) == ["lease"])
        #expect(told(at: 1300) == ["lease"])
        #expect(told(at: 9000) == [])
        #expect(presences.deadline == nil)
        #expect(presences.finalLeases.isEmpty)
    }

    @Test("is told apart by the renderers' names")
    mutating func names() throws {
        try follow(1, "a", client: "left")
        try follow(2, "b", client: "right")
        #expect(told(at: 0) == ["lease a", "lease b"])
        presences.leave(1)
        #expect(told(at: 100) == ["lease"])
        #expect(presences.finalLeases.map(\.words) == ["lease"])
    }

    @Test("reports each popup that is handed over once, and again when it was shown or updated again")
    mutating func reports() throws {
        try follow(1, "a", "b")
        _ = told(at: 0)
        deliver("A", revision: 3)
        deliver("B", in: "b", revision: 1)
        #expect(told(at: 10) == ["displayed A; visible A; displayed B; visible B"])
        deliver("A", revision: 3)
        deliver(nil, in: "b", revision: 2)
        #expect(told(at: 20) == [])
        deliver("A", revision: 5)
        deliver("C", in: "b", revision: 3, isOffered: true)
        #expect(told(at: 30) == ["displayed A; visible A"])
        deliver("C", in: "b", revision: 4)
        #expect(told(at: 40) == ["displayed C; visible C"])
        // A restarted broker counts from the beginning.
        deliver("C", in: "b", epoch: 2, revision: 4)
        #expect(told(at: 50) == ["displayed C; visible C"])
    }

    @Test("leaves the reports to an application that makes them itself")
    mutating func manual() throws {
        try follow(1, "a", isReporting: false)
        deliver("A")
        presences.setVisible(false, client: "r")
        #expect(told(at: 0) == ["lease a"])
    }

    @Test("says what is hidden, and what is visible again")
    mutating func visibility() throws {
        presences.setVisible(false, client: "r")
        try follow(1, "a", "b")
        _ = told(at: 0)
        deliver("A")
        deliver("B", in: "b")
        #expect(told(at: 10) == ["displayed A; displayed B"])
        presences.setVisible(true, client: "r")
        presences.setVisible(true, client: "r")
        #expect(told(at: 20) == ["visible A; visible B"])
        presences.setVisible(false, client: "r")
        #expect(told(at: 30) == ["hidden A; hidden B"])
    }

    @Test("tells a broker that may have given it up all that is on screen")
    mutating func reconnection() throws {
        try follow(1, "a", "b")
        deliver("A")
        #expect(told(at: 0) == ["lease a b", "displayed A; visible A"])
        presences.disconnect()
        deliver("B", in: "b")
        #expect(presences.finalLeases.isEmpty)
        #expect(told(at: 300) == ["lease a b", "displayed A; visible A; displayed B; visible B"])
        // The process slept.
        #expect(told(at: 4200) == ["lease a b"])
        #expect(told(at: 8200) == ["lease a b", "displayed A; visible A; displayed B; visible B"])
    }

    @Test("that can't be told now is told later, whole")
    mutating func blocked() throws {
        try follow(1, "a")
        let isEverythingSent = presences.sendDue(at: start) { _ in false }
        #expect(!isEverythingSent)
        #expect(told(at: 5) == ["lease a"])
        deliver("A")
        _ = presences.sendDue(at: start) { _ in false }
        #expect(told(at: 10) == ["displayed A; visible A"])
    }

    @Test("takes several frames where one would be too large")
    mutating func frames() throws {
        try follow(1, "*")
        _ = told(at: 0)
        for index in 0..<100 { deliver("P\(index)", in: "g\(index)") }
        #expect(told(at: 10).map { $0.split(separator: ";").count } == [128, 72])
    }

    @Test("follows a bounded number of groups and patterns; one too many changes nothing")
    mutating func limit() throws {
        let groups = (0..<257).map { "g\($0)" }
        try presences.follow(1, RendererSubject(client: "r", groups: Array(groups.prefix(256)), isReporting: true))
        #expect(throws: ClientError.tooManyLeasedGroups(limit: 256)) { try follow(2, "one-more") }
        #expect(told(at: 0).map { $0.split(separator: " ").count } == [257])
    }
}

extension WireCommand.OneOf_Command {
    /// `lease a b`, `displayed A`.
    fileprivate var words: String {
        switch self {
        case .lease(let lease): (["lease"] + lease.groups).joined(separator: " ")
        case .report(let report):
            switch report.report {
            case .displayed: "displayed \(report.id)"
            case .visible: "visible \(report.id)"
            case .hidden: "hidden \(report.id)"
            case nil: "reports nothing"
            }
        default: name
        }
    }
}
