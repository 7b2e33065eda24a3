package import PopupProtocol
package import PopupScheduling

/// The place of a popup, and the user that asked for it.
package struct PopupPlace: Hashable, Sendable {
    /// The group.
    package var group: String
    /// Whether it is the one that its group shows.
    package var isShown: Bool
    /// The user that asked for it; empty for a client without a key, and when the popup has closed.
    package var user: String
}

/// The fields of a popup in a list, besides its place in the queue.
struct PopupListing {
    /// As in `PopupPlace`.
    var user: String
    /// The title and text, shortened; empty when the popup has closed.
    var excerpt: PopupExcerpt
    /// The time at which it expires if it is not shown before; `nil`: it does not expire.
    var expiry: Milliseconds?
}

extension Scheduler {
    /// Returns the fields in a list of the popup with this id, live or remembered.
    func listing(ofPopup id: String) -> PopupListing? {
        guard let found = whereabouts(ofPopup: Array(id.utf8).span.bytes) else { return nil }
        let content = Span<UInt8>(_unsafeElements: found.content.bindMemory(to: UInt8.self))
        return PopupListing(
            user: CommandUser.name(inPopup: content), excerpt: PopupExcerpt(popup: content), expiry: found.expiry)
    }

    /// Returns the place of the popup with this id, live or remembered.
    package func place(ofPopup id: String) -> PopupPlace? {
        guard let found = whereabouts(ofPopup: Array(id.utf8).span.bytes) else { return nil }
        let content = Span<UInt8>(_unsafeElements: found.content.bindMemory(to: UInt8.self))
        return PopupPlace(group: found.group, isShown: found.isShown, user: CommandUser.name(inPopup: content))
    }

    /// Whether a producer has live popups that another user asked for. O(n) in the live popups.
    package func hasPopups(of producer: ProducerName, ofOthersThan user: String) -> Bool {
        containsPopup(of: ProducerID(producer)) { content in
            CommandUser.name(inPopup: Span<UInt8>(_unsafeElements: content.bindMemory(to: UInt8.self))) != user
        }
    }

    /// Returns the user who asked for the live popup that has a collapse key in a group, empty for a client without a key;
    /// `nil` if there is no such popup.
    package func user(ofPopupWithKey key: String, in group: String) -> String? {
        guard
            let content = content(ofPopupWithKey: Array(key.utf8).span.bytes, in: Array(group.utf8).span.bytes)
        else { return nil }
        return CommandUser.name(inPopup: Span<UInt8>(_unsafeElements: content.bindMemory(to: UInt8.self)))
    }

    /// Returns the pattern of the suspension with this token.
    package func pattern(ofSuspension token: String) -> String? {
        pattern(ofSuspension: Array(token.utf8).span.bytes)
    }
}
