// Made by Scripts/wire_tables.py from Schema/popup_broker.proto: don't edit.
// swift-format-ignore-file

extension WireLimits {
    /// In bytes: one line that is [id] in the schema.
    public static let maxIDBytes = 200
    /// In bytes: one line that is [label] in the schema.
    public static let maxLabelBytes = 1000
    /// In bytes: one line that is [language] in the schema.
    public static let maxLanguageBytes = 35
    /// In bytes: one line that is [separator] in the schema.
    public static let maxSeparatorBytes = 16
    /// Elements of `actions` in `Popup`.
    public static let maxActions = 32
    /// Elements of `caps` in `SetPolicy`.
    public static let maxListedRules = 16
}

extension WireCommand.OneOf_Command {
    /// The command's name in JSON.
    public var name: String {
        switch self {
        case .show: "show"
        case .update: "update"
        case .dismiss: "dismiss"
        case .advance: "advance"
        case .clear: "clear"
        case .suspend: "suspend"
        case .resume: "resume"
        case .setPolicy: "setPolicy"
        case .setSession: "setSession"
        case .report: "report"
        case .answer: "answer"
        case .lease: "lease"
        case .page: "page"
        case .query: "query"
        case .unsetPolicy: "unsetPolicy"
        }
    }

    /// Checks each field on its own.
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        switch self {
        case .show(let value): try value.checkFields(check)
        case .update(let value): try value.checkFields(check)
        case .dismiss(let value): try value.checkFields(check)
        case .advance(let value): try value.checkFields(check)
        case .clear(let value): try value.checkFields(check)
        case .suspend(let value): try value.checkFields(check)
        case .resume(let value): try value.checkFields(check)
        case .setPolicy(let value): try value.checkFields(check)
        case .setSession(let value): try value.checkFields(check)
        case .report(let value): try value.checkFields(check)
        case .answer(let value): try value.checkFields(check)
        case .lease(let value): try value.checkFields(check)
        case .page(let value): try value.checkFields(check)
        case .query(let value): try value.checkFields(check)
        case .unsetPolicy(let value): try value.checkFields(check)
        }
    }
}

extension WirePopup {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.optionalID(id, "id")
        try check.group(group, "group")
        try check.known(exclusive, "exclusive")
        try check.optionalID(collapseKey, "collapseKey")
        if case .text(let value)? = content { try check.content(value.utf8.count, "text") }
        if case .data(let value)? = content { try check.content(value.count, "data") }
        try check.optionalID(contentType, "contentType")
        try check.count(actions.count, "actions", maximum: 32)
        for (place, value) in actions.enumerated() { try value.checkFields(check.inside("actions[\(place)]")) }
        if hasPresentation { try presentation.checkFields(check.inside("presentation")) }
        if hasFlow { try flow.checkFields(check.inside("flow")) }
        if hasPage { try page.checkFields(check.inside("page")) }
        try check.optionalID(session, "session")
        try check.optionalID(surface, "surface")
        try check.optionalID(capKey, "capKey")
        try check.language(language, "language")
        if !by.isEmpty { try check.token(by, "by") }
    }
}

extension WireUpdate {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.id(id, "id")
        if case .text(let value)? = content { try check.content(value.utf8.count, "text") }
        if case .data(let value)? = content { try check.content(value.count, "data") }
        try check.optionalID(contentType, "contentType")
        try check.count(actions.count, "actions", maximum: 32)
        for (place, value) in actions.enumerated() { try value.checkFields(check.inside("actions[\(place)]")) }
        if hasPresentation { try presentation.checkFields(check.inside("presentation")) }
        if !group.isEmpty { try check.group(group, "group") }
    }
}

extension WireDismiss {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.id(id, "id")
        try check.optionalID(action, "action")
        if !client.isEmpty { try check.token(client, "client") }
        if !group.isEmpty { try check.group(group, "group") }
    }
}

extension WireAdvance {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.group(group, "group")
    }
}

extension WireClear {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        if hasSelector { try selector.checkFields(check.inside("selector")) }
    }
}

extension WireSuspend {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.pattern(group, "group")
        try check.id(token, "token")
    }
}

extension WireResume {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.id(token, "token")
    }
}

extension WireSetPolicy {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.pattern(group, "group")
        try check.known(preset, "preset")
        try check.known(higher, "higher")
        try check.known(peers, "peers")
        try check.known(lower, "lower")
        try check.known(resume, "resume")
        try check.known(clock, "clock")
        try check.known(offerDefault, "offerDefault")
        try check.known(undisplayed, "undisplayed")
        try check.known(rendererLost, "rendererLost")
        try check.count(caps.count, "caps", maximum: 16)
        for (place, value) in caps.enumerated() { try value.checkFields(check.inside("caps[\(place)]")) }
        try check.count(quiet.count, "quiet", maximum: 16)
        for (place, value) in quiet.enumerated() { try value.checkFields(check.inside("quiet[\(place)]")) }
        try check.known(overflow, "overflow")
        try check.optionalID(pageTree, "pageTree")
    }
}

extension WireSetSession {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.group(group, "group")
        try check.optionalID(session, "session")
    }
}

extension WireReport {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.id(id, "id")
        try check.token(client, "client")
        if !group.isEmpty { try check.group(group, "group") }
    }
}

extension WireAnswer {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.id(id, "id")
        try check.token(client, "client")
        if !group.isEmpty { try check.group(group, "group") }
    }
}

extension WireLease {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.token(client, "client")
        for (place, value) in groups.enumerated() { try check.pattern(value, "groups[\(place)]") }
    }
}

extension WirePage {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.id(tree, "tree")
        if case .open(let value)? = page { try value.checkFields(check.inside("open")) }
        if case .enter(let value)? = page { try value.checkFields(check.inside("enter")) }
        if case .close(let value)? = page { try value.checkFields(check.inside("close")) }
    }
}

extension WireQuery {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.token(client, "client")
        try check.token(nonce, "nonce")
        if case .list(let value)? = query { try value.checkFields(check.inside("list")) }
        if case .count(let value)? = query { try value.checkFields(check.inside("count")) }
        if case .peek(let value)? = query { try value.checkFields(check.inside("peek")) }
        if case .explain(let value)? = query { try value.checkFields(check.inside("explain")) }
        if case .path(let value)? = query { try value.checkFields(check.inside("path")) }
        if case .policies(let value)? = query { try value.checkFields(check.inside("policies")) }
        if case .history(let value)? = query { try value.checkFields(check.inside("history")) }
        if case .groups(let value)? = query { try value.checkFields(check.inside("groups")) }
        if case .suspensions(let value)? = query { try value.checkFields(check.inside("suspensions")) }
        if case .renderers(let value)? = query { try value.checkFields(check.inside("renderers")) }
        if case .producers(let value)? = query { try value.checkFields(check.inside("producers")) }
    }
}

extension WireUnsetPolicy {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.pattern(group, "group")
    }
}

extension WireAction {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.id(id, "id")
        try check.label(label, "label")
    }
}

extension WirePresentation {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.known(scene, "scene")
        try check.known(animation, "animation")
        try check.label(title, "title")
        try check.label(icon, "icon")
        try check.optionalID(style, "style")
    }
}

extension WireFlow {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.id(key, "key")
        if hasRequires { try requires.checkFields(check.inside("requires")) }
    }
}

extension WirePageBinding {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.id(tree, "tree")
        try check.id(value, "value")
        try check.known(scope, "scope")
    }
}

extension WireSelector {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        if !group.isEmpty { try check.pattern(group, "group") }
        try check.optionalID(surface, "surface")
        try check.optionalID(collapseKey, "collapseKey")
        try check.producer(producer, "producer")
    }
}

extension WireCap {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.optionalID(capKey, "capKey")
    }
}

extension WireQuietWindow {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.time(from, "from")
        try check.time(to, "to")
        try check.id(timeZone, "timeZone")
    }
}

extension WireOpenPage {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.id(node, "node")
        try check.optionalID(parent, "parent")
        try check.id(value, "value")
    }
}

extension WirePageNode {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.id(node, "node")
    }
}

extension WireListQuery {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        if hasSelector { try selector.checkFields(check.inside("selector")) }
    }
}

extension WireCountQuery {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        if hasSelector { try selector.checkFields(check.inside("selector")) }
    }
}

extension WirePeekQuery {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.group(group, "group")
    }
}

extension WireExplainQuery {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.id(id, "id")
    }
}

extension WirePathQuery {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.id(tree, "tree")
        try check.optionalID(node, "node")
        try check.optionalID(except, "except")
        try check.separator(separator, "separator")
    }
}

extension WirePoliciesQuery {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        if !group.isEmpty { try check.pattern(group, "group") }
        if !after.isEmpty { try check.pattern(after, "after") }
    }
}

extension WireHistoryQuery {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        if !group.isEmpty { try check.pattern(group, "group") }
    }
}

extension WireGroupsQuery {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        if !group.isEmpty { try check.pattern(group, "group") }
        if !after.isEmpty { try check.group(after, "after") }
    }
}

extension WireSuspensionsQuery {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        if !group.isEmpty { try check.pattern(group, "group") }
        try check.optionalID(after, "after")
    }
}

extension WireRenderersQuery {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        if !group.isEmpty { try check.pattern(group, "group") }
        if !after.isEmpty { try check.token(after, "after") }
    }
}

extension WireProducersQuery {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.producer(producer, "producer")
        try check.optionalID(after, "after")
    }
}

extension WireRequirement {
    func checkFields(_ check: FieldCheck) throws(CommandRefusal) {
        try check.id(popup, "popup")
        try check.optionalID(action, "action")
    }
}
