import PopupProtocol

/// The calls from other threads that are not answered.
struct PendingCalls {
    /// The function that receives the outcome of a call: its refusal; `nil` if it was accepted.
    typealias Completion = @Sendable (CommandRefusal?) -> Void

    /// A call that has not begun. Only with a shared journal, calls wait in the loop.
    enum Request {
        /// The command of the call with this number.
        case command(WireCommand, call: Int)
        /// A reload of the configuration.
        case reload(Reload)
    }

    /// The maximum number of calls that have not begun.
    private let limit: Int
    private var waiting: [Int: Completion] = [:]
    private var answers: [(call: Int, refusal: CommandRefusal?)] = []
    private var count = 0
    private var requests: ArraySlice<Request> = []
    /// The reload in progress; only with a shared journal.
    private var reload: Reload?
    /// The number of calls that waited when the turn began.
    private(set) var countOfTurn = 0

    init(limit: Int) { self.limit = limit }

    /// Begins a turn.
    ///
    /// - Parameter count: The number of calls from other threads that wait.
    mutating func beginTurn(count: Int) { countOfTurn = count }

    /// Counts the calls that have not begun for the turn, after those from other threads were added.
    mutating func countRequests() { countOfTurn = requests.count }

    /// Adds a call. Returns its number.
    mutating func add(_ completion: @escaping Completion) -> Int {
        count += 1
        waiting[count] = completion
        return count
    }

    /// Records the outcome of a call. `deliver` passes it to the caller.
    mutating func answer(_ call: Int, _ refusal: CommandRefusal?) { answers.append((call, refusal)) }

    /// Passes the recorded outcomes to the callers.
    mutating func deliver() {
        for answer in answers { waiting.removeValue(forKey: answer.call)?(answer.refusal) }
        answers.removeAll(keepingCapacity: true)
    }

    // MARK: - Calls that have not begun

    /// The number of calls that have not begun.
    var requestCount: Int { requests.count }

    /// Returns the refusal of one more call if too many wait; `nil` if there is room for it.
    var refusalOfNext: CommandRefusal? {
        requests.count >= limit ? .tooManyCalls(requests.count) : nil
    }

    /// Adds a call behind those that have not begun.
    mutating func append(_ request: Request) { requests.append(request) }

    /// Removes and returns the call that begins next; `nil` if there is none.
    mutating func takeRequest() -> Request? { requests.popFirst() }

    // MARK: - The reload in progress

    /// Whether a reload is in progress. Until it has taken effect, nothing after it is admitted.
    var isReloading: Bool { reload != nil }

    /// Whether a reload is in progress, or calls have not begun.
    var hasRest: Bool { isReloading || !requests.isEmpty }

    /// Removes and returns the reload in progress, for its next step; `nil` if there is none.
    mutating func takeReload() -> Reload? { reload.take() }

    /// Sets the reload in progress: it has begun, or its last step is not done.
    mutating func keep(_ reload: Reload) { self.reload = reload }

    /// Records that a batch could not be committed: a reload with policies in it fails.
    mutating func recordUncommittedBatch() {
        if reload?.hasGathered == true { reload?.isRefused = true }
    }

    // MARK: - The end

    /// Ends all calls. Calls without an outcome receive this refusal.
    mutating func endAll(_ refusal: CommandRefusal) {
        deliver()
        for call in waiting.keys.sorted() { waiting.removeValue(forKey: call)?(refusal) }
        for case .reload(let reload) in requests { reload.done(.failure(refusal)) }
        requests.removeAll()
        reload.take()?.done(.failure(refusal))
    }
}

/// A reload of the configuration. With a shared journal, it takes effect in steps: its policies are committed in
/// batches, for which the loop does not wait.
struct Reload {
    /// The function that receives the outcome.
    typealias Completion = @Sendable (Result<Void, any Error>) -> Void

    let configuration: BrokerConfiguration
    /// The time zones that were loaded with the configuration; before its check and after its failure those in force.
    var timeZones: LoadedTimeZones
    let done: Completion
    /// The changes of policies that are not gathered yet; `nil` until the configuration is checked.
    var changes: ArraySlice<PolicyChange>?
    /// Whether the batch that is gathered or in flight has some of them.
    var hasGathered = false
    /// Whether a batch with some of them could not be committed.
    var isRefused = false

    init(_ configuration: BrokerConfiguration, timeZones: LoadedTimeZones, _ done: @escaping Completion) {
        self.configuration = configuration
        self.timeZones = timeZones
        self.done = done
    }
}

/// A change of the policies by the configuration.
enum PolicyChange {
    /// The policy of this name or pattern is not in the configuration any more.
    case removed(pattern: String)
    /// A policy is new, or is different from the one before.
    case set(WireSetPolicy)
}
