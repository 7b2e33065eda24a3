/// The reason why an etcd cannot be used, in one sentence.
public enum EtcdProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// A setting cannot be used.
    case setting(String)
    /// No member answers.
    case absent(String)
    /// The version is too old.
    case tooOld(String)
    /// The rights do not suffice.
    case forbidden(String)
    /// The etcd accepts only smaller requests.
    case tooSmall(Int)
    /// The quota of the etcd is reached: nothing can be written until an operator acts.
    case full
    /// A log exists already.
    case exists(String)
    /// The log does not exist.
    case missing(String)
    /// The content of the log cannot be read.
    case unreadable(String)
    /// The thing that was asked for is not there.
    case none(String)
    /// It cannot be done now, and perhaps later.
    case busy(String)

    /// The sentence.
    public var description: String {
        switch self {
        case .setting(let reason): reason
        case .absent(let reason): "no etcd answers: \(reason)"
        case .tooOld(let version):
            "etcd \(version) is too old: \(EtcdLimits.version.0).\(EtcdLimits.version.1) or later is needed"
        case .forbidden(let prefix):
            "etcd does not let this client read and write \(prefix): its role needs both rights on that prefix"
        case .tooSmall(let count):
            "etcd accepts no request with an entry of \(count) bytes: start it with a greater --max-request-bytes"
        case .full: "the quota of etcd is reached: compact and defragment it, then disarm its alarm"
        case .exists(let shard): "the log of the shard \(shard) exists already"
        case .missing(let shard): "there is no log of the shard \(shard); `popup-fleet create` makes it"
        case .unreadable(let reason), .none(let reason), .busy(let reason): reason
        }
    }

    /// The exit code of a program that ends with it.
    public var exitCode: Int32 {
        switch self {
        case .setting: 64
        case .unreadable: 65
        case .missing, .none: 66
        case .absent: 69
        case .exists: 73
        case .full, .busy: 75
        case .forbidden: 77
        case .tooOld, .tooSmall: 78
        }
    }
}
