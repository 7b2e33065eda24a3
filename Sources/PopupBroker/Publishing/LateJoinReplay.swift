import PopupScheduling

/// Repeats states for whoever just subscribed: at once, and each group at most once in a window, so that a thousand
/// renderers that come back together are served by a few messages.
struct LateJoinReplay {
    /// A group whose state is wanted, in one of the encodings.
    struct Request: Hashable {
        var group: GroupIndex
        var isJSON: Bool
    }

    /// In ms.
    static let window: Milliseconds = 100
    /// A subscription that matches more groups is left to the refresh.
    static let mostGroups = 64
    /// Requests kept in a window at most; beyond it the refresh serves.
    static let mostRequests = 4096

    /// When the present window ends; `nil` when none runs.
    private(set) var due: Milliseconds?
    private var served: Set<Request> = []
    private var waiting: [Request] = []
    private var isWaiting: Set<Request> = []
    // Those of the window that ended, and how many of them were taken.
    private var ended: [Request] = []
    private var taken = 0

    init() {}

    /// Takes a request. Returns whether it is to be served now; otherwise it is at the window's end, if it isn't
    /// dropped.
    mutating func take(_ request: Request, at now: Milliseconds) -> Bool {
        if due == nil { due = now + Self.window }
        guard served.count + waiting.count < Self.mostRequests else { return false }
        if served.insert(request).inserted { return true }
        if isWaiting.insert(request).inserted { waiting.append(request) }
        return false
    }

    /// The next of the requests that are to be served at the end of a window; `nil` when there is none. With the first
    /// the next window opens.
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
