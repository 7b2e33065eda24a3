import DequeModule
import PopupAccess
import PopupProtocol
import PopupScheduling
import SwiftProtobuf

/// The numbers of denials, by user and right.
struct DenialCounts {
    /// The greatest number of pairs of a user and a right that are counted separately. All others are counted together.
    static var counted: Int { 1024 }

    private struct Key: Hashable {
        var user: UserName?
        var right: Right?
    }

    private var counts: [Key: UInt64] = [:]
    private var others: UInt64 = 0

    /// Counts a denial; `right` is `nil` for a name of another user.
    mutating func count(_ user: UserName?, _ right: Right?) {
        let key = Key(user: user, right: right)
        if counts.count < Self.counted || counts[key] != nil { counts[key, default: 0] += 1 } else { others += 1 }
    }

    /// The counts in order of users and rights, then that of all others.
    var listed: [WireDeniedCount] {
        let sorted = counts.sorted { left, right in
            (left.key.user?.text ?? "", left.key.right?.rawValue ?? "")
                < (right.key.user?.text ?? "", right.key.right?.rawValue ?? "")
        }
        var list = sorted.map { key, count in
            WireDeniedCount.with {
                $0.user = key.user?.text ?? ""
                $0.right = key.right?.rawValue ?? ""
                $0.count = count
            }
        }
        if others > 0 { list.append(.with { $0.count = others }) }
        return list
    }
}

/// The refusals of each user that are published as events, a limited number per second. So a user cannot fill the
/// queues of the subscribers of a group with refusals.
struct RefusalEvents {
    /// The greatest number of events per second about one user.
    static var perSecond: Int { 20 }

    private var second = PresentSecond()
    /// The number in this second.
    private var counts: [UserName?: Int] = [:]

    /// Counts a refusal. Returns whether it is published.
    mutating func take(_ user: UserName?, at now: Milliseconds) -> Bool {
        if second.advance(to: now) { counts.removeAll(keepingCapacity: true) }
        guard counts[user, default: 0] < Self.perSecond else { return false }
        counts[user, default: 0] += 1
        return true
    }
}

/// The latest subscriptions of each user that were denied, for `whoami`.
struct DeniedSubscriptions {
    /// The greatest number of listed denials of one user.
    static var maxPerUser: Int { 16 }
    /// The greatest number of users with listed denials. One more forgets the first.
    static var users: Int { 1024 }
    /// The greatest number of bytes of a listed prefix.
    static var prefixBytes: Int { 256 }

    private var lists: [UserName?: Deque<WireDeniedSubscription>] = [:]
    private var order: Deque<UserName?> = []

    /// Records a subscription. One that was recorded before becomes the latest.
    mutating func record(_ prefix: String, _ detail: String, of user: UserName?) {
        if lists[user] == nil {
            if order.count >= Self.users, let first = order.popFirst() { lists[first] = nil }
            order.append(user)
        }
        var list = lists[user] ?? []
        let kept = String(prefix.prefix(Self.prefixBytes))
        list.removeAll { $0.prefix == kept }
        if list.count >= Self.maxPerUser { list.removeFirst() }
        list.append(
            .with {
                $0.prefix = kept
                $0.detail = detail
            })
        lists[user] = list
    }

    /// Returns the denied subscriptions of a user, the latest last.
    func list(of user: UserName?) -> [WireDeniedSubscription] { lists[user].map(Array.init) ?? [] }

    /// Forgets all denials, because the rules have changed.
    mutating func removeAll() {
        lists.removeAll()
        order.removeAll()
    }
}
