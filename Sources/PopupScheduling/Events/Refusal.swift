/// The refusal of a command. A refused command changes nothing.
public struct Refusal: Error, Sendable, Equatable {
    /// The reason in the terms of the protocol.
    public enum Reason: UInt8, Sendable, CaseIterable {
        /// The command cannot be decoded.
        case malformed
        /// A field has an invalid value.
        case invalid
        /// A frame or content is larger than allowed.
        case tooLarge
        /// The broker does not know the command or field.
        case unsupported
        /// The sender does not have the right.
        case permissionDenied
        /// A limit is reached.
        case overload
        /// The command contradicts an earlier one.
        case conflict
        /// The command answers a state that has changed.
        case stale
        /// The command names an object that does not exist.
        case notFound
    }

    /// The precise cause.
    public enum Cause: Sendable, Equatable {
        /// A table is full.
        case limit(Limits.Name)
        /// The producer's account has used up its share of a table.
        case share(Limits.Name)
        /// All accounts of the user together have used up their share of a table.
        case userShare(Limits.Name)
        /// The policy's `maxWaiting` is reached.
        case maxWaiting
        /// A text is longer than `Limits.nameBytes`, or content than `Limits.largestContent`.
        case tooLong
        /// No live or remembered popup has the id.
        case unknownPopup
        /// The popup is not in the group that the command names.
        case otherGroup
        /// The popup has already closed.
        case popupClosed
        /// The dismissal answers a revision before the popup's last activation or update.
        case olderRevision
        /// The popup is not offered, or not any more.
        case notOffered
        /// The tree does not have the page.
        case unknownPage
        /// The tree already has the page with another parent or value.
        case pageExists
        /// The tree already has a root, and the new page names no parent.
        case rootExists
    }

    /// The reason in the terms of the protocol.
    public var reason: Reason
    /// The precise cause.
    public var cause: Cause

    static func limit(_ name: Limits.Name) -> Refusal { Refusal(reason: .overload, cause: .limit(name)) }
    static func share(_ name: Limits.Name) -> Refusal { Refusal(reason: .overload, cause: .share(name)) }
    static func userShare(_ name: Limits.Name) -> Refusal { Refusal(reason: .overload, cause: .userShare(name)) }
    static let maxWaiting = Refusal(reason: .overload, cause: .maxWaiting)
    static let tooLong = Refusal(reason: .tooLarge, cause: .tooLong)
    static let otherGroup = Refusal(reason: .notFound, cause: .otherGroup)
    /// The refusal of an id that no live or remembered popup has.
    public static let unknownPopup = Refusal(reason: .notFound, cause: .unknownPopup)
    static let popupClosed = Refusal(reason: .stale, cause: .popupClosed)
    static let olderRevision = Refusal(reason: .stale, cause: .olderRevision)
    static let notOffered = Refusal(reason: .stale, cause: .notOffered)
    static let unknownPage = Refusal(reason: .notFound, cause: .unknownPage)
    static let pageExists = Refusal(reason: .conflict, cause: .pageExists)
    static let rootExists = Refusal(reason: .conflict, cause: .rootExists)
}

extension Refusal: CustomStringConvertible {
    /// The cause in a sentence, with advice.
    public var description: String { description(naming: \.rawValue) }

    /// Returns the cause in a sentence, with advice.
    ///
    /// - Parameter limit: The name of a limit for the reader of the sentence.
    package func description(naming limit: (Limits.Name) -> String) -> String {
        switch cause {
        case .limit(let name): "the limit `\(limit(name))` is reached; try again later or raise it"
        case .share(let name):
            "the producer's share of the limit `\(limit(name))` is used up: it holds more than \(Limits.shareOfFree) times "
                + "what is free; remove some, or raise the limit"
        case .userShare(let name):
            "the user's share of the limit `\(limit(name))` is used up: all its producers together hold more than "
                + "\(Limits.shareOfFree) times what is free; remove some, or raise the limit"
        case .maxWaiting: "as many popups wait in the group as its policy's `maxWaiting` allows; try again later"
        case .tooLong:
            "a name has more than \(Limits.nameBytes) bytes, or the content more than \(Limits.largestContent)"
        case .otherGroup: "the popup is not in this group; name its group, or none"
        case .unknownPopup: "no popup has this id; it never existed, or was forgotten"
        case .popupClosed: "the popup has already closed"
        case .notOffered: "the popup is not offered, or no longer; answer only what the group's state offers"
        case .unknownPage: "the tree has no such page; open it first"
        case .pageExists: "the tree has this page with another parent or value; close it first"
        case .rootExists: "the tree has a root; name the new page's parent"
        case .olderRevision: "the popup was shown again or updated since that revision; answer the current one"
        }
    }
}
