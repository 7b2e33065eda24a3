import PopupProtocol
import PopupScheduling

/// The repetition of states for new subscribers: at once, but for each group at most once per window, so that a
/// thousand renderers that reconnect together are served by a few messages.
struct LateJoinReplay {
    /// A request for the state of a group on one of the channels of states.
    struct Request: Hashable {
        var group: GroupIndex
        var channel: Channel
    }

    /// The length of a window in ms.
    static let window: Milliseconds = 100
    /// The maximum number of groups of a subscription; with more, the refresh serves it.
    static let maxGroups = 64
    /// The maximum number of requests in a window; others are served by the refresh.
    static let maxRequests = 4096

    /// The end of the current window; `nil` if there is none.
    private(set) var due: Milliseconds?
    private var served: Set<Request> = []
    private var waiting: [Request] = []
    private var isWaiting: Set<Request> = []
    // The requests of the last window, and the number of those that were taken.
    private var ended: [Request] = []
    private var taken = 0

    init() {}

    /// Adds a request. Returns whether to serve it now. Otherwise it is served at the end of the window, unless it is
    /// dropped.
    mutating func take(_ request: Request, at now: Milliseconds) -> Bool {
        if due == nil { due = now + Self.window }
        guard served.count + waiting.count < Self.maxRequests else { return false }
        if served.insert(request).inserted { return true }
        if isWaiting.insert(request).inserted { waiting.append(request) }
        return false
    }

    /// Returns the next request to be served at the end of a window; `nil` if there is none. The first one opens the
    /// next window.
    mutating func takeDue(at now: Milliseconds) -> Request? {
        if taken == ended.count { closeWindow(at: now) }
        guard taken < ended.count else { return nil }
        taken += 1
        return ended[taken - 1]
    }

    private mutating func closeWindow(at now: Milliseconds) {
        ended.forgetAll()
        taken = 0
        guard let due, due <= now else { return }
        swap(&ended, &waiting)
        served = isWaiting
        isWaiting.removeAll(keepingCapacity: true)
        self.due = ended.isEmpty ? nil : now + Self.window
    }
}
