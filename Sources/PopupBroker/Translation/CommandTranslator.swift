public import PopupProtocol
public import PopupScheduling
import SwiftProtobuf

/// Turns admitted commands of the wire into the scheduler's.
public struct CommandTranslator: Sendable {
    /// The texts of the last command translated, to be handed to the scheduler with it.
    public private(set) var text = TextBuilder()

    /// A translator, to be used again and again.
    public init() {}

    /// The scheduler's command for one that `CommandAdmission` has admitted; `nil` for a query, which the scheduler is
    /// asked and not told.
    ///
    /// - Parameter content: the content of a live popup (`Scheduler.content(ofPopup:)`): an update is made to it.
    public mutating func translate(
        _ command: WireCommand, content: (_ id: RawSpan) -> [UInt8]?
    ) -> Command? {
        text.removeAll()
        switch command.command {
        case .show: return show(command)
        case .update(let update): return .update(self.update(update, content))
        case .dismiss(let dismiss):
            return .dismiss(
                Dismissal(
                    id: text.add(dismiss.id), action: text.add(dismiss.action),
                    revision: dismiss.hasRevision ? dismiss.revision : nil))
        case .advance(let advance): return .advance(group: text.add(advance.group))
        case .clear(let clear): return .clear(selector(clear.selector))
        case .suspend(let suspend):
            return .suspend(
                Suspension(
                    pattern: text.add(suspend.group), token: text.add(suspend.token),
                    minimumPriority: suspend.hasMinPriority ? suspend.minPriority : nil))
        case .resume(let resume): return .resume(token: text.add(resume.token))
        case .setPolicy(let policy):
            return .setPolicy(pattern: text.add(policy.group), PolicyTranslator.translate(policy))
        case .setSession, .report, .answer, .lease, .page, .query, nil: return nil
        }
    }

    /// The scheduler's selector for one of the wire. Its texts are added to those of the translator.
    mutating func selector(_ selector: WireSelector) -> Selector {
        var result = Selector()
        result.pattern = text.add(selector.group)
        result.surface = text.add(selector.surface)
        result.collapseKey = text.add(selector.collapseKey)
        result.producer = ProducerName(selector.producer).map { ProducerID($0) }
        result.priorityBelow = selector.hasPriorityBelow ? selector.priorityBelow : nil
        result.priorityAbove = selector.hasPriorityAbove ? selector.priorityAbove : nil
        result.active = selector.active
        result.waiting = selector.waiting
        result.paused = selector.paused
        return result
    }

    /// The selector of a question.
    mutating func onlySelector(_ selector: WireSelector) -> Selector {
        text.removeAll()
        return self.selector(selector)
    }

    /// An admitted popup is an ordinary one: what `ShowFrame` does not read was refused or taken away.
    private mutating func show(_ command: WireCommand) -> Command? {
        guard let bytes: [UInt8] = try? command.serializedBytes() else { return nil }
        _ = text.add(bytes)
        return ShowFrame.read(bytes.span, limits: WireLimits(contentBytes: .max)).map { .show($0.request) }
    }

    private mutating func update(_ update: WireUpdate, _ content: (RawSpan) -> [UInt8]?) -> PopupUpdate {
        var result = PopupUpdate(id: text.add(update.id))
        result.priority = update.hasPriority ? update.priority : nil
        result.duration = update.hasDurationMs ? update.durationMs : nil
        result.restartTimer = update.restartTimer
        result.interruptible = update.hasInterruptible ? update.interruptible : nil
        // Its content tells the popup whole, its priority and duration too.
        if let old = content(Array(update.id.utf8).span.bytes), var popup = try? WirePopup(serializedBytes: old) {
            popup.change(by: update)
            if let bytes: [UInt8] = try? popup.serializedBytes() { result.content = text.add(bytes) }
        }
        return result
    }
}

extension WirePopup {
    /// What an update says replaces what the popup says.
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

extension ProducerID {
    init(_ name: ProducerName) {
        self.init(high: name.high, low: name.low)
    }
}
