public import PopupProtocol
public import PopupScheduling
import SwiftProtobuf

// The translation of popups and their changes. Ordinary binary popups are read by `ShowFrame` instead.
extension CommandTranslator {
    mutating func request(_ popup: WirePopup, from producer: ProducerName?, by user: String) -> PopupRequest {
        var popup = popup
        if popup.by != user { popup.by = user }
        var request = PopupRequest(id: text.add(popup.id), group: text.add(popup.group))
        request.priority = popup.priority
        request.duration = popup.durationMs
        request.timeToLive = popup.ttlMs
        request.delay = popup.delayMs
        request.minimumDisplay = popup.minDisplayMs
        request.exclusive = PopupRequest.Exclusivity(popup.exclusive)
        request.collapseKey = text.add(popup.collapseKey)
        request.surface = text.add(popup.surface)
        request.interruptible = popup.hasInterruptible ? popup.interruptible : true
        request.producer = producer.map { ProducerID($0) }
        if popup.hasFlow { request.flow = flow(popup.flow) }
        if popup.hasPage {
            request.page = PageBinding(
                tree: text.add(popup.page.tree), value: text.add(popup.page.value),
                scope: popup.page.scope == .within ? .within : .current)
        }
        request.session = text.add(popup.session)
        request.offer = popup.offerMs
        request.quorum = popup.quorum
        request.quorumAll = popup.quorumAll
        request.capKey = text.add(popup.capKey)
        if let bytes: [UInt8] = try? popup.serializedBytes() { request.content = text.add(bytes) }
        return request
    }

    private mutating func flow(_ flow: WireFlow) -> FlowMembership {
        var membership = FlowMembership(key: text.add(flow.key))
        membership.stage = flow.stage
        membership.requires = text.add(flow.requires.popup)
        membership.requiredAction = text.add(flow.requires.action)
        membership.hold = flow.holdMs
        return membership
    }

    mutating func update(_ update: WireUpdate, _ content: (RawSpan) -> [UInt8]?) -> PopupUpdate {
        var result = PopupUpdate(id: text.add(update.id), group: text.add(update.group))
        result.priority = update.hasPriority ? update.priority : nil
        result.duration = update.hasDurationMs ? update.durationMs : nil
        result.restartTimer = update.restartTimer
        result.interruptible = update.hasInterruptible ? update.interruptible : nil
        // The content is the complete popup, with its priority and duration.
        if let old = content(Array(update.id.utf8).span.bytes), var popup = try? WirePopup(serializedBytes: old) {
            popup.change(by: update)
            if let bytes: [UInt8] = try? popup.serializedBytes() { result.content = text.add(bytes) }
        }
        return result
    }
}

extension WirePopup {
    /// Replaces the fields of the popup that an update contains.
    fileprivate mutating func change(by update: WireUpdate) {
        if update.hasPriority { priority = update.priority }
        if update.hasDurationMs { durationMs = update.durationMs }
        if update.hasInterruptible { interruptible = update.interruptible }
        switch update.content {
        case .text(let text): self.text = text
        case .data(let data): self.data = data
        case nil: break
        }
        if update.hasContentType { contentType = update.contentType }
        if !update.actions.isEmpty { actions = update.actions }
        if update.hasPresentation { presentation = update.presentation }
    }
}

extension PopupRequest.Exclusivity {
    @inlinable
    package init(_ exclusive: WirePopup.Exclusive) {
        self =
            switch exclusive {
            case .none, .UNRECOGNIZED: .none
            case .group: .group
            case .all: .all
            }
    }
}

extension ProducerID {
    @inlinable
    package init(_ name: ProducerName) {
        self.init(high: name.high, low: name.low)
    }
}
