extension CommandValidator {
    func validate(_ popup: WirePopup, _ check: FieldCheck) throws(CommandRefusal) {
        try check.group(popup.group)
        try check.optionalID(popup.id, "id")
        try check.known(popup.exclusive, "exclusive")
        try check.optionalID(popup.collapseKey, "collapseKey")
        switch popup.content {
        case .text(let text): try check.content(text.utf8.count, "text", limits: limits)
        case .data(let data): try check.content(data.count, "data", limits: limits)
        case nil: break
        }
        try check.optionalID(popup.contentType, "contentType")
        try validate(popup.actions, check)
        if popup.hasPresentation { try validate(popup.presentation, check) }
        if popup.hasFlow {
            try check.id(popup.flow.key, "flow.key")
            if popup.flow.hasRequires {
                try check.id(popup.flow.requires.popup, "flow.requires.popup")
                guard popup.flow.requires.popup != popup.id else {
                    throw check.refusal("flow.requires.popup", "is the popup itself; name another member of its flow")
                }
                try check.optionalID(popup.flow.requires.action, "flow.requires.action")
            }
        }
        if popup.hasPage {
            try check.id(popup.page.tree, "page.tree")
            try check.id(popup.page.value, "page.value")
            try check.known(popup.page.scope, "page.scope")
        }
        try check.optionalID(popup.session, "session")
        try check.optionalID(popup.surface, "surface")
        try check.optionalID(popup.capKey, "capKey")
        if popup.quorum > 0, popup.quorumAll {
            throw check.refusal("quorumAll", "is given together with `quorum`; give one of them")
        }
    }

    func validate(_ update: WireUpdate, _ check: FieldCheck) throws(CommandRefusal) {
        try check.id(update.id, "id")
        try check.optionalGroup(update.group)
        switch update.content {
        case .text(let text): try check.content(text.utf8.count, "text", limits: limits)
        case .data(let data): try check.content(data.count, "data", limits: limits)
        case nil: break
        }
        try check.optionalID(update.contentType, "contentType")
        try validate(update.actions, check)
        if update.hasPresentation { try validate(update.presentation, check) }
    }

    func validate(_ selector: WireSelector, _ check: FieldCheck) throws(CommandRefusal) {
        if !selector.group.isEmpty { try check.pattern(selector.group, "selector.group") }
        try check.optionalID(selector.surface, "selector.surface")
        try check.optionalID(selector.collapseKey, "selector.collapseKey")
        try check.producer(selector.producer, "selector.producer")
    }

    private func validate(_ actions: [WireAction], _ check: FieldCheck) throws(CommandRefusal) {
        try check.count(actions.count, "actions", maximum: WireLimits.maximumActions)
        for (index, action) in actions.enumerated() {
            try check.id(action.id, "actions[\(index)].id")
            try check.label(action.label, "actions[\(index)].label")
        }
    }

    private func validate(_ presentation: WirePresentation, _ check: FieldCheck) throws(CommandRefusal) {
        try check.known(presentation.scene, "presentation.scene")
        try check.known(presentation.animation, "presentation.animation")
        try check.label(presentation.title, "presentation.title")
        try check.label(presentation.icon, "presentation.icon")
        try check.optionalID(presentation.style, "presentation.style")
    }
}

extension WireSelector {
    /// Whether it has any member that the broker knows.
    var isNarrowing: Bool {
        !group.isEmpty || !surface.isEmpty || !collapseKey.isEmpty || !producer.isEmpty
            || hasPriorityBelow || hasPriorityAbove || active || waiting || paused
    }
}
