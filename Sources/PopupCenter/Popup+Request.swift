// The translation into the scheduler's commands, and what is checked of them.
extension PopupCenter.Popup {
    /// Returns the request; its ranges refer to `text`.
    func request(id: String, in text: inout TextBuilder) throws(PopupRefusal) -> PopupRequest {
        guard !id.isEmpty else { throw .invalid("id", "is empty; leave it out, or name the popup") }
        try PopupRefusal.checkGroup(group)
        var request = PopupRequest(id: text.add(id), group: text.add(group))
        // The center has the content; the id finds it.
        request.content = request.id
        request.priority = priority
        request.duration = try duration.field("duration")
        request.timeToLive = try timeToLive.field("timeToLive")
        request.delay = try delay.field("delay")
        request.minimumDisplay = try minimumDisplay.field("minimumDisplay")
        request.offer = try offer.field("offer")
        request.exclusive = exclusive
        request.interruptible = interruptible
        request.collapseKey = text.add(collapseKey ?? "")
        request.session = text.add(session ?? "")
        request.capKey = text.add(capKey ?? "")
        if let flow { request.flow = try flow.membership(in: &text) }
        if let page { request.page = try page.binding(in: &text) }
        return request
    }
}

extension PopupFlow {
    fileprivate func membership(in text: inout TextBuilder) throws(PopupRefusal) -> FlowMembership {
        guard !key.isEmpty else { throw .invalid("flow.key", "is empty; name the flow") }
        guard requires != nil || requiredAction == nil else {
            throw .invalid("flow.requires", "is missing; name the popup that has to close with the action")
        }
        var membership = FlowMembership(key: text.add(key))
        membership.stage = stage
        membership.requires = text.add(requires ?? "")
        membership.requiredAction = text.add(requiredAction ?? "")
        membership.hold = try hold.field("flow.hold")
        return membership
    }
}

extension PopupPage {
    fileprivate func binding(in text: inout TextBuilder) throws(PopupRefusal) -> PageBinding {
        guard !tree.isEmpty, !value.isEmpty else { throw .invalid("page", "has no tree or no value; name both") }
        return PageBinding(tree: text.add(tree), value: text.add(value), scope: scope)
    }
}

extension Policy {
    /// Checks the ranges that the properties name.
    func check() throws(PopupRefusal) {
        guard (1...Limits.maxAttempts).contains(maxAttempts) else {
            throw .invalid("maxAttempts", "is not between 1 and \(Limits.maxAttempts)")
        }
        guard quorum >= 1 else { throw .invalid("quorum", "is 0; give 1 or more") }
        guard max(caps.count, quiet.count) <= Limits.listedRules else {
            throw .invalid("caps", "or `quiet` has more than \(Limits.listedRules) rules")
        }
        for cap in caps where cap.most < 1 || cap.most > UInt32(Limits.largestCap) || cap.window < 1 {
            throw .invalid(
                "caps", "has a number of popups that is not between 1 and \(Limits.largestCap), or no window")
        }
        for window in quiet where window.from == window.to || max(window.from, window.to) >= 24 * 60 {
            throw .invalid(
                "quiet", "has a window that is empty or ends after midnight; give two different minutes of a day")
        }
    }
}

extension PopupRefusal {
    /// Checks the name of a group.
    static func checkGroup(_ group: String) throws(PopupRefusal) {
        guard !group.isEmpty, !group.utf8.contains(UInt8(ascii: "*")) else {
            throw .invalid("group", "is empty or a pattern; name one group")
        }
    }

    /// Returns the refusal of a field.
    static func invalid(_ field: String, _ text: String) -> PopupRefusal {
        PopupRefusal(.invalid, "`\(field)` \(text)")
    }
}

extension Duration {
    /// The complete milliseconds.
    var milliseconds: Milliseconds {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }

    /// Returns the milliseconds for a field of a popup, begun ones as complete ones.
    func field(_ name: String) throws(PopupRefusal) -> UInt32 {
        guard self > .zero, self <= .milliseconds(UInt32.max) else {
            throw .invalid(name, "is not between 1 ms and \(UInt32.max) ms; give such a time, or leave it out")
        }
        return UInt32((self + .nanoseconds(999_999)).milliseconds)
    }
}

extension Duration? {
    /// Returns the milliseconds for a field of a popup; 0 for `nil`, which stands for what the policy says.
    fileprivate func field(_ name: String) throws(PopupRefusal) -> UInt32 { try self?.field(name) ?? 0 }
}
