import PopupScheduling

/// An event in words.
struct Occurrence: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        case queued
        case offered
        case shown(attempt: UInt32)
        case paused
        case resumed
        case updated
        case closed(CloseReason, action: String, displayed: Milliseconds)
        case refused(Refusal)
    }

    var at: Milliseconds
    var group: String
    var popup: String
    var revision: UInt64
    var kind: Kind
    /// The pages from the root to the current one of the tree that the group's policy names.
    var path: [String] = []
}

/// What of an event a timeline's line says beside its time, kind, popup and reason.
struct Details: OptionSet, Sendable {
    var rawValue: Int

    /// The revision: `r3`.
    static let revision = Details(rawValue: 1)
    /// How long the closed popup was displayed: `after 300`.
    static let displayed = Details(rawValue: 2)
    /// The path of pages: `on home/detail`.
    static let path = Details(rawValue: 4)
}

extension Occurrence {
    /// `900 closed B DISMISSED ok`; a group other than `g` stands before the kind: `900 top: shown B`.
    func line(_ details: Details = []) -> String {
        var words = ["\(at)"]
        if details.contains(.revision) { words.append("r\(revision)") }
        if group != "g" && !group.isEmpty { words.append("\(group):") }
        switch kind {
        case .queued: words += ["queued", popup]
        case .offered: words += ["offered", popup]
        case .shown(let attempt): words += ["shown", popup] + (attempt == 1 ? [] : ["attempt \(attempt)"])
        case .paused: words += ["paused", popup]
        case .resumed: words += ["resumed", popup]
        case .updated: words += ["updated", popup]
        case .closed(let reason, let action, let displayed):
            words += ["closed", popup, reason.word]
            if !action.isEmpty { words.append(action) }
            if details.contains(.displayed) { words.append("after \(displayed)") }
        case .refused(let refusal):
            words += ["refused", popup, refusal.words]
        }
        if details.contains(.path) && !path.isEmpty { words += ["on", path.joined(separator: "/")] }
        return words.joined(separator: " ")
    }
}

extension CloseReason {
    /// As the protocol writes it.
    var word: String { capitals("\(self)") }
}

extension Refusal {
    /// The reason as the protocol writes it, and the cause: `OVERLOAD maxWaiting`.
    var words: String {
        switch cause {
        case .limit(let name): "\(capitals("\(reason)")) \(name.rawValue)"
        case .share(let name): "\(capitals("\(reason)")) share of \(name.rawValue)"
        case .userShare(let name): "\(capitals("\(reason)")) user's share of \(name.rawValue)"
        default: "\(capitals("\(reason)")) \(cause)"
        }
    }
}

/// `timedOut` as `TIMED_OUT`.
private func capitals(_ name: String) -> String {
    name.map { $0.isUppercase ? "_\($0)" : $0.uppercased() }.joined()
}
