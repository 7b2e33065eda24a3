// Made by Scripts/wire_tables.py from Schema/popup_broker.proto: don't edit.
// swift-format-ignore-file

extension WirePopup.Exclusive: SchemaEnum {
    package static var schemaPlace: Int { 0 }
}

extension WirePresentation.Scene: SchemaEnum {
    package static var schemaPlace: Int { 1 }
}

extension WirePresentation.Animation: SchemaEnum {
    package static var schemaPlace: Int { 2 }
}

extension WirePageBinding.Scope: SchemaEnum {
    package static var schemaPlace: Int { 3 }
}

extension WirePreset.Name: SchemaEnum {
    package static var schemaPlace: Int { 4 }
}

extension WireInterruption.Kind: SchemaEnum {
    package static var schemaPlace: Int { 5 }
}

extension WireResumption.Kind: SchemaEnum {
    package static var schemaPlace: Int { 6 }
}

extension WireDisplayClock.Kind: SchemaEnum {
    package static var schemaPlace: Int { 7 }
}

extension WireOfferDefault.Choice: SchemaEnum {
    package static var schemaPlace: Int { 8 }
}

extension WireUndisplayed.Choice: SchemaEnum {
    package static var schemaPlace: Int { 9 }
}

extension WireRendererLost.Choice: SchemaEnum {
    package static var schemaPlace: Int { 10 }
}

extension WireOverflow.Choice: SchemaEnum {
    package static var schemaPlace: Int { 11 }
}

extension WireCause.Kind: SchemaEnum {
    package static var schemaPlace: Int { 12 }
}

extension WireClosed.Reason: SchemaEnum {
    package static var schemaPlace: Int { 13 }
}

extension WireRefused.Reason: SchemaEnum {
    package static var schemaPlace: Int { 14 }
}

extension WirePhase.Name: SchemaEnum {
    package static var schemaPlace: Int { 15 }
}

extension WirePolicySource.Name: SchemaEnum {
    package static var schemaPlace: Int { 16 }
}

extension WireCommand: SchemaMessage {
    package static var schemaPlace: Int { 0 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.producer = value.text
        case 2: self.sequence = value.uint64
        case 35: self.by = value.text
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 3: command = .show(try reader.readValue(in: text))
        case 4: command = .update(try reader.readValue(in: text))
        case 5: command = .dismiss(try reader.readValue(in: text))
        case 6: command = .advance(try reader.readValue(in: text))
        case 7: command = .clear(try reader.readValue(in: text))
        case 8: command = .suspend(try reader.readValue(in: text))
        case 9: command = .resume(try reader.readValue(in: text))
        case 10: command = .setPolicy(try reader.readValue(in: text))
        case 11: command = .setSession(try reader.readValue(in: text))
        case 12: command = .report(try reader.readValue(in: text))
        case 13: command = .answer(try reader.readValue(in: text))
        case 14: command = .lease(try reader.readValue(in: text))
        case 16: command = .page(try reader.readValue(in: text))
        case 17: command = .query(try reader.readValue(in: text))
        case 18: command = .unsetPolicy(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !producer.isEmpty { json.member(WireKeys.Command.producer, producer) }
        if sequence != 0 { json.member(WireKeys.Command.sequence, sequence) }
        if case .show(let value)? = command { json.member(WireKeys.Command.show, value) }
        if case .update(let value)? = command { json.member(WireKeys.Command.update, value) }
        if case .dismiss(let value)? = command { json.member(WireKeys.Command.dismiss, value) }
        if case .advance(let value)? = command { json.member(WireKeys.Command.advance, value) }
        if case .clear(let value)? = command { json.member(WireKeys.Command.clear, value) }
        if case .suspend(let value)? = command { json.member(WireKeys.Command.suspend, value) }
        if case .resume(let value)? = command { json.member(WireKeys.Command.resume, value) }
        if case .setPolicy(let value)? = command { json.member(WireKeys.Command.setPolicy, value) }
        if case .setSession(let value)? = command { json.member(WireKeys.Command.setSession, value) }
        if case .report(let value)? = command { json.member(WireKeys.Command.report, value) }
        if case .answer(let value)? = command { json.member(WireKeys.Command.answer, value) }
        if case .lease(let value)? = command { json.member(WireKeys.Command.lease, value) }
        if case .page(let value)? = command { json.member(WireKeys.Command.page, value) }
        if case .query(let value)? = command { json.member(WireKeys.Command.query, value) }
        if case .unsetPolicy(let value)? = command { json.member(WireKeys.Command.unsetPolicy, value) }
        if !by.isEmpty { json.member(WireKeys.Command.by, by) }
    }
}

extension WireBatch: SchemaMessage {
    package static var schemaPlace: Int { 1 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 15: commands.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !commands.isEmpty { json.member(WireKeys.Batch.commands, commands) }
    }
}

extension WirePopup: SchemaMessage {
    package static var schemaPlace: Int { 2 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.id = value.text
        case 2: self.group = value.text
        case 3: self.priority = value.int32
        case 4: self.durationMs = value.uint32
        case 5: self.ttlMs = value.uint32
        case 6: self.delayMs = value.uint32
        case 7: self.minDisplayMs = value.uint32
        case 8: self.exclusive = value.choice()
        case 9: self.collapseKey = value.text
        case 10: if value.isNone { clearInterruptible() } else { self.interruptible = value.flag }
        case 11: content = .text(value.text)
        case 12: content = .data(value.data)
        case 13: self.contentType = value.text
        case 15: clearPresentation()
        case 16: clearFlow()
        case 17: clearPage()
        case 18: self.session = value.text
        case 19: self.surface = value.text
        case 20: self.offerMs = value.uint32
        case 21: self.quorum = value.uint32
        case 22: self.quorumAll = value.flag
        case 23: self.capKey = value.text
        case 24: self.language = value.text
        case 32: if value.isNone { clearRemainingMs() } else { self.remainingMs = value.uint32 }
        case 33: self.attempt = value.uint32
        case 34: self.sinceRevision = value.uint64
        case 35: self.by = value.text
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 14: actions.append(try reader.readValue(in: text))
        case 15: presentation = try reader.readValue(in: text)
        case 16: flow = try reader.readValue(in: text)
        case 17: page = try reader.readValue(in: text)
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !id.isEmpty { json.member(WireKeys.Popup.id, id) }
        if !group.isEmpty { json.member(WireKeys.Popup.group, group) }
        if priority != 0 { json.member(WireKeys.Popup.priority, priority) }
        if durationMs != 0 { json.member(WireKeys.Popup.durationMs, durationMs) }
        if ttlMs != 0 { json.member(WireKeys.Popup.ttlMs, ttlMs) }
        if delayMs != 0 { json.member(WireKeys.Popup.delayMs, delayMs) }
        if minDisplayMs != 0 { json.member(WireKeys.Popup.minDisplayMs, minDisplayMs) }
        if exclusive.rawValue != 0 { json.member(WireKeys.Popup.exclusive, exclusive) }
        if !collapseKey.isEmpty { json.member(WireKeys.Popup.collapseKey, collapseKey) }
        if hasInterruptible { json.member(WireKeys.Popup.interruptible, interruptible) }
        if case .text(let value)? = content { json.member(WireKeys.Popup.text, value) }
        if case .data(let value)? = content { json.member(WireKeys.Popup.data, value) }
        if !contentType.isEmpty { json.member(WireKeys.Popup.contentType, contentType) }
        if !actions.isEmpty { json.member(WireKeys.Popup.actions, actions) }
        if hasPresentation { json.member(WireKeys.Popup.presentation, presentation) }
        if hasFlow { json.member(WireKeys.Popup.flow, flow) }
        if hasPage { json.member(WireKeys.Popup.page, page) }
        if !session.isEmpty { json.member(WireKeys.Popup.session, session) }
        if !surface.isEmpty { json.member(WireKeys.Popup.surface, surface) }
        if offerMs != 0 { json.member(WireKeys.Popup.offerMs, offerMs) }
        if quorum != 0 { json.member(WireKeys.Popup.quorum, quorum) }
        if quorumAll { json.member(WireKeys.Popup.quorumAll, quorumAll) }
        if !capKey.isEmpty { json.member(WireKeys.Popup.capKey, capKey) }
        if !language.isEmpty { json.member(WireKeys.Popup.language, language) }
        if hasRemainingMs { json.member(WireKeys.Popup.remainingMs, remainingMs) }
        if attempt != 0 { json.member(WireKeys.Popup.attempt, attempt) }
        if sinceRevision != 0 { json.member(WireKeys.Popup.sinceRevision, sinceRevision) }
        if !by.isEmpty { json.member(WireKeys.Popup.by, by) }
    }
}

extension WireAction: SchemaMessage {
    package static var schemaPlace: Int { 3 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.id = value.text
        case 2: self.label = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !id.isEmpty { json.member(WireKeys.Action.id, id) }
        if !label.isEmpty { json.member(WireKeys.Action.label, label) }
    }
}

extension WirePresentation: SchemaMessage {
    package static var schemaPlace: Int { 4 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.scene = value.choice()
        case 2: self.animation = value.choice()
        case 3: self.dismissOnOutside = value.flag
        case 4: self.countdown = value.flag
        case 5: self.backdrop = value.flag
        case 6: self.cornerRadius = value.uint32
        case 7: self.title = value.text
        case 8: self.icon = value.text
        case 9: self.style = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if scene.rawValue != 0 { json.member(WireKeys.Presentation.scene, scene) }
        if animation.rawValue != 0 { json.member(WireKeys.Presentation.animation, animation) }
        if dismissOnOutside { json.member(WireKeys.Presentation.dismissOnOutside, dismissOnOutside) }
        if countdown { json.member(WireKeys.Presentation.countdown, countdown) }
        if backdrop { json.member(WireKeys.Presentation.backdrop, backdrop) }
        if cornerRadius != 0 { json.member(WireKeys.Presentation.cornerRadius, cornerRadius) }
        if !title.isEmpty { json.member(WireKeys.Presentation.title, title) }
        if !icon.isEmpty { json.member(WireKeys.Presentation.icon, icon) }
        if !style.isEmpty { json.member(WireKeys.Presentation.style, style) }
    }
}

extension WireFlow: SchemaMessage {
    package static var schemaPlace: Int { 5 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.key = value.text
        case 2: self.stage = value.uint32
        case 3: clearRequires()
        case 4: self.holdMs = value.uint32
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 3: requires = try reader.readValue(in: text)
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !key.isEmpty { json.member(WireKeys.Flow.key, key) }
        if stage != 0 { json.member(WireKeys.Flow.stage, stage) }
        if hasRequires { json.member(WireKeys.Flow.requires, requires) }
        if holdMs != 0 { json.member(WireKeys.Flow.holdMs, holdMs) }
    }
}

extension WireRequirement: SchemaMessage {
    package static var schemaPlace: Int { 6 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.popup = value.text
        case 2: self.action = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !popup.isEmpty { json.member(WireKeys.Requirement.popup, popup) }
        if !action.isEmpty { json.member(WireKeys.Requirement.action, action) }
    }
}

extension WirePageBinding: SchemaMessage {
    package static var schemaPlace: Int { 7 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.tree = value.text
        case 2: self.value = value.text
        case 3: self.scope = value.choice()
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !tree.isEmpty { json.member(WireKeys.PageBinding.tree, tree) }
        if !value.isEmpty { json.member(WireKeys.PageBinding.value, value) }
        if scope.rawValue != 0 { json.member(WireKeys.PageBinding.scope, scope) }
    }
}

extension WireUpdate: SchemaMessage {
    package static var schemaPlace: Int { 8 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.id = value.text
        case 2: if value.isNone { clearPriority() } else { self.priority = value.int32 }
        case 3: if value.isNone { clearDurationMs() } else { self.durationMs = value.uint32 }
        case 4: self.restartTimer = value.flag
        case 5: content = .text(value.text)
        case 6: content = .data(value.data)
        case 7: if value.isNone { clearContentType() } else { self.contentType = value.text }
        case 9: clearPresentation()
        case 10: if value.isNone { clearInterruptible() } else { self.interruptible = value.flag }
        case 11: self.group = value.text
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 8: actions.append(try reader.readValue(in: text))
        case 9: presentation = try reader.readValue(in: text)
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !id.isEmpty { json.member(WireKeys.Update.id, id) }
        if hasPriority { json.member(WireKeys.Update.priority, priority) }
        if hasDurationMs { json.member(WireKeys.Update.durationMs, durationMs) }
        if restartTimer { json.member(WireKeys.Update.restartTimer, restartTimer) }
        if case .text(let value)? = content { json.member(WireKeys.Update.text, value) }
        if case .data(let value)? = content { json.member(WireKeys.Update.data, value) }
        if hasContentType { json.member(WireKeys.Update.contentType, contentType) }
        if !actions.isEmpty { json.member(WireKeys.Update.actions, actions) }
        if hasPresentation { json.member(WireKeys.Update.presentation, presentation) }
        if hasInterruptible { json.member(WireKeys.Update.interruptible, interruptible) }
        if !group.isEmpty { json.member(WireKeys.Update.group, group) }
    }
}

extension WireDismiss: SchemaMessage {
    package static var schemaPlace: Int { 9 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.id = value.text
        case 2: self.action = value.text
        case 3: if value.isNone { clearRevision() } else { self.revision = value.uint64 }
        case 4: self.client = value.text
        case 5: self.group = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !id.isEmpty { json.member(WireKeys.Dismiss.id, id) }
        if !action.isEmpty { json.member(WireKeys.Dismiss.action, action) }
        if hasRevision { json.member(WireKeys.Dismiss.revision, revision) }
        if !client.isEmpty { json.member(WireKeys.Dismiss.client, client) }
        if !group.isEmpty { json.member(WireKeys.Dismiss.group, group) }
    }
}

extension WireAdvance: SchemaMessage {
    package static var schemaPlace: Int { 10 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.group = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !group.isEmpty { json.member(WireKeys.Advance.group, group) }
    }
}

extension WireSelector: SchemaMessage {
    package static var schemaPlace: Int { 11 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.group = value.text
        case 2: self.surface = value.text
        case 3: self.collapseKey = value.text
        case 4: self.producer = value.text
        case 5: if value.isNone { clearPriorityBelow() } else { self.priorityBelow = value.int32 }
        case 6: if value.isNone { clearPriorityAbove() } else { self.priorityAbove = value.int32 }
        case 7: self.active = value.flag
        case 8: self.waiting = value.flag
        case 9: self.paused = value.flag
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !group.isEmpty { json.member(WireKeys.Selector.group, group) }
        if !surface.isEmpty { json.member(WireKeys.Selector.surface, surface) }
        if !collapseKey.isEmpty { json.member(WireKeys.Selector.collapseKey, collapseKey) }
        if !producer.isEmpty { json.member(WireKeys.Selector.producer, producer) }
        if hasPriorityBelow { json.member(WireKeys.Selector.priorityBelow, priorityBelow) }
        if hasPriorityAbove { json.member(WireKeys.Selector.priorityAbove, priorityAbove) }
        if active { json.member(WireKeys.Selector.active, active) }
        if waiting { json.member(WireKeys.Selector.waiting, waiting) }
        if paused { json.member(WireKeys.Selector.paused, paused) }
    }
}

extension WireClear: SchemaMessage {
    package static var schemaPlace: Int { 12 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: clearSelector()
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 1: selector = try reader.readValue(in: text)
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if hasSelector { json.member(WireKeys.Clear.selector, selector) }
    }
}

extension WireSuspend: SchemaMessage {
    package static var schemaPlace: Int { 13 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.group = value.text
        case 2: self.token = value.text
        case 3: if value.isNone { clearMinPriority() } else { self.minPriority = value.int32 }
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !group.isEmpty { json.member(WireKeys.Suspend.group, group) }
        if !token.isEmpty { json.member(WireKeys.Suspend.token, token) }
        if hasMinPriority { json.member(WireKeys.Suspend.minPriority, minPriority) }
    }
}

extension WireResume: SchemaMessage {
    package static var schemaPlace: Int { 14 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.token = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !token.isEmpty { json.member(WireKeys.Resume.token, token) }
    }
}

extension WireSetPolicy: SchemaMessage {
    package static var schemaPlace: Int { 15 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.group = value.text
        case 2: self.preset = value.choice()
        case 3: self.higher = value.choice()
        case 4: self.peers = value.choice()
        case 5: self.lower = value.choice()
        case 6: if value.isNone { clearIgnorePriority() } else { self.ignorePriority = value.flag }
        case 7: self.resume = value.choice()
        case 8: if value.isNone { clearGapMs() } else { self.gapMs = value.uint32 }
        case 9: if value.isNone { clearGapMinMs() } else { self.gapMinMs = value.uint32 }
        case 10: if value.isNone { clearGapMaxMs() } else { self.gapMaxMs = value.uint32 }
        case 11: if value.isNone { clearGatherMs() } else { self.gatherMs = value.uint32 }
        case 12: if value.isNone { clearDefaultDurationMs() } else { self.defaultDurationMs = value.uint32 }
        case 13: if value.isNone { clearMaxDurationMs() } else { self.maxDurationMs = value.uint32 }
        case 14: self.clock = value.choice()
        case 15: if value.isNone { clearOfferMs() } else { self.offerMs = value.uint32 }
        case 16: self.offerDefault = value.choice()
        case 17: if value.isNone { clearRetryMs() } else { self.retryMs = value.uint32 }
        case 18: if value.isNone { clearDisplayTimeoutMs() } else { self.displayTimeoutMs = value.uint32 }
        case 19: self.undisplayed = value.choice()
        case 20: self.rendererLost = value.choice()
        case 21: if value.isNone { clearMaxAttempts() } else { self.maxAttempts = value.uint32 }
        case 22: if value.isNone { clearQuorum() } else { self.quorum = value.uint32 }
        case 25: if value.isNone { clearMaxWaiting() } else { self.maxWaiting = value.uint32 }
        case 26: self.overflow = value.choice()
        case 27: if value.isNone { clearAgingMs() } else { self.agingMs = value.uint32 }
        case 28: if value.isNone { clearPageTree() } else { self.pageTree = value.text }
        case 29: if value.isNone { clearQuorumAll() } else { self.quorumAll = value.flag }
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 23: caps.append(try reader.readValue(in: text))
        case 24: quiet.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !group.isEmpty { json.member(WireKeys.SetPolicy.group, group) }
        if preset.rawValue != 0 { json.member(WireKeys.SetPolicy.preset, preset) }
        if higher.rawValue != 0 { json.member(WireKeys.SetPolicy.higher, higher) }
        if peers.rawValue != 0 { json.member(WireKeys.SetPolicy.peers, peers) }
        if lower.rawValue != 0 { json.member(WireKeys.SetPolicy.lower, lower) }
        if hasIgnorePriority { json.member(WireKeys.SetPolicy.ignorePriority, ignorePriority) }
        if resume.rawValue != 0 { json.member(WireKeys.SetPolicy.resume, resume) }
        if hasGapMs { json.member(WireKeys.SetPolicy.gapMs, gapMs) }
        if hasGapMinMs { json.member(WireKeys.SetPolicy.gapMinMs, gapMinMs) }
        if hasGapMaxMs { json.member(WireKeys.SetPolicy.gapMaxMs, gapMaxMs) }
        if hasGatherMs { json.member(WireKeys.SetPolicy.gatherMs, gatherMs) }
        if hasDefaultDurationMs { json.member(WireKeys.SetPolicy.defaultDurationMs, defaultDurationMs) }
        if hasMaxDurationMs { json.member(WireKeys.SetPolicy.maxDurationMs, maxDurationMs) }
        if clock.rawValue != 0 { json.member(WireKeys.SetPolicy.clock, clock) }
        if hasOfferMs { json.member(WireKeys.SetPolicy.offerMs, offerMs) }
        if offerDefault.rawValue != 0 { json.member(WireKeys.SetPolicy.offerDefault, offerDefault) }
        if hasRetryMs { json.member(WireKeys.SetPolicy.retryMs, retryMs) }
        if hasDisplayTimeoutMs { json.member(WireKeys.SetPolicy.displayTimeoutMs, displayTimeoutMs) }
        if undisplayed.rawValue != 0 { json.member(WireKeys.SetPolicy.undisplayed, undisplayed) }
        if rendererLost.rawValue != 0 { json.member(WireKeys.SetPolicy.rendererLost, rendererLost) }
        if hasMaxAttempts { json.member(WireKeys.SetPolicy.maxAttempts, maxAttempts) }
        if hasQuorum { json.member(WireKeys.SetPolicy.quorum, quorum) }
        if !caps.isEmpty { json.member(WireKeys.SetPolicy.caps, caps) }
        if !quiet.isEmpty { json.member(WireKeys.SetPolicy.quiet, quiet) }
        if hasMaxWaiting { json.member(WireKeys.SetPolicy.maxWaiting, maxWaiting) }
        if overflow.rawValue != 0 { json.member(WireKeys.SetPolicy.overflow, overflow) }
        if hasAgingMs { json.member(WireKeys.SetPolicy.agingMs, agingMs) }
        if hasPageTree { json.member(WireKeys.SetPolicy.pageTree, pageTree) }
        if hasQuorumAll { json.member(WireKeys.SetPolicy.quorumAll, quorumAll) }
    }
}

extension WireUnsetPolicy: SchemaMessage {
    package static var schemaPlace: Int { 16 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.group = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !group.isEmpty { json.member(WireKeys.UnsetPolicy.group, group) }
    }
}

extension WirePreset: SchemaMessage {
    package static var schemaPlace: Int { 17 }
}

extension WireInterruption: SchemaMessage {
    package static var schemaPlace: Int { 18 }
}

extension WireResumption: SchemaMessage {
    package static var schemaPlace: Int { 19 }
}

extension WireDisplayClock: SchemaMessage {
    package static var schemaPlace: Int { 20 }
}

extension WireOfferDefault: SchemaMessage {
    package static var schemaPlace: Int { 21 }
}

extension WireUndisplayed: SchemaMessage {
    package static var schemaPlace: Int { 22 }
}

extension WireRendererLost: SchemaMessage {
    package static var schemaPlace: Int { 23 }
}

extension WireOverflow: SchemaMessage {
    package static var schemaPlace: Int { 24 }
}

extension WireCap: SchemaMessage {
    package static var schemaPlace: Int { 25 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.capKey = value.text
        case 2: self.most = value.uint32
        case 3: self.perMs = value.uint32
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !capKey.isEmpty { json.member(WireKeys.Cap.capKey, capKey) }
        if most != 0 { json.member(WireKeys.Cap.most, most) }
        if perMs != 0 { json.member(WireKeys.Cap.perMs, perMs) }
    }
}

extension WireQuietWindow: SchemaMessage {
    package static var schemaPlace: Int { 26 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.from = value.text
        case 2: self.to = value.text
        case 3: self.timeZone = value.text
        case 4: if value.isNone { clearMinPriority() } else { self.minPriority = value.int32 }
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !from.isEmpty { json.member(WireKeys.QuietWindow.from, from) }
        if !to.isEmpty { json.member(WireKeys.QuietWindow.to, to) }
        if !timeZone.isEmpty { json.member(WireKeys.QuietWindow.timeZone, timeZone) }
        if hasMinPriority { json.member(WireKeys.QuietWindow.minPriority, minPriority) }
    }
}

extension WireSetSession: SchemaMessage {
    package static var schemaPlace: Int { 27 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.group = value.text
        case 2: self.session = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !group.isEmpty { json.member(WireKeys.SetSession.group, group) }
        if !session.isEmpty { json.member(WireKeys.SetSession.session, session) }
    }
}

extension WireReport: SchemaMessage {
    package static var schemaPlace: Int { 28 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.id = value.text
        case 2: self.client = value.text
        case 6: self.group = value.text
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 3: report = .displayed(try reader.readValue(in: text))
        case 4: report = .visible(try reader.readValue(in: text))
        case 5: report = .hidden(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !id.isEmpty { json.member(WireKeys.Report.id, id) }
        if !client.isEmpty { json.member(WireKeys.Report.client, client) }
        if case .displayed(let value)? = report { json.member(WireKeys.Report.displayed, value) }
        if case .visible(let value)? = report { json.member(WireKeys.Report.visible, value) }
        if case .hidden(let value)? = report { json.member(WireKeys.Report.hidden, value) }
        if !group.isEmpty { json.member(WireKeys.Report.group, group) }
    }
}

extension WireAnswer: SchemaMessage {
    package static var schemaPlace: Int { 29 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.id = value.text
        case 2: self.client = value.text
        case 6: self.group = value.text
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 3: answer = .accept(try reader.readValue(in: text))
        case 4: answer = .veto(try reader.readValue(in: text))
        case 5: answer = .later(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !id.isEmpty { json.member(WireKeys.Answer.id, id) }
        if !client.isEmpty { json.member(WireKeys.Answer.client, client) }
        if case .accept(let value)? = answer { json.member(WireKeys.Answer.accept, value) }
        if case .veto(let value)? = answer { json.member(WireKeys.Answer.veto, value) }
        if case .later(let value)? = answer { json.member(WireKeys.Answer.later, value) }
        if !group.isEmpty { json.member(WireKeys.Answer.group, group) }
    }
}

extension WireLater: SchemaMessage {
    package static var schemaPlace: Int { 30 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: if value.isNone { clearRetryMs() } else { self.retryMs = value.uint32 }
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if hasRetryMs { json.member(WireKeys.Later.retryMs, retryMs) }
    }
}

extension WireEmpty: SchemaMessage {
    package static var schemaPlace: Int { 31 }
}

extension WireLease: SchemaMessage {
    package static var schemaPlace: Int { 32 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.client = value.text
        case 2: self.groups.append(value.text)
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !client.isEmpty { json.member(WireKeys.Lease.client, client) }
        if !groups.isEmpty { json.member(WireKeys.Lease.groups, groups) }
    }
}

extension WirePage: SchemaMessage {
    package static var schemaPlace: Int { 33 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.tree = value.text
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 2: page = .open(try reader.readValue(in: text))
        case 3: page = .enter(try reader.readValue(in: text))
        case 4: page = .close(try reader.readValue(in: text))
        case 5: page = .clear(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !tree.isEmpty { json.member(WireKeys.Page.tree, tree) }
        if case .open(let value)? = page { json.member(WireKeys.Page.open, value) }
        if case .enter(let value)? = page { json.member(WireKeys.Page.enter, value) }
        if case .close(let value)? = page { json.member(WireKeys.Page.close, value) }
        if case .clear(let value)? = page { json.member(WireKeys.Page.clear, value) }
    }
}

extension WireOpenPage: SchemaMessage {
    package static var schemaPlace: Int { 34 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.node = value.text
        case 2: self.parent = value.text
        case 3: self.value = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !node.isEmpty { json.member(WireKeys.OpenPage.node, node) }
        if !parent.isEmpty { json.member(WireKeys.OpenPage.parent, parent) }
        if !value.isEmpty { json.member(WireKeys.OpenPage.value, value) }
    }
}

extension WirePageNode: SchemaMessage {
    package static var schemaPlace: Int { 35 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.node = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !node.isEmpty { json.member(WireKeys.PageNode.node, node) }
    }
}

extension WireQuery: SchemaMessage {
    package static var schemaPlace: Int { 36 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.client = value.text
        case 2: self.nonce = value.text
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 3: query = .list(try reader.readValue(in: text))
        case 4: query = .count(try reader.readValue(in: text))
        case 5: query = .peek(try reader.readValue(in: text))
        case 6: query = .explain(try reader.readValue(in: text))
        case 7: query = .path(try reader.readValue(in: text))
        case 8: query = .stats(try reader.readValue(in: text))
        case 9: query = .whoami(try reader.readValue(in: text))
        case 10: query = .policies(try reader.readValue(in: text))
        case 11: query = .history(try reader.readValue(in: text))
        case 12: query = .groups(try reader.readValue(in: text))
        case 13: query = .suspensions(try reader.readValue(in: text))
        case 14: query = .renderers(try reader.readValue(in: text))
        case 15: query = .producers(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !client.isEmpty { json.member(WireKeys.Query.client, client) }
        if !nonce.isEmpty { json.member(WireKeys.Query.nonce, nonce) }
        if case .list(let value)? = query { json.member(WireKeys.Query.list, value) }
        if case .count(let value)? = query { json.member(WireKeys.Query.count, value) }
        if case .peek(let value)? = query { json.member(WireKeys.Query.peek, value) }
        if case .explain(let value)? = query { json.member(WireKeys.Query.explain, value) }
        if case .path(let value)? = query { json.member(WireKeys.Query.path, value) }
        if case .stats(let value)? = query { json.member(WireKeys.Query.stats, value) }
        if case .whoami(let value)? = query { json.member(WireKeys.Query.whoami, value) }
        if case .policies(let value)? = query { json.member(WireKeys.Query.policies, value) }
        if case .history(let value)? = query { json.member(WireKeys.Query.history, value) }
        if case .groups(let value)? = query { json.member(WireKeys.Query.groups, value) }
        if case .suspensions(let value)? = query { json.member(WireKeys.Query.suspensions, value) }
        if case .renderers(let value)? = query { json.member(WireKeys.Query.renderers, value) }
        if case .producers(let value)? = query { json.member(WireKeys.Query.producers, value) }
    }
}

extension WireListQuery: SchemaMessage {
    package static var schemaPlace: Int { 37 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: clearSelector()
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 1: selector = try reader.readValue(in: text)
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if hasSelector { json.member(WireKeys.ListQuery.selector, selector) }
    }
}

extension WireCountQuery: SchemaMessage {
    package static var schemaPlace: Int { 38 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: clearSelector()
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 1: selector = try reader.readValue(in: text)
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if hasSelector { json.member(WireKeys.CountQuery.selector, selector) }
    }
}

extension WirePeekQuery: SchemaMessage {
    package static var schemaPlace: Int { 39 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.group = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !group.isEmpty { json.member(WireKeys.PeekQuery.group, group) }
    }
}

extension WireExplainQuery: SchemaMessage {
    package static var schemaPlace: Int { 40 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.id = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !id.isEmpty { json.member(WireKeys.ExplainQuery.id, id) }
    }
}

extension WirePathQuery: SchemaMessage {
    package static var schemaPlace: Int { 41 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.tree = value.text
        case 2: self.node = value.text
        case 3: if value.isNone { clearExcept() } else { self.except = value.text }
        case 4: self.separator = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !tree.isEmpty { json.member(WireKeys.PathQuery.tree, tree) }
        if !node.isEmpty { json.member(WireKeys.PathQuery.node, node) }
        if hasExcept { json.member(WireKeys.PathQuery.except, except) }
        if !separator.isEmpty { json.member(WireKeys.PathQuery.separator, separator) }
    }
}

extension WireStatsQuery: SchemaMessage {
    package static var schemaPlace: Int { 42 }
}

extension WireWhoamiQuery: SchemaMessage {
    package static var schemaPlace: Int { 43 }
}

extension WirePoliciesQuery: SchemaMessage {
    package static var schemaPlace: Int { 44 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.group = value.text
        case 2: self.after = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !group.isEmpty { json.member(WireKeys.PoliciesQuery.group, group) }
        if !after.isEmpty { json.member(WireKeys.PoliciesQuery.after, after) }
    }
}

extension WireHistoryQuery: SchemaMessage {
    package static var schemaPlace: Int { 45 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.group = value.text
        case 2: self.limit = value.uint32
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !group.isEmpty { json.member(WireKeys.HistoryQuery.group, group) }
        if limit != 0 { json.member(WireKeys.HistoryQuery.limit, limit) }
    }
}

extension WireGroupsQuery: SchemaMessage {
    package static var schemaPlace: Int { 46 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.group = value.text
        case 2: self.after = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !group.isEmpty { json.member(WireKeys.GroupsQuery.group, group) }
        if !after.isEmpty { json.member(WireKeys.GroupsQuery.after, after) }
    }
}

extension WireSuspensionsQuery: SchemaMessage {
    package static var schemaPlace: Int { 47 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.group = value.text
        case 2: self.after = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !group.isEmpty { json.member(WireKeys.SuspensionsQuery.group, group) }
        if !after.isEmpty { json.member(WireKeys.SuspensionsQuery.after, after) }
    }
}

extension WireRenderersQuery: SchemaMessage {
    package static var schemaPlace: Int { 48 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.group = value.text
        case 2: self.after = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !group.isEmpty { json.member(WireKeys.RenderersQuery.group, group) }
        if !after.isEmpty { json.member(WireKeys.RenderersQuery.after, after) }
    }
}

extension WireProducersQuery: SchemaMessage {
    package static var schemaPlace: Int { 49 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.producer = value.text
        case 2: if value.isNone { clearAfter() } else { self.after = value.text }
        case 3: self.limit = value.uint32
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !producer.isEmpty { json.member(WireKeys.ProducersQuery.producer, producer) }
        if hasAfter { json.member(WireKeys.ProducersQuery.after, after) }
        if limit != 0 { json.member(WireKeys.ProducersQuery.limit, limit) }
    }
}

extension WireGroupState: SchemaMessage {
    package static var schemaPlace: Int { 50 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.epoch = value.uint64
        case 2: self.group = value.text
        case 3: self.revision = value.uint64
        case 4: clearActive()
        case 5: self.waiting = value.uint32
        case 6: clearCause()
        case 7: self.offered = value.flag
        case 8: self.paused = value.uint32
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 4: active = try reader.readValue(in: text)
        case 6: cause = try reader.readValue(in: text)
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if epoch != 0 { json.member(WireKeys.GroupState.epoch, epoch) }
        if !group.isEmpty { json.member(WireKeys.GroupState.group, group) }
        if revision != 0 { json.member(WireKeys.GroupState.revision, revision) }
        if hasActive { json.member(WireKeys.GroupState.active, active) }
        if waiting != 0 { json.member(WireKeys.GroupState.waiting, waiting) }
        if hasCause { json.member(WireKeys.GroupState.cause, cause) }
        if offered { json.member(WireKeys.GroupState.offered, offered) }
        if paused != 0 { json.member(WireKeys.GroupState.paused, paused) }
    }
}

extension WireCause: SchemaMessage {
    package static var schemaPlace: Int { 51 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.kind = value.choice()
        case 2: self.popup = value.text
        case 3: self.reason = value.choice()
        case 4: self.action = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if kind.rawValue != 0 { json.member(WireKeys.Cause.kind, kind) }
        if !popup.isEmpty { json.member(WireKeys.Cause.popup, popup) }
        if reason.rawValue != 0 { json.member(WireKeys.Cause.reason, reason) }
        if !action.isEmpty { json.member(WireKeys.Cause.action, action) }
    }
}

extension WireFeed: SchemaMessage {
    package static var schemaPlace: Int { 52 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 1: states.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !states.isEmpty { json.member(WireKeys.Feed.states, states) }
    }
}

extension WireEvent: SchemaMessage {
    package static var schemaPlace: Int { 53 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.group = value.text
        case 2: self.popup = value.text
        case 3: self.revision = value.uint64
        case 4: self.time = value.uint64
        case 5: self.path.append(value.text)
        case 14: self.by = value.text
        case 15: self.epoch = value.uint64
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 6: event = .queued(try reader.readValue(in: text))
        case 7: event = .offered(try reader.readValue(in: text))
        case 8: event = .shown(try reader.readValue(in: text))
        case 9: event = .paused(try reader.readValue(in: text))
        case 10: event = .resumed(try reader.readValue(in: text))
        case 11: event = .updated(try reader.readValue(in: text))
        case 12: event = .closed(try reader.readValue(in: text))
        case 13: event = .refused(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !group.isEmpty { json.member(WireKeys.Event.group, group) }
        if !popup.isEmpty { json.member(WireKeys.Event.popup, popup) }
        if revision != 0 { json.member(WireKeys.Event.revision, revision) }
        if time != 0 { json.member(WireKeys.Event.time, time) }
        if !path.isEmpty { json.member(WireKeys.Event.path, path) }
        if case .queued(let value)? = event { json.member(WireKeys.Event.queued, value) }
        if case .offered(let value)? = event { json.member(WireKeys.Event.offered, value) }
        if case .shown(let value)? = event { json.member(WireKeys.Event.shown, value) }
        if case .paused(let value)? = event { json.member(WireKeys.Event.paused, value) }
        if case .resumed(let value)? = event { json.member(WireKeys.Event.resumed, value) }
        if case .updated(let value)? = event { json.member(WireKeys.Event.updated, value) }
        if case .closed(let value)? = event { json.member(WireKeys.Event.closed, value) }
        if case .refused(let value)? = event { json.member(WireKeys.Event.refused, value) }
        if !by.isEmpty { json.member(WireKeys.Event.by, by) }
        if epoch != 0 { json.member(WireKeys.Event.epoch, epoch) }
    }
}

extension WireQueued: SchemaMessage {
    package static var schemaPlace: Int { 54 }
}

extension WireOffered: SchemaMessage {
    package static var schemaPlace: Int { 55 }
}

extension WireShown: SchemaMessage {
    package static var schemaPlace: Int { 56 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.attempt = value.uint32
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if attempt != 0 { json.member(WireKeys.Shown.attempt, attempt) }
    }
}

extension WirePaused: SchemaMessage {
    package static var schemaPlace: Int { 57 }
}

extension WireResumed: SchemaMessage {
    package static var schemaPlace: Int { 58 }
}

extension WireUpdated: SchemaMessage {
    package static var schemaPlace: Int { 59 }
}

extension WireClosed: SchemaMessage {
    package static var schemaPlace: Int { 60 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.reason = value.choice()
        case 2: self.action = value.text
        case 3: self.displayedMs = value.uint32
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if reason.rawValue != 0 { json.member(WireKeys.Closed.reason, reason) }
        if !action.isEmpty { json.member(WireKeys.Closed.action, action) }
        if displayedMs != 0 { json.member(WireKeys.Closed.displayedMs, displayedMs) }
    }
}

extension WireRefused: SchemaMessage {
    package static var schemaPlace: Int { 61 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.reason = value.choice()
        case 2: self.detail = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if reason.rawValue != 0 { json.member(WireKeys.Refused.reason, reason) }
        if !detail.isEmpty { json.member(WireKeys.Refused.detail, detail) }
    }
}

extension WireHeartbeat: SchemaMessage {
    package static var schemaPlace: Int { 62 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.epoch = value.uint64
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 2: groups.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if epoch != 0 { json.member(WireKeys.Heartbeat.epoch, epoch) }
        if !groups.isEmpty { json.member(WireKeys.Heartbeat.groups, groups) }
    }
}

extension WireGroupRevision: SchemaMessage {
    package static var schemaPlace: Int { 63 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.group = value.text
        case 2: self.revision = value.uint64
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !group.isEmpty { json.member(WireKeys.GroupRevision.group, group) }
        if revision != 0 { json.member(WireKeys.GroupRevision.revision, revision) }
    }
}

extension WireAck: SchemaMessage {
    package static var schemaPlace: Int { 64 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.epoch = value.uint64
        case 2: self.cumulative = value.uint64
        case 3: self.selective = value.data
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 4: refusals.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if epoch != 0 { json.member(WireKeys.Ack.epoch, epoch) }
        if cumulative != 0 { json.member(WireKeys.Ack.cumulative, cumulative) }
        if !selective.isEmpty { json.member(WireKeys.Ack.selective, selective) }
        if !refusals.isEmpty { json.member(WireKeys.Ack.refusals, refusals) }
    }
}

extension WireRefusal: SchemaMessage {
    package static var schemaPlace: Int { 65 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.sequence = value.uint64
        case 2: self.reason = value.choice()
        case 3: self.retryAfterMs = value.uint32
        case 4: self.detail = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if sequence != 0 { json.member(WireKeys.Refusal.sequence, sequence) }
        if reason.rawValue != 0 { json.member(WireKeys.Refusal.reason, reason) }
        if retryAfterMs != 0 { json.member(WireKeys.Refusal.retryAfterMs, retryAfterMs) }
        if !detail.isEmpty { json.member(WireKeys.Refusal.detail, detail) }
    }
}

extension WireSync: SchemaMessage {
    package static var schemaPlace: Int { 66 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 2: clearEnd()
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 1: states.append(try reader.readValue(in: text))
        case 2: end = try reader.readValue(in: text)
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !states.isEmpty { json.member(WireKeys.Sync.states, states) }
        if hasEnd { json.member(WireKeys.Sync.end, end) }
    }
}

extension WireSyncEnd: SchemaMessage {
    package static var schemaPlace: Int { 67 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.epoch = value.uint64
        case 2: self.states = value.uint64
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if epoch != 0 { json.member(WireKeys.SyncEnd.epoch, epoch) }
        if states != 0 { json.member(WireKeys.SyncEnd.states, states) }
    }
}

extension WireReply: SchemaMessage {
    package static var schemaPlace: Int { 68 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.client = value.text
        case 2: self.nonce = value.text
        case 3: clearReply()
        case 4: self.epoch = value.uint64
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 3: reply = try reader.readValue(in: text)
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !client.isEmpty { json.member(WireKeys.Reply.client, client) }
        if !nonce.isEmpty { json.member(WireKeys.Reply.nonce, nonce) }
        if hasReply { json.member(WireKeys.Reply.reply, reply) }
        if epoch != 0 { json.member(WireKeys.Reply.epoch, epoch) }
    }
}

extension WireResult: SchemaMessage {
    package static var schemaPlace: Int { 69 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 1: result = .list(try reader.readValue(in: text))
        case 2: result = .count(try reader.readValue(in: text))
        case 3: result = .peek(try reader.readValue(in: text))
        case 4: result = .explain(try reader.readValue(in: text))
        case 5: result = .path(try reader.readValue(in: text))
        case 6: result = .stats(try reader.readValue(in: text))
        case 7: result = .refused(try reader.readValue(in: text))
        case 8: result = .whoami(try reader.readValue(in: text))
        case 9: result = .policies(try reader.readValue(in: text))
        case 10: result = .history(try reader.readValue(in: text))
        case 11: result = .groups(try reader.readValue(in: text))
        case 12: result = .suspensions(try reader.readValue(in: text))
        case 13: result = .renderers(try reader.readValue(in: text))
        case 14: result = .producers(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if case .list(let value)? = result { json.member(WireKeys.Result.list, value) }
        if case .count(let value)? = result { json.member(WireKeys.Result.count, value) }
        if case .peek(let value)? = result { json.member(WireKeys.Result.peek, value) }
        if case .explain(let value)? = result { json.member(WireKeys.Result.explain, value) }
        if case .path(let value)? = result { json.member(WireKeys.Result.path, value) }
        if case .stats(let value)? = result { json.member(WireKeys.Result.stats, value) }
        if case .refused(let value)? = result { json.member(WireKeys.Result.refused, value) }
        if case .whoami(let value)? = result { json.member(WireKeys.Result.whoami, value) }
        if case .policies(let value)? = result { json.member(WireKeys.Result.policies, value) }
        if case .history(let value)? = result { json.member(WireKeys.Result.history, value) }
        if case .groups(let value)? = result { json.member(WireKeys.Result.groups, value) }
        if case .suspensions(let value)? = result { json.member(WireKeys.Result.suspensions, value) }
        if case .renderers(let value)? = result { json.member(WireKeys.Result.renderers, value) }
        if case .producers(let value)? = result { json.member(WireKeys.Result.producers, value) }
    }
}

extension WirePopupSummary: SchemaMessage {
    package static var schemaPlace: Int { 70 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.id = value.text
        case 2: self.group = value.text
        case 3: self.priority = value.int32
        case 4: self.phase = value.choice()
        case 5: self.surface = value.text
        case 6: self.collapseKey = value.text
        case 7: self.producer = value.text
        case 8: self.attempt = value.uint32
        case 9: if value.isNone { clearRemainingMs() } else { self.remainingMs = value.uint32 }
        case 10: self.delayMs = value.uint32
        case 11: self.by = value.text
        case 12: self.title = value.text
        case 13: self.excerpt = value.text
        case 14: if value.isNone { clearExpiresMs() } else { self.expiresMs = value.uint32 }
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !id.isEmpty { json.member(WireKeys.PopupSummary.id, id) }
        if !group.isEmpty { json.member(WireKeys.PopupSummary.group, group) }
        if priority != 0 { json.member(WireKeys.PopupSummary.priority, priority) }
        if phase.rawValue != 0 { json.member(WireKeys.PopupSummary.phase, phase) }
        if !surface.isEmpty { json.member(WireKeys.PopupSummary.surface, surface) }
        if !collapseKey.isEmpty { json.member(WireKeys.PopupSummary.collapseKey, collapseKey) }
        if !producer.isEmpty { json.member(WireKeys.PopupSummary.producer, producer) }
        if attempt != 0 { json.member(WireKeys.PopupSummary.attempt, attempt) }
        if hasRemainingMs { json.member(WireKeys.PopupSummary.remainingMs, remainingMs) }
        if delayMs != 0 { json.member(WireKeys.PopupSummary.delayMs, delayMs) }
        if !by.isEmpty { json.member(WireKeys.PopupSummary.by, by) }
        if !title.isEmpty { json.member(WireKeys.PopupSummary.title, title) }
        if !excerpt.isEmpty { json.member(WireKeys.PopupSummary.excerpt, excerpt) }
        if hasExpiresMs { json.member(WireKeys.PopupSummary.expiresMs, expiresMs) }
    }
}

extension WirePhase: SchemaMessage {
    package static var schemaPlace: Int { 71 }
}

extension WireListResult: SchemaMessage {
    package static var schemaPlace: Int { 72 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 2: self.truncated = value.flag
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 1: popups.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !popups.isEmpty { json.member(WireKeys.ListResult.popups, popups) }
        if truncated { json.member(WireKeys.ListResult.truncated, truncated) }
    }
}

extension WireCountResult: SchemaMessage {
    package static var schemaPlace: Int { 73 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.popups = value.uint32
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if popups != 0 { json.member(WireKeys.CountResult.popups, popups) }
    }
}

extension WirePeekResult: SchemaMessage {
    package static var schemaPlace: Int { 74 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 2: self.truncated = value.flag
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 1: popups.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !popups.isEmpty { json.member(WireKeys.PeekResult.popups, popups) }
        if truncated { json.member(WireKeys.PeekResult.truncated, truncated) }
    }
}

extension WireExplainResult: SchemaMessage {
    package static var schemaPlace: Int { 75 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.id = value.text
        case 2: self.phase = value.choice()
        case 3: self.rule = value.text
        case 4: self.blockers.append(value.text)
        case 5: self.text = value.text
        case 6: clearClosed()
        case 7: self.group = value.text
        case 8: self.by = value.text
        case 9: self.closedAt = value.uint64
        case 10: if value.isNone { clearRemainingMs() } else { self.remainingMs = value.uint32 }
        case 11: self.ahead = value.uint32
        case 12: clearRequirement()
        case 13: clearCap()
        case 14: clearPage()
        case 15: self.session = value.text
        case 17: self.user = value.text
        case 18: self.title = value.text
        case 19: self.excerpt = value.text
        case 20: if value.isNone { clearExpiresMs() } else { self.expiresMs = value.uint32 }
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 6: closed = try reader.readValue(in: text)
        case 12: requirement = try reader.readValue(in: text)
        case 13: cap = try reader.readValue(in: text)
        case 14: page = try reader.readValue(in: text)
        case 16: rules.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !id.isEmpty { json.member(WireKeys.ExplainResult.id, id) }
        if phase.rawValue != 0 { json.member(WireKeys.ExplainResult.phase, phase) }
        if !rule.isEmpty { json.member(WireKeys.ExplainResult.rule, rule) }
        if !blockers.isEmpty { json.member(WireKeys.ExplainResult.blockers, blockers) }
        if !text.isEmpty { json.member(WireKeys.ExplainResult.text, text) }
        if hasClosed { json.member(WireKeys.ExplainResult.closed, closed) }
        if !group.isEmpty { json.member(WireKeys.ExplainResult.group, group) }
        if !by.isEmpty { json.member(WireKeys.ExplainResult.by, by) }
        if closedAt != 0 { json.member(WireKeys.ExplainResult.closedAt, closedAt) }
        if hasRemainingMs { json.member(WireKeys.ExplainResult.remainingMs, remainingMs) }
        if ahead != 0 { json.member(WireKeys.ExplainResult.ahead, ahead) }
        if hasRequirement { json.member(WireKeys.ExplainResult.requirement, requirement) }
        if hasCap { json.member(WireKeys.ExplainResult.cap, cap) }
        if hasPage { json.member(WireKeys.ExplainResult.page, page) }
        if !session.isEmpty { json.member(WireKeys.ExplainResult.session, session) }
        if !rules.isEmpty { json.member(WireKeys.ExplainResult.rules, rules) }
        if !user.isEmpty { json.member(WireKeys.ExplainResult.user, user) }
        if !title.isEmpty { json.member(WireKeys.ExplainResult.title, title) }
        if !excerpt.isEmpty { json.member(WireKeys.ExplainResult.excerpt, excerpt) }
        if hasExpiresMs { json.member(WireKeys.ExplainResult.expiresMs, expiresMs) }
    }
}

extension WireHoldingRule: SchemaMessage {
    package static var schemaPlace: Int { 76 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.rule = value.text
        case 2: self.blockers.append(value.text)
        case 3: self.text = value.text
        case 4: if value.isNone { clearRemainingMs() } else { self.remainingMs = value.uint32 }
        case 5: self.ahead = value.uint32
        case 6: clearRequirement()
        case 7: clearCap()
        case 8: clearPage()
        case 9: self.session = value.text
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 6: requirement = try reader.readValue(in: text)
        case 7: cap = try reader.readValue(in: text)
        case 8: page = try reader.readValue(in: text)
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !rule.isEmpty { json.member(WireKeys.HoldingRule.rule, rule) }
        if !blockers.isEmpty { json.member(WireKeys.HoldingRule.blockers, blockers) }
        if !text.isEmpty { json.member(WireKeys.HoldingRule.text, text) }
        if hasRemainingMs { json.member(WireKeys.HoldingRule.remainingMs, remainingMs) }
        if ahead != 0 { json.member(WireKeys.HoldingRule.ahead, ahead) }
        if hasRequirement { json.member(WireKeys.HoldingRule.requirement, requirement) }
        if hasCap { json.member(WireKeys.HoldingRule.cap, cap) }
        if hasPage { json.member(WireKeys.HoldingRule.page, page) }
        if !session.isEmpty { json.member(WireKeys.HoldingRule.session, session) }
    }
}

extension WirePathResult: SchemaMessage {
    package static var schemaPlace: Int { 77 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.values.append(value.text)
        case 2: self.joined = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !values.isEmpty { json.member(WireKeys.PathResult.values, values) }
        if !joined.isEmpty { json.member(WireKeys.PathResult.joined, joined) }
    }
}

extension WireStatsResult: SchemaMessage {
    package static var schemaPlace: Int { 78 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.epoch = value.uint64
        case 2: self.`protocol` = value.uint32
        case 3: self.version = value.text
        case 4: self.uptimeMs = value.uint64
        case 5: self.groups = value.uint64
        case 6: self.popups = value.uint64
        case 7: self.remembered = value.uint64
        case 8: self.commands = value.uint64
        case 9: self.refused = value.uint64
        case 10: self.events = value.uint64
        case 11: self.batches = value.uint64
        case 12: self.subscriptions = value.uint64
        case 13: self.producers = value.uint64
        case 14: self.repetitions = value.uint64
        case 15: self.sequencesReused = value.uint64
        case 16: self.connectionsCut = value.uint64
        case 17: self.rememberedWindowMs = value.uint64
        case 18: clearTurns()
        case 19: self.lateReports = value.uint64
        case 20: self.journalFindings = value.uint64
        case 22: self.waiting = value.uint64
        case 23: self.paused = value.uint64
        case 24: self.renderers = value.uint64
        case 29: clearCommitTimes()
        case 30: clearWaitingTimes()
        case 31: clearTimerLateness()
        case 33: if value.isNone { clearJournalBytes() } else { self.journalBytes = value.uint64 }
        case 34: self.snapshots = value.uint64
        case 35: if value.isNone { clearLastSnapshotAt() } else { self.lastSnapshotAt = value.uint64 }
        case 36: self.slowSubscribers = value.uint64
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 18: turns = try reader.readValue(in: text)
        case 21: denied.append(try reader.readValue(in: text))
        case 25: commandsByKind.append(try reader.readValue(in: text))
        case 26: eventsByKind.append(try reader.readValue(in: text))
        case 27: closed.append(try reader.readValue(in: text))
        case 28: refusedByReason.append(try reader.readValue(in: text))
        case 29: commitTimes = try reader.readValue(in: text)
        case 30: waitingTimes = try reader.readValue(in: text)
        case 31: timerLateness = try reader.readValue(in: text)
        case 32: limits.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if epoch != 0 { json.member(WireKeys.StatsResult.epoch, epoch) }
        if `protocol` != 0 { json.member(WireKeys.StatsResult.`protocol`, `protocol`) }
        if !version.isEmpty { json.member(WireKeys.StatsResult.version, version) }
        if uptimeMs != 0 { json.member(WireKeys.StatsResult.uptimeMs, uptimeMs) }
        if groups != 0 { json.member(WireKeys.StatsResult.groups, groups) }
        if popups != 0 { json.member(WireKeys.StatsResult.popups, popups) }
        if remembered != 0 { json.member(WireKeys.StatsResult.remembered, remembered) }
        if commands != 0 { json.member(WireKeys.StatsResult.commands, commands) }
        if refused != 0 { json.member(WireKeys.StatsResult.refused, refused) }
        if events != 0 { json.member(WireKeys.StatsResult.events, events) }
        if batches != 0 { json.member(WireKeys.StatsResult.batches, batches) }
        if subscriptions != 0 { json.member(WireKeys.StatsResult.subscriptions, subscriptions) }
        if producers != 0 { json.member(WireKeys.StatsResult.producers, producers) }
        if repetitions != 0 { json.member(WireKeys.StatsResult.repetitions, repetitions) }
        if sequencesReused != 0 { json.member(WireKeys.StatsResult.sequencesReused, sequencesReused) }
        if connectionsCut != 0 { json.member(WireKeys.StatsResult.connectionsCut, connectionsCut) }
        if rememberedWindowMs != 0 { json.member(WireKeys.StatsResult.rememberedWindowMs, rememberedWindowMs) }
        if hasTurns { json.member(WireKeys.StatsResult.turns, turns) }
        if lateReports != 0 { json.member(WireKeys.StatsResult.lateReports, lateReports) }
        if journalFindings != 0 { json.member(WireKeys.StatsResult.journalFindings, journalFindings) }
        if !denied.isEmpty { json.member(WireKeys.StatsResult.denied, denied) }
        if waiting != 0 { json.member(WireKeys.StatsResult.waiting, waiting) }
        if paused != 0 { json.member(WireKeys.StatsResult.paused, paused) }
        if renderers != 0 { json.member(WireKeys.StatsResult.renderers, renderers) }
        if !commandsByKind.isEmpty { json.member(WireKeys.StatsResult.commandsByKind, commandsByKind) }
        if !eventsByKind.isEmpty { json.member(WireKeys.StatsResult.eventsByKind, eventsByKind) }
        if !closed.isEmpty { json.member(WireKeys.StatsResult.closed, closed) }
        if !refusedByReason.isEmpty { json.member(WireKeys.StatsResult.refusedByReason, refusedByReason) }
        if hasCommitTimes { json.member(WireKeys.StatsResult.commitTimes, commitTimes) }
        if hasWaitingTimes { json.member(WireKeys.StatsResult.waitingTimes, waitingTimes) }
        if hasTimerLateness { json.member(WireKeys.StatsResult.timerLateness, timerLateness) }
        if !limits.isEmpty { json.member(WireKeys.StatsResult.limits, limits) }
        if hasJournalBytes { json.member(WireKeys.StatsResult.journalBytes, journalBytes) }
        if snapshots != 0 { json.member(WireKeys.StatsResult.snapshots, snapshots) }
        if hasLastSnapshotAt { json.member(WireKeys.StatsResult.lastSnapshotAt, lastSnapshotAt) }
        if slowSubscribers != 0 { json.member(WireKeys.StatsResult.slowSubscribers, slowSubscribers) }
    }
}

extension WireCommandCount: SchemaMessage {
    package static var schemaPlace: Int { 79 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.kind = value.text
        case 2: self.count = value.uint64
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !kind.isEmpty { json.member(WireKeys.CommandCount.kind, kind) }
        if count != 0 { json.member(WireKeys.CommandCount.count, count) }
    }
}

extension WireEventCount: SchemaMessage {
    package static var schemaPlace: Int { 80 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.kind = value.text
        case 2: self.count = value.uint64
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !kind.isEmpty { json.member(WireKeys.EventCount.kind, kind) }
        if count != 0 { json.member(WireKeys.EventCount.count, count) }
    }
}

extension WireClosedCount: SchemaMessage {
    package static var schemaPlace: Int { 81 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.reason = value.choice()
        case 2: self.count = value.uint64
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if reason.rawValue != 0 { json.member(WireKeys.ClosedCount.reason, reason) }
        if count != 0 { json.member(WireKeys.ClosedCount.count, count) }
    }
}

extension WireRefusedCount: SchemaMessage {
    package static var schemaPlace: Int { 82 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.reason = value.choice()
        case 2: self.count = value.uint64
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if reason.rawValue != 0 { json.member(WireKeys.RefusedCount.reason, reason) }
        if count != 0 { json.member(WireKeys.RefusedCount.count, count) }
    }
}

extension WireHistogram: SchemaMessage {
    package static var schemaPlace: Int { 83 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 2: self.count = value.uint64
        case 3: self.sumUs = value.uint64
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 1: buckets.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !buckets.isEmpty { json.member(WireKeys.Histogram.buckets, buckets) }
        if count != 0 { json.member(WireKeys.Histogram.count, count) }
        if sumUs != 0 { json.member(WireKeys.Histogram.sumUs, sumUs) }
    }
}

extension WireHistogramBucket: SchemaMessage {
    package static var schemaPlace: Int { 84 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: if value.isNone { clearUpToUs() } else { self.upToUs = value.uint64 }
        case 2: self.count = value.uint64
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if hasUpToUs { json.member(WireKeys.HistogramBucket.upToUs, upToUs) }
        if count != 0 { json.member(WireKeys.HistogramBucket.count, count) }
    }
}

extension WireLimitUse: SchemaMessage {
    package static var schemaPlace: Int { 85 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.limit = value.text
        case 2: self.used = value.uint64
        case 3: self.most = value.uint64
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !limit.isEmpty { json.member(WireKeys.LimitUse.limit, limit) }
        if used != 0 { json.member(WireKeys.LimitUse.used, used) }
        if most != 0 { json.member(WireKeys.LimitUse.most, most) }
    }
}

extension WireDeniedCount: SchemaMessage {
    package static var schemaPlace: Int { 86 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.user = value.text
        case 2: self.right = value.text
        case 3: self.count = value.uint64
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !user.isEmpty { json.member(WireKeys.DeniedCount.user, user) }
        if !right.isEmpty { json.member(WireKeys.DeniedCount.right, right) }
        if count != 0 { json.member(WireKeys.DeniedCount.count, count) }
    }
}

extension WireTurnTimes: SchemaMessage {
    package static var schemaPlace: Int { 87 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.count = value.uint64
        case 2: self.medianUs = value.uint64
        case 3: self.p99Us = value.uint64
        case 4: self.longestUs = value.uint64
        case 5: self.long = value.uint64
        case 7: self.sumUs = value.uint64
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 6: buckets.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if count != 0 { json.member(WireKeys.TurnTimes.count, count) }
        if medianUs != 0 { json.member(WireKeys.TurnTimes.medianUs, medianUs) }
        if p99Us != 0 { json.member(WireKeys.TurnTimes.p99Us, p99Us) }
        if longestUs != 0 { json.member(WireKeys.TurnTimes.longestUs, longestUs) }
        if long != 0 { json.member(WireKeys.TurnTimes.long, long) }
        if !buckets.isEmpty { json.member(WireKeys.TurnTimes.buckets, buckets) }
        if sumUs != 0 { json.member(WireKeys.TurnTimes.sumUs, sumUs) }
    }
}

extension WireWhoamiResult: SchemaMessage {
    package static var schemaPlace: Int { 88 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.user = value.text
        case 2: self.unrestricted = value.flag
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 3: grants.append(try reader.readValue(in: text))
        case 4: denied.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !user.isEmpty { json.member(WireKeys.WhoamiResult.user, user) }
        if unrestricted { json.member(WireKeys.WhoamiResult.unrestricted, unrestricted) }
        if !grants.isEmpty { json.member(WireKeys.WhoamiResult.grants, grants) }
        if !denied.isEmpty { json.member(WireKeys.WhoamiResult.denied, denied) }
    }
}

extension WirePoliciesResult: SchemaMessage {
    package static var schemaPlace: Int { 89 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 2: self.truncated = value.flag
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 1: policies.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !policies.isEmpty { json.member(WireKeys.PoliciesResult.policies, policies) }
        if truncated { json.member(WireKeys.PoliciesResult.truncated, truncated) }
    }
}

extension WirePolicyInForce: SchemaMessage {
    package static var schemaPlace: Int { 90 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.source = value.choice()
        case 2: clearPolicy()
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 2: policy = try reader.readValue(in: text)
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if source.rawValue != 0 { json.member(WireKeys.PolicyInForce.source, source) }
        if hasPolicy { json.member(WireKeys.PolicyInForce.policy, policy) }
    }
}

extension WirePolicySource: SchemaMessage {
    package static var schemaPlace: Int { 91 }
}

extension WireHistoryResult: SchemaMessage {
    package static var schemaPlace: Int { 92 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 2: self.truncated = value.flag
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 1: popups.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !popups.isEmpty { json.member(WireKeys.HistoryResult.popups, popups) }
        if truncated { json.member(WireKeys.HistoryResult.truncated, truncated) }
    }
}

extension WireClosedPopup: SchemaMessage {
    package static var schemaPlace: Int { 93 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.id = value.text
        case 2: self.group = value.text
        case 3: self.time = value.uint64
        case 4: clearClosed()
        case 5: self.cause = value.text
        case 6: self.title = value.text
        case 7: self.excerpt = value.text
        case 8: self.by = value.text
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 4: closed = try reader.readValue(in: text)
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !id.isEmpty { json.member(WireKeys.ClosedPopup.id, id) }
        if !group.isEmpty { json.member(WireKeys.ClosedPopup.group, group) }
        if time != 0 { json.member(WireKeys.ClosedPopup.time, time) }
        if hasClosed { json.member(WireKeys.ClosedPopup.closed, closed) }
        if !cause.isEmpty { json.member(WireKeys.ClosedPopup.cause, cause) }
        if !title.isEmpty { json.member(WireKeys.ClosedPopup.title, title) }
        if !excerpt.isEmpty { json.member(WireKeys.ClosedPopup.excerpt, excerpt) }
        if !by.isEmpty { json.member(WireKeys.ClosedPopup.by, by) }
    }
}

extension WireGroupsResult: SchemaMessage {
    package static var schemaPlace: Int { 94 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 2: self.truncated = value.flag
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 1: groups.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !groups.isEmpty { json.member(WireKeys.GroupsResult.groups, groups) }
        if truncated { json.member(WireKeys.GroupsResult.truncated, truncated) }
    }
}

extension WireGroupCounts: SchemaMessage {
    package static var schemaPlace: Int { 95 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.group = value.text
        case 2: self.revision = value.uint64
        case 3: self.active = value.text
        case 4: self.offered = value.flag
        case 5: self.waiting = value.uint32
        case 6: self.paused = value.uint32
        case 7: self.delayed = value.uint32
        case 8: self.session = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !group.isEmpty { json.member(WireKeys.GroupCounts.group, group) }
        if revision != 0 { json.member(WireKeys.GroupCounts.revision, revision) }
        if !active.isEmpty { json.member(WireKeys.GroupCounts.active, active) }
        if offered { json.member(WireKeys.GroupCounts.offered, offered) }
        if waiting != 0 { json.member(WireKeys.GroupCounts.waiting, waiting) }
        if paused != 0 { json.member(WireKeys.GroupCounts.paused, paused) }
        if delayed != 0 { json.member(WireKeys.GroupCounts.delayed, delayed) }
        if !session.isEmpty { json.member(WireKeys.GroupCounts.session, session) }
    }
}

extension WireSuspensionsResult: SchemaMessage {
    package static var schemaPlace: Int { 96 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 2: self.truncated = value.flag
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 1: suspensions.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !suspensions.isEmpty { json.member(WireKeys.SuspensionsResult.suspensions, suspensions) }
        if truncated { json.member(WireKeys.SuspensionsResult.truncated, truncated) }
    }
}

extension WireSuspension: SchemaMessage {
    package static var schemaPlace: Int { 97 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.token = value.text
        case 2: self.group = value.text
        case 3: if value.isNone { clearMinPriority() } else { self.minPriority = value.int32 }
        case 4: self.since = value.uint64
        case 5: self.by = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !token.isEmpty { json.member(WireKeys.Suspension.token, token) }
        if !group.isEmpty { json.member(WireKeys.Suspension.group, group) }
        if hasMinPriority { json.member(WireKeys.Suspension.minPriority, minPriority) }
        if since != 0 { json.member(WireKeys.Suspension.since, since) }
        if !by.isEmpty { json.member(WireKeys.Suspension.by, by) }
    }
}

extension WireRenderersResult: SchemaMessage {
    package static var schemaPlace: Int { 98 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 2: self.truncated = value.flag
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 1: renderers.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !renderers.isEmpty { json.member(WireKeys.RenderersResult.renderers, renderers) }
        if truncated { json.member(WireKeys.RenderersResult.truncated, truncated) }
    }
}

extension WireRenderer: SchemaMessage {
    package static var schemaPlace: Int { 99 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.client = value.text
        case 2: self.groups.append(value.text)
        case 4: self.silentMs = value.uint32
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 3: displays.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !client.isEmpty { json.member(WireKeys.Renderer.client, client) }
        if !groups.isEmpty { json.member(WireKeys.Renderer.groups, groups) }
        if !displays.isEmpty { json.member(WireKeys.Renderer.displays, displays) }
        if silentMs != 0 { json.member(WireKeys.Renderer.silentMs, silentMs) }
    }
}

extension WireDisplayedPopup: SchemaMessage {
    package static var schemaPlace: Int { 100 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.id = value.text
        case 2: self.group = value.text
        case 3: self.visible = value.flag
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !id.isEmpty { json.member(WireKeys.DisplayedPopup.id, id) }
        if !group.isEmpty { json.member(WireKeys.DisplayedPopup.group, group) }
        if visible { json.member(WireKeys.DisplayedPopup.visible, visible) }
    }
}

extension WireProducersResult: SchemaMessage {
    package static var schemaPlace: Int { 101 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 2: self.truncated = value.flag
        default: break
        }
    }

    package mutating func read(
        _ number: UInt8, by reader: inout MessageReader, in text: Span<UInt8>
    ) throws(JSONSyntaxError) {
        switch number {
        case 1: producers.append(try reader.readValue(in: text))
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !producers.isEmpty { json.member(WireKeys.ProducersResult.producers, producers) }
        if truncated { json.member(WireKeys.ProducersResult.truncated, truncated) }
    }
}

extension WireProducerSequences: SchemaMessage {
    package static var schemaPlace: Int { 102 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.producer = value.text
        case 2: self.cumulative = value.uint64
        case 3: self.highest = value.uint64
        case 4: self.popups = value.uint32
        case 5: self.silentMs = value.uint64
        case 6: self.by = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !producer.isEmpty { json.member(WireKeys.ProducerSequences.producer, producer) }
        if cumulative != 0 { json.member(WireKeys.ProducerSequences.cumulative, cumulative) }
        if highest != 0 { json.member(WireKeys.ProducerSequences.highest, highest) }
        if popups != 0 { json.member(WireKeys.ProducerSequences.popups, popups) }
        if silentMs != 0 { json.member(WireKeys.ProducerSequences.silentMs, silentMs) }
        if !by.isEmpty { json.member(WireKeys.ProducerSequences.by, by) }
    }
}

extension WireAccessGrant: SchemaMessage {
    package static var schemaPlace: Int { 103 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.groups.append(value.text)
        case 2: self.rights.append(value.text)
        case 3: if value.isNone { clearMaxPriority() } else { self.maxPriority = value.int32 }
        case 4: self.exclusive = value.choice()
        case 5: self.own = value.flag
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !groups.isEmpty { json.member(WireKeys.AccessGrant.groups, groups) }
        if !rights.isEmpty { json.member(WireKeys.AccessGrant.rights, rights) }
        if hasMaxPriority { json.member(WireKeys.AccessGrant.maxPriority, maxPriority) }
        if exclusive.rawValue != 0 { json.member(WireKeys.AccessGrant.exclusive, exclusive) }
        if own { json.member(WireKeys.AccessGrant.own, own) }
    }
}

extension WireDeniedSubscription: SchemaMessage {
    package static var schemaPlace: Int { 104 }

    package mutating func set(_ number: UInt8, _ value: FieldValue) {
        switch number {
        case 1: self.prefix = value.text
        case 2: self.detail = value.text
        default: break
        }
    }

    package func writeFields(to json: inout JSONWriter) {
        if !prefix.isEmpty { json.member(WireKeys.DeniedSubscription.prefix, prefix) }
        if !detail.isEmpty { json.member(WireKeys.DeniedSubscription.detail, detail) }
    }
}
