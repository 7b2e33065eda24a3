import PopupClient
import PopupProtocol
import TerminalText

/// The identity and the rights of the user, as lines.
struct WhoamiLines {
    let identity: BrokerIdentity

    var lines: [String] {
        var lines = [identity.user.isEmpty ? "a client without a key" : "the user \(identity.user)"]
        if identity.unrestricted {
            lines.append("may do everything")
        } else if identity.grants.isEmpty {
            lines.append("may do nothing")
        } else {
            lines += identity.grants.map { "may \(words($0))" }
        }
        for denied in identity.denied {
            let prefix = denied.prefix.isEmpty ? "everything" : denied.prefix
            lines.append("subscription denied: \(prefix): \(denied.detail)")
        }
        return lines.map(\.onOneLine)
    }

    private func words(_ grant: BrokerIdentity.Grant) -> String {
        var words = "\(grant.rights.joined(separator: ", ")) in \(grant.groups.joined(separator: ", "))"
        if let most = grant.maxPriority { words += "; priority up to \(most)" }
        switch grant.exclusive {
        case .group: words += "; exclusive GROUP"
        case .all: words += "; exclusive ALL"
        case .none, .unrecognized: break
        }
        if grant.own { words += "; only popups that it has shown" }
        return words
    }
}
