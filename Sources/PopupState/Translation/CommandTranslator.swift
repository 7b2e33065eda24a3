public import PopupProtocol
public import PopupScheduling
import SwiftProtobuf

/// The translation of admitted commands of the wire to those of the scheduler.
public struct CommandTranslator: Sendable {
    /// The texts of the last translated command, to be passed to the scheduler with it.
    public internal(set) var text = TextBuilder()
    /// Whether leases end by themselves.
    package var leasesRunOut: Bool

    /// Creates a translator, which is reused for all commands.
    ///
    /// - Parameter leasesRunOut: Whether leases end by themselves. False if the caller detects silent renderers, and
    ///   ends their leases.
    public init(leasesRunOut: Bool = true) {
        self.leasesRunOut = leasesRunOut
    }

    /// Returns the scheduler's command for an admitted one; `nil` for a query, which does not change the scheduler.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - zones: The time zones of a policy's quiet windows. Windows in other zones are left out.
    ///   - content: Returns the content of a live popup (`Scheduler.content(ofPopup:)`), which an update changes.
    public mutating func translate(
        _ command: WireCommand, zones: TimeZoneTable = TimeZoneTable(), content: (_ id: RawSpan) -> [UInt8]?
    ) -> Command? {
        text.removeAll()
        switch command.command {
        case .show(let popup): return .show(request(popup, from: ProducerName(command.producer), by: command.by))
        case .update(let update): return .update(self.update(update, content))
        case .dismiss(let dismiss):
            return .dismiss(
                Dismissal(
                    id: text.add(dismiss.id), action: text.add(dismiss.action),
                    revision: dismiss.hasRevision ? dismiss.revision : nil, client: text.add(dismiss.client),
                    group: text.add(dismiss.group)))
        case .advance(let advance): return .advance(group: text.add(advance.group))
        case .clear(let clear): return .clear(selector(clear.selector))
        case .suspend(let suspend):
            return .suspend(
                Suspension(
                    pattern: text.add(suspend.group), token: text.add(suspend.token),
                    minimumPriority: suspend.hasMinPriority ? suspend.minPriority : nil, user: text.add(command.by)))
        case .resume(let resume): return .resume(token: text.add(resume.token))
        case .setPolicy(let policy):
            return .setPolicy(
                pattern: text.add(policy.group), PolicyTranslator.translate(policy, zones: zones))
        case .unsetPolicy(let policy): return .removePolicy(pattern: text.add(policy.group))
        case .setSession(let session):
            return .setSession(group: text.add(session.group), session: text.add(session.session))
        case .report(let report): return self.report(report)
        case .answer(let answer): return self.answer(answer)
        case .lease(let lease): return .lease(self.lease(lease))
        case .page(let page): return self.page(page)
        case .query, nil: return nil
        }
    }

    /// Returns the scheduler's selector for one of the wire. Adds its texts to those of the translator.
    package mutating func selector(_ selector: WireSelector) -> Selector {
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

    /// Returns the selector of a query. Removes the texts of the last command.
    mutating func onlySelector(_ selector: WireSelector) -> Selector {
        text.removeAll()
        return self.selector(selector)
    }
}

extension WireCommand {
    /// The producer of the command for the scheduler; `nil` without one.
    package var sender: ProducerID? { ProducerName(producer).map { ProducerID($0) } }
}
