import PopupAccess
import PopupProtocol
import SwiftProtobuf

extension AccessControl {
    /// The identity and the rights of the present user.
    var whoami: WireWhoamiResult {
        .with {
            $0.user = user?.text ?? ""
            $0.unrestricted = isOpen || access.isUnrestricted
            if !isOpen { $0.grants = access.grants.map(WireAccessGrant.init) }
            $0.denied = deniedSubscriptions.list(of: user)
        }
    }
}

extension WireAccessGrant {
    /// Creates the wire's form of a grant.
    init(_ grant: Grant) {
        self = .with {
            $0.groups = grant.groups.map(\.text)
            $0.rights = Right.allCases.filter { grant.rights.contains($0) }.map(\.rawValue)
            if let maximum = grant.maxPriority { $0.maxPriority = maximum }
            $0.exclusive =
                switch grant.exclusive {
                case .none: .none
                case .group: .group
                case .all: .all
                }
            $0.own = grant.ownPopupsOnly
        }
    }
}
