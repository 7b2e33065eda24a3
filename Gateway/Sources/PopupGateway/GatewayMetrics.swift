internal import PopupAccess
internal import PopupClient
internal import PopupProtocol
internal import Synchronization

/// The counts since the start of the gateway, except those of streams.
final class GatewayMetrics: Sendable {
    /// The reason why a request has no known token.
    enum AuthFailure: String, CaseIterable {
        /// The request has no token.
        case missing
        /// The request has a token that the gateway does not know.
        case unknown
    }

    /// A limit that refused a request.
    enum Limit: String, CaseIterable {
        /// The requests of a token in a second.
        case requests
        /// The requests that wait for a change, and those of several commands.
        case held
        /// The streams of a token, of an address, or of all.
        case streams
        /// The groups with popups that are followed.
        case groups
        /// The patterns and renderers that are followed.
        case patterns
        /// The unknown tokens of an address within a minute.
        case address
        /// The connections of an address.
        case connections
        /// The memory of the bodies of all requests.
        case bodies
        /// The time that a request may take to arrive.
        case time
    }

    /// The result of a command.
    enum Outcome: String, CaseIterable {
        case accepted, refused, unknown, unreachable
    }

    private struct Request: Hashable {
        var route: String
        var method: String
        var status: Int
    }

    private struct State {
        var requests: [Request: UInt64] = [:]
        var durations: [String: DurationCounts] = [:]
        var authFailures: [AuthFailure: UInt64] = [:]
        var limited: [Limit: UInt64] = [:]
        var commands: [String: [Outcome: UInt64]] = [:]
        var hooks: [UserName: [Outcome: UInt64]] = [:]
        var commandDurations: [String: DurationCounts] = [:]
    }

    private let state = Mutex(State())

    /// Counts a request, with the time that it took; `nil` for a request that waited, and for a stream.
    func count(_ request: GatewayRequest, status: Int, duration: Duration?) {
        let route = Route.template(ofPath: request.path) ?? WebPages.template(ofPath: request.path) ?? "other"
        let method = Self.methods.contains(request.method) ? request.method : "other"
        state.withLock { state in
            state.requests[Request(route: route, method: method, status: status), default: 0] += 1
            if let duration { state.durations[route, default: DurationCounts()].count(duration) }
        }
    }

    /// Counts a request without a known token.
    func count(_ failure: AuthFailure) { state.withLock { $0.authFailures[failure, default: 0] += 1 } }

    /// Counts a request that a limit refused.
    func count(_ limit: Limit) { state.withLock { $0.limited[limit, default: 0] += 1 } }

    /// Counts a message of a webhook.
    func count(hook name: UserName, _ outcome: Outcome) {
        state.withLock { $0.hooks[name, default: [:]][outcome, default: 0] += 1 }
    }

    /// Counts a command.
    func count(_ command: WireCommand.OneOf_Command, _ outcome: Outcome, duration: Duration) {
        state.withLock { state in
            state.commands[command.name, default: [:]][outcome, default: 0] += 1
            state.commandDurations[command.name, default: DurationCounts()].count(duration)
        }
    }

    /// Adds the metrics.
    ///
    /// - Parameter hooks: The names of the webhooks that there are.
    func add(to text: inout PrometheusText, hooks: Set<UserName> = []) {
        let state = state.withLock { $0 }
        addRequests(state, to: &text)
        text.add(
            "popup_gateway_auth_failures_total", .counter, "Requests without a known token, by cause.",
            AuthFailure.allCases.map { ("cause", $0.rawValue, state.authFailures[$0] ?? 0) })
        text.add(
            "popup_gateway_limited_total", .counter, "Requests refused by a limit.",
            Limit.allCases.map { ("limit", $0.rawValue, state.limited[$0] ?? 0) })
        addCommands(state, to: &text)
        addHooks(state, hooks, to: &text)
    }

    private func addHooks(_ state: State, _ hooks: Set<UserName>, to text: inout PrometheusText) {
        var samples: [(PrometheusText.Labels, UInt64)] = []
        for name in hooks.union(state.hooks.keys).sorted(by: { $0.text < $1.text }) {
            for outcome in [Outcome.accepted, .refused, .unknown] {
                let count = state.hooks[name]?[outcome] ?? 0
                samples.append(([("hook", name.text), ("outcome", outcome.rawValue)], count))
            }
        }
        text.add("popup_gateway_hooks_total", .counter, "Messages of webhooks, by outcome.", samples)
    }

    private func addRequests(_ state: State, to text: inout PrometheusText) {
        // A series that begins with its first request has no rate for it.
        let expected =
            Route.all.flatMap { method, route in
                [route.status, 503, 504].map { Request(route: route.template, method: method, status: $0) }
            } + WebPages.templates.map { Request(route: $0, method: "GET", status: 200) }
        let all = state.requests.merging(expected.map { ($0, 0) }) { count, _ in count }
        let requests = all.sorted { a, b in
            (a.key.route, a.key.method, a.key.status) < (b.key.route, b.key.method, b.key.status)
        }
        text.add(
            "popup_gateway_http_requests_total", .counter, "Requests, by route, method and status.",
            requests.map { request, count in
                (
                    [("route", request.route), ("method", request.method), ("code", "\(request.status)")]
                        as PrometheusText.Labels, count
                )
            })
        text.addHead(
            "popup_gateway_http_request_duration_seconds", .histogram,
            "Duration of requests, without streams and those that wait.")
        let routes = Set(Route.all.map(\.route.template) + ["other"]).union(state.durations.keys)
        for route in routes.sorted() {
            let durations = state.durations[route] ?? DurationCounts()
            durations.add("popup_gateway_http_request_duration_seconds", [("route", route)], to: &text)
        }
    }

    private func addCommands(_ state: State, to text: inout PrometheusText) {
        let kinds = WireCommand.OneOf_Command.names
        text.add(
            "popup_gateway_commands_total", .counter, "Commands sent to the broker, by kind and outcome.",
            kinds.flatMap { kind in
                Outcome.allCases.map { outcome in
                    (
                        [("command", kind), ("outcome", outcome.rawValue)] as PrometheusText.Labels,
                        state.commands[kind]?[outcome] ?? 0
                    )
                }
            })
        text.addHead(
            "popup_gateway_command_duration_seconds", .histogram, "Time until the broker has settled a command.")
        for kind in kinds {
            let durations = state.commandDurations[kind] ?? DurationCounts()
            durations.add("popup_gateway_command_duration_seconds", [("command", kind)], to: &text)
        }
    }

    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
}

/// A histogram of durations: ten buckets from 1 ms to 10 s.
struct DurationCounts {
    private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10]

    private var counts = [UInt64](repeating: 0, count: bounds.count)
    private var count: UInt64 = 0
    private var sum = 0.0

    /// Counts a duration.
    mutating func count(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        if let bucket = Self.bounds.firstIndex(where: { seconds <= $0 }) { counts[bucket] += 1 }
        count += 1
        sum += seconds
    }

    /// Adds the series of the histogram.
    func add(_ name: String, _ labels: PrometheusText.Labels, to text: inout PrometheusText) {
        text.addDistribution(
            name, labels, buckets: Array(zip(Self.bounds, counts)).map { (upTo: $0.0, count: $0.1) }, sum: sum,
            count: count)
    }
}

/// The metrics of the broker, which is asked at most once a second.
actor BrokerMetrics {
    private let connection: BrokerConnection
    private let admin: AdminClient
    private var latest: (text: String, at: ContinuousClock.Instant)?
    private var question: Task<String, Never>?

    init(_ connection: BrokerConnection, _ admin: AdminClient) {
        self.connection = connection
        self.admin = admin
    }

    /// Returns the metrics; without an answer of the broker only that it is down.
    func text() async -> String {
        if let latest, latest.at.duration(to: .now) < .seconds(1) { return latest.text }
        if let question { return await question.value }
        let next = Task { [connection, admin] in await Self.ask(connection, admin) }
        question = next
        let text = await next.value
        question = nil
        latest = (text, .now)
        return text
    }

    private static func ask(_ connection: BrokerConnection, _ admin: AdminClient) async -> String {
        guard connection.isConnected else { return PrometheusText.unreachable }
        do throws(any Error) {
            return PrometheusText(try await admin.statistics(), at: Double(UnixTime.milliseconds) / 1000).text
        } catch ClientError.refused {
            // The broker is up. The gateway's own user lacks the right to its counters.
            var text = PrometheusText()
            text.add("popup_broker_up", .gauge, "Whether the broker answers.", 1)
            return text.text
        } catch {
            return PrometheusText.unreachable
        }
    }
}

/// The resource usage of the gateway's process.
public struct ProcessUsage: Sendable {
    /// The CPU time in seconds.
    public var cpuSeconds: Double
    /// The resident memory in bytes.
    public var residentBytes: UInt64
    /// The number of open file descriptors.
    public var openFiles: UInt64
    /// The maximum number of open file descriptors.
    public var maxFiles: UInt64
    /// The time of the start, in seconds since 1970.
    public var startTime: Double

    /// Creates a usage.
    public init(cpuSeconds: Double, residentBytes: UInt64, openFiles: UInt64, maxFiles: UInt64, startTime: Double) {
        self.cpuSeconds = cpuSeconds
        self.residentBytes = residentBytes
        self.openFiles = openFiles
        self.maxFiles = maxFiles
        self.startTime = startTime
    }

    func add(to text: inout PrometheusText) {
        text.add("process_cpu_seconds_total", .counter, "CPU time of the process.", seconds: cpuSeconds)
        text.add("process_resident_memory_bytes", .gauge, "Resident memory of the process.", residentBytes)
        text.add("process_open_fds", .gauge, "Open file descriptors.", openFiles)
        text.add("process_max_fds", .gauge, "Maximum number of open file descriptors.", maxFiles)
        text.add(
            "process_start_time_seconds", .gauge, "When the process started, since 1970-01-01T00:00:00Z.",
            seconds: startTime)
    }
}

extension WireCommand.OneOf_Command {
    /// The names of all commands that the gateway sends, in JSON.
    static let names = [
        "show", "update", "dismiss", "advance", "clear", "suspend", "resume", "setPolicy", "unsetPolicy", "setSession",
        "report", "answer", "lease", "page",
    ]

    /// The name in JSON.
    var name: String {
        switch self {
        case .show: "show"
        case .update: "update"
        case .dismiss: "dismiss"
        case .advance: "advance"
        case .clear: "clear"
        case .suspend: "suspend"
        case .resume: "resume"
        case .setPolicy: "setPolicy"
        case .unsetPolicy: "unsetPolicy"
        case .setSession: "setSession"
        case .report: "report"
        case .answer: "answer"
        case .lease: "lease"
        case .page: "page"
        case .query: "query"
        }
    }
}
