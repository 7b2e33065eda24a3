internal import GRPCCore

/// A method of etcd, with the types of its messages.
struct EtcdMethod<Request: Sendable, Response: Sendable>: Sendable {
    let descriptor: MethodDescriptor

    init(_ service: String, _ method: String) {
        descriptor = MethodDescriptor(fullyQualifiedService: "etcdserverpb.\(service)", method: method)
    }
}

extension EtcdMethod {
    static var range: EtcdMethod<Etcdserverpb_RangeRequest, Etcdserverpb_RangeResponse> { .init("KV", "Range") }
    static var put: EtcdMethod<Etcdserverpb_PutRequest, Etcdserverpb_PutResponse> { .init("KV", "Put") }
    static var delete: EtcdMethod<Etcdserverpb_DeleteRangeRequest, Etcdserverpb_DeleteRangeResponse> {
        .init("KV", "DeleteRange")
    }
    static var txn: EtcdMethod<Etcdserverpb_TxnRequest, Etcdserverpb_TxnResponse> { .init("KV", "Txn") }
    static var grant: EtcdMethod<Etcdserverpb_LeaseGrantRequest, Etcdserverpb_LeaseGrantResponse> {
        .init("Lease", "LeaseGrant")
    }
    static var revoke: EtcdMethod<Etcdserverpb_LeaseRevokeRequest, Etcdserverpb_LeaseRevokeResponse> {
        .init("Lease", "LeaseRevoke")
    }
    /// A stream of requests and answers, of which one each is used.
    static var keepAlive: EtcdMethod<Etcdserverpb_LeaseKeepAliveRequest, Etcdserverpb_LeaseKeepAliveResponse> {
        .init("Lease", "LeaseKeepAlive")
    }
    static var watch: EtcdMethod<Etcdserverpb_WatchRequest, Etcdserverpb_WatchResponse> { .init("Watch", "Watch") }
    static var status: EtcdMethod<Etcdserverpb_StatusRequest, Etcdserverpb_StatusResponse> {
        .init("Maintenance", "Status")
    }
}
