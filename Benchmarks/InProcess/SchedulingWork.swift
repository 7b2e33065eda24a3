import PopupProtocol
import PopupScheduling

/// A scheduler, what it is told, and what it tells.
struct SchedulingWork: ~Copyable {
    /// How long popups are displayed, in ms.
    var duration: UInt32 {
        get { request.duration }
        set { request.duration = newValue }
    }

    private var scheduler: Scheduler
    // What each popup asks for. Its ranges are those of the frames.
    private var request: PopupRequest
    private var frames: ShowFrames
    private var output = EventBuffer()
    // The id of the popup shown last.
    private let active = UnsafeMutableRawBufferPointer.allocate(byteCount: ShowFrames.idBytes, alignment: 1)
    private var priorities: UInt64 = 1
    private var closed = 0
    private var shown = 0
    private var refused = 0

    /// Nothing is shown yet. What happens when popups of one priority, or one of higher, meet: `interruption`.
    init(groups: Int = 1000, peers interruption: Policy.Interruption, limits: Limits) throws {
        let frames = try ShowFrames(groups: groups)
        request = try Self.request(frames)
        self.frames = frames
        scheduler = Scheduler(limits: limits)
        var policy = Policy()
        policy.higher = interruption
        policy.peers = interruption
        scheduler.apply(
            .setPolicy(pattern: TextRange(offset: 0, count: 1), policy), text: Array("*".utf8).span.bytes, at: 0,
            into: &output)
    }

    deinit { active.deallocate() }

    private static func request(_ frames: borrowing ShowFrames) throws -> PopupRequest {
        let bytes = frames.bytes
        let frame = Span<UInt8>(_unsafeElements: bytes.bindMemory(to: UInt8.self))
        guard let show = ShowFrame.read(frame, limits: WireLimits()) else {
            throw WrongWork(description: "the show isn't an ordinary one")
        }
        var request = PopupRequest(id: TextRange(show.id), group: TextRange(show.group))
        request.priority = show.priority
        request.duration = show.durationMs
        request.content = TextRange(show.popup)
        return request
    }

    /// Shows the next popup, in the next group.
    mutating func show(at now: Milliseconds) {
        frames.advance()
        let text = frames.bytes
        scheduler.show(request, text: RawSpan(_unsafeBytes: text), at: now, into: &output)
        take()
    }

    /// Shows the next popup with one of 32 priorities.
    mutating func push(at now: Milliseconds) {
        // Knuth's MMIX: any spread does.
        priorities = priorities &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        request.priority = Int32(truncatingIfNeeded: priorities >> 59)
        show(at: now)
    }

    /// Dismisses the popup that was shown last.
    mutating func dismissActive(at now: Milliseconds) {
        let dismissal = Dismissal(id: TextRange(offset: 0, count: active.count), action: .none)
        let text = UnsafeRawBufferPointer(active)
        scheduler.apply(.dismiss(dismissal), text: RawSpan(_unsafeBytes: text), at: now, into: &output)
        take()
    }

    /// Lets what is due until then happen.
    mutating func advanceClock(until now: Milliseconds) {
        while scheduler.step(until: now, into: &output) { take() }
    }

    private mutating func take() {
        for index in output.events.indices {
            switch output.events[index].kind {
            case .shown:
                shown += 1
                let popup = output.events[index].popup
                output.withText(popup) { active.copyMemory(from: $0) }
            case .closed: closed += 1
            case .refused: refused += 1
            default: break
            }
        }
        output.removeAll()
    }

    /// Checks what came of it.
    func check(closed: Int, shown: Int) throws {
        guard (self.closed, self.shown, refused) == (closed, shown, 0) else {
            throw WrongWork(description: "\(self.closed) closed, \(self.shown) shown, \(refused) refused")
        }
    }
}

extension TextRange {
    init(_ range: FrameRange) {
        self.init(offset: Int(range.offset), count: Int(range.count))
    }
}
