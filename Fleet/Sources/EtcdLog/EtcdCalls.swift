internal import SwiftProtobuf

/// The calls of etcd that a log makes.
protocol EtcdCalls: Sendable {
    /// Calls a method, and returns the answer.
    func call<Request: SwiftProtobuf.Message, Response: SwiftProtobuf.Message>(
        _ method: EtcdMethod<Request, Response>, _ request: Request, deadline: Duration
    ) async throws(EtcdFailure) -> Response

    /// Calls a method of each member, and returns the answers in the order of the members; `nil` for one that does not answer.
    func callEach<Request: SwiftProtobuf.Message, Response: SwiftProtobuf.Message>(
        _ method: EtcdMethod<Request, Response>, _ request: Request, deadline: Duration
    ) async -> [(endpoint: EtcdEndpoint, answer: Response?)]

    /// Watches a range of keys from now on, until the stream ends or fails.
    func watch(
        _ request: Etcdserverpb_WatchCreateRequest, _ body: @escaping @Sendable (Etcdserverpb_WatchResponse) -> Void
    ) async

    /// Ends the connections.
    func close()
}
