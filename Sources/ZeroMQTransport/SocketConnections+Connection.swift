import PopupAccess
import PopupBroker
import ZeroMQ

extension SocketConnections {
    /// A connection, and what is known of what it sends and reads.
    struct Connection {
        let id: ConnectionID
        let accepted: AcceptedConnection
        /// The address of the peer without its port.
        let host: String
        /// The user and its key, once they are known.
        var user: (name: UserName, key: UserKey)?
        var proof: MessageProof
        /// Whether a whole message has been recorded since it was checked last, as one of all.
        var isProven = false
        /// The value of `looks` when it was first found to be watched.
        var watchedAt: UInt64?
        /// The value of `looks` when it was condemned.
        var condemnedAt: UInt64?
        /// The number of bytes read from it while memory was ample.
        var readBefore: Int64 = 0
        /// The state of a connection whose read bytes the system does not count; `nil` while nothing waits to be read.
        var backlog: Backlog?
        /// The time since which every check found bytes that the peer does not read.
        var behindSince: Int64?
        var isCut = false
    }

    /// Successive checks, while memory was short, at which bytes waited to be read and no message had become whole.
    struct Backlog {
        /// The value of `looks` at the first one.
        let since: UInt64
        var checks: Int64
    }
}
