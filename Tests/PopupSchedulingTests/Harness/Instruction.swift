import PopupScheduling

/// A command in words: what `Command` says with ranges of bytes, said with strings.
enum Instruction: Sendable, Equatable {
    case show(Request)
    case update(Change)
    case dismiss(String, action: String, revision: UInt64?)
    case advance(String)
    case clear(Choice)
    case suspend(String, token: String, minimumPriority: Int32?)
    case resume(token: String)
    case policy(String, Policy)
    case removePolicy(String)

    struct Request: Sendable, Equatable {
        var id: String
        var group: String
        var priority: Int32 = 0
        var duration: UInt32 = 0
        var timeToLive: UInt32 = 0
        var delay: UInt32 = 0
        var minimumDisplay: UInt32 = 0
        var exclusive: PopupRequest.Exclusivity = .none
        var collapseKey = ""
        var surface = ""
        var interruptible = true
        var producer: ProducerID?
        var content = ""
    }

    struct Change: Sendable, Equatable {
        var id: String
        var priority: Int32?
        var duration: UInt32?
        var restartTimer = false
        var interruptible: Bool?
        var content: String?
    }

    struct Choice: Sendable, Equatable {
        var pattern = ""
        var surface = ""
        var collapseKey = ""
        var producer: ProducerID?
        var priorityBelow: Int32?
        var priorityAbove: Int32?
        var active = false
        var waiting = false
        var paused = false
    }
}

// MARK: - As the scheduler takes it

extension Instruction {
    /// The command, its texts added to `text`.
    func command(_ text: inout TextBuilder) -> Command {
        switch self {
        case .show(let request):
            var command = PopupRequest(id: text.add(request.id), group: text.add(request.group))
            command.priority = request.priority
            command.duration = request.duration
            command.timeToLive = request.timeToLive
            command.delay = request.delay
            command.minimumDisplay = request.minimumDisplay
            command.exclusive = request.exclusive
            command.collapseKey = text.add(request.collapseKey)
            command.surface = text.add(request.surface)
            command.interruptible = request.interruptible
            command.producer = request.producer
            command.content = text.add(request.content)
            return .show(command)
        case .update(let change):
            var command = PopupUpdate(id: text.add(change.id))
            command.priority = change.priority
            command.duration = change.duration
            command.restartTimer = change.restartTimer
            command.interruptible = change.interruptible
            command.content = change.content.map { text.add($0) }
            return .update(command)
        case .dismiss(let id, let action, let revision):
            return .dismiss(Dismissal(id: text.add(id), action: text.add(action), revision: revision))
        case .advance(let group):
            return .advance(group: text.add(group))
        case .clear(let choice):
            return .clear(choice.selector(&text))
        case .suspend(let pattern, let token, let minimum):
            return .suspend(
                Suspension(pattern: text.add(pattern), token: text.add(token), minimumPriority: minimum))
        case .resume(let token):
            return .resume(token: text.add(token))
        case .policy(let pattern, let policy):
            return .setPolicy(pattern: text.add(pattern), policy)
        case .removePolicy(let pattern):
            return .removePolicy(pattern: text.add(pattern))
        }
    }
}

extension Instruction.Choice {
    /// The selector, its texts added to `text`.
    func selector(_ text: inout TextBuilder) -> Selector {
        var selector = Selector()
        selector.pattern = text.add(pattern)
        selector.surface = text.add(surface)
        selector.collapseKey = text.add(collapseKey)
        selector.producer = producer
        selector.priorityBelow = priorityBelow
        selector.priorityAbove = priorityAbove
        selector.active = active
        selector.waiting = waiting
        selector.paused = paused
        return selector
    }
}
