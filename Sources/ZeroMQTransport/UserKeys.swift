public import PopupAccess
import Synchronization
import SystemCalls
public import ZeroMQ

/// The public key of a user, in the text form that libzmq attaches to each message of the user.
typealias UserKey = String

/// The users who may connect, by their public keys. Any thread may replace them while the transport is in use.
public final class UserKeys: Sendable {
    private let users: Mutex<[UserKey: UserName]>
    private let changes = Atomic<UInt64>(0)
    private let wakeup: Wakeup

    /// Creates the initial users. `wakeup` notifies the transport of changes.
    init(_ users: [CurvePublicKey: UserName], wakeup: Wakeup) {
        self.users = Mutex(Self.byText(users))
        self.wakeup = wakeup
    }

    private static func byText(_ users: [CurvePublicKey: UserName]) -> [UserKey: UserName] {
        Dictionary(uniqueKeysWithValues: users.map { ($0.description, $1) })
    }

    /// Replaces all users. Connections whose keys have been removed are cut; those of ingress with their next message
    /// at the latest.
    public func replace(by users: [CurvePublicKey: UserName]) {
        let users = Self.byText(users)
        self.users.withLock { $0 = users }
        changes.add(1, ordering: .releasing)
        wakeup.signal()
    }

    /// Whether a client with this key may connect.
    func isKnown(_ key: UserKey) -> Bool { users.withLock { $0[key] != nil } }

    /// The number of times that the users were replaced.
    var version: UInt64 { changes.load(ordering: .acquiring) }

    /// All users.
    var all: [UserKey: UserName] { users.withLock { $0 } }
}

/// The senders of messages, by the keys that libzmq has verified. Confined to the loop's thread.
final class Senders {
    /// The reason for which connections of strangers are cut.
    static let isGone = "its public key is not its user's any more"

    /// The sender of a message.
    enum Sender {
        /// A user, with the key that identifies the user.
        case user(UserName, UserKey)
        /// A client without a key, or with a key that was removed.
        case stranger
    }

    private let keys: UserKeys
    private var version: UInt64 = 0
    private(set) var users: [UserKey: UserName]
    /// The sender of the last message, which often is that of the next one too.
    private var last: (key: UserKey, text: [CChar], user: UserName)?

    init(_ keys: UserKeys) {
        self.keys = keys
        version = keys.version
        users = keys.all
    }

    /// Updates the users if they were replaced.
    ///
    /// - Returns: Whether they were.
    func update() -> Bool {
        let version = keys.version
        guard version != self.version else { return false }
        self.version = version
        users = keys.all
        last = nil
        return true
    }

    /// Returns the user who sent a message; `nil` for a stranger.
    func user(of message: borrowing Message) -> UserName? {
        if case .user(let user, _) = sender(of: message) { return user }
        return nil
    }

    /// Returns the sender of a message.
    func sender(of message: borrowing Message) -> Sender {
        let isLast = message.withUser { text in
            guard let text, let last else { return false }
            return last.text.withUnsafeBufferPointer { strcmp($0.baseAddress!, text) == 0 }
        }
        if isLast, let last { return .user(last.user, last.key) }
        guard let key = message.user, let user = users[key] else { return .stranger }
        last = (key, Array(key.utf8CString), user)
        return .user(user, key)
    }
}
