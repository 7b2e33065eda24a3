public import PopupAccess
import Synchronization
import SystemCalls
public import ZeroMQ

/// The public key of a user, as the text that comes with each message of the user.
typealias UserKey = String

/// The users who may connect, by their public keys. Any thread may replace them while the transport is in use.
public final class UserKeys: Sendable {
    private let users: Mutex<[UserKey: UserName]>
    private let changes = Atomic<UInt64>(0)
    private let wakeup: Wakeup

    /// The users at the beginning; `wakeup` tells the transport that they have changed.
    init(_ users: [CurvePublicKey: UserName], wakeup: Wakeup) {
        self.users = Mutex(Self.byText(users))
        self.wakeup = wakeup
    }

    private static func byText(_ users: [CurvePublicKey: UserName]) -> [UserKey: UserName] {
        Dictionary(uniqueKeysWithValues: users.map { ($0.description, $1) })
    }

    /// Replaces all users. The connections of those whose key is gone are cut off, on ingress with their next message at
    /// the latest.
    public func replace(by users: [CurvePublicKey: UserName]) {
        let users = Self.byText(users)
        self.users.withLock { $0 = users }
        changes.add(1, ordering: .releasing)
        wakeup.signal()
    }

    /// Whether somebody with this key is let in.
    func isKnown(_ key: UserKey) -> Bool { users.withLock { $0[key] != nil } }

    /// How often the users were replaced.
    var version: UInt64 { changes.load(ordering: .acquiring) }

    /// All users.
    var all: [UserKey: UserName] { users.withLock { $0 } }
}

/// The senders of messages, by the keys that libzmq has verified; for the loop's thread alone.
struct Senders: ~Copyable {
    /// The sender of a message.
    enum Sender {
        /// A user, with the key by which the user is known.
        case user(UserName, UserKey)
        /// Somebody without a key, or with one that is gone.
        case stranger
    }

    private let keys: UserKeys
    private var version: UInt64 = 0
    private(set) var users: [UserKey: UserName]
    /// The sender of the message before, whom the next one is mostly of, too.
    private var last: (key: UserKey, text: [CChar], user: UserName)?

    init(_ keys: UserKeys) {
        self.keys = keys
        version = keys.version
        users = keys.all
    }

    /// Takes the users again if they were replaced.
    ///
    /// - Returns: Whether they were.
    mutating func update() -> Bool {
        let version = keys.version
        guard version != self.version else { return false }
        self.version = version
        users = keys.all
        last = nil
        return true
    }

    /// The user who sent a message; `nil` for a stranger.
    mutating func user(of message: borrowing Message) -> UserName? {
        if case .user(let user, _) = sender(of: message) { return user }
        return nil
    }

    /// The sender of a message.
    mutating func sender(of message: borrowing Message) -> Sender {
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
