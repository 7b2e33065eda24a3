import PopupScheduling

/// A command in words: what `Command` says with ranges of bytes, said with strings.
enum Instruction: Sendable, Equatable {
    case show(Request)
    case update(Change)
    case dismiss(String, action: String, revision: UInt64?, client: String)
    case advance(String)
    case clear(Choice)
    case suspend(String, token: String, minimumPriority: Int32?)
    case resume(token: String)
    case policy(String, Policy)
    case removePolicy(String)
    case setSession(String, String)
    case report(String, client: String, Report.Kind)
    case answer(String, client: String, Answer.Choice)
    case lease(String, [String])
    case page(String, PageStep)
    case setWallClock(ahead: Milliseconds)

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
        var flow: Flow?
        var page: Page?
        var session = ""
        var offer: UInt32 = 0
        var quorum: UInt32 = 0
        var quorumAll = false
        var capKey = ""
    }

    struct Flow: Sendable, Equatable {
        var key: String
        var stage: UInt32 = 0
        var requires = ""
        var action = ""
        var hold: UInt32 = 0

        init(_ key: String, stage: UInt32 = 0, requires: String = "", action: String = "", hold: UInt32 = 0) {
            self.key = key
            self.stage = stage
            self.requires = requires
            self.action = action
            self.hold = hold
        }
    }

    struct Page: Sendable, Equatable {
        var tree: String
        var value: String
        var scope: PageBinding.Scope

        init(_ value: String, _ scope: PageBinding.Scope = .current, in tree: String = "t") {
            self.tree = tree
            self.value = value
            self.scope = scope
        }
    }

    enum PageStep: Sendable, Equatable {
        case open(String, parent: String, value: String)
        case enter(String)
        case close(String)
        case clear
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
            command.flow = request.flow?.membership(&text)
            command.page = request.page.map {
                PageBinding(tree: text.add($0.tree), value: text.add($0.value), scope: $0.scope)
            }
            command.session = text.add(request.session)
            command.offer = request.offer
            command.quorum = request.quorum
            command.quorumAll = request.quorumAll
            command.capKey = text.add(request.capKey)
            return .show(command)
        case .update(let change):
            var command = PopupUpdate(id: text.add(change.id))
            command.priority = change.priority
            command.duration = change.duration
            command.restartTimer = change.restartTimer
            command.interruptible = change.interruptible
            command.content = change.content.map { text.add($0) }
            return .update(command)
        case .dismiss(let id, let action, let revision, let client):
            return .dismiss(
                Dismissal(
                    id: text.add(id), action: text.add(action), revision: revision, client: text.add(client)))
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
        case .setSession(let group, let session):
            return .setSession(group: text.add(group), session: text.add(session))
        case .setWallClock(let ahead): return .setWallClock(ahead: ahead)
        case .report(let id, let client, let kind):
            return .report(Report(id: text.add(id), client: text.add(client), kind))
        case .answer(let id, let client, let choice):
            return .answer(Answer(id: text.add(id), client: text.add(client), choice))
        case .lease(let client, let patterns):
            return .lease(Lease(client: text.add(client), patterns: text.add(patterns.map { $0 + "\n" }.joined())))
        case .page(let tree, let change):
            return .page(PageChange(tree: text.add(tree), change.kind(&text)))
        }
    }
}

extension Instruction.Flow {
    fileprivate func membership(_ text: inout TextBuilder) -> FlowMembership {
        var membership = FlowMembership(key: text.add(key))
        membership.stage = stage
        membership.requires = text.add(requires)
        membership.requiredAction = text.add(action)
        membership.hold = hold
        return membership
    }
}

extension Instruction.PageStep {
    fileprivate func kind(_ text: inout TextBuilder) -> PageChange.Kind {
        switch self {
        case .open(let node, let parent, let value):
            .open(node: text.add(node), parent: text.add(parent), value: text.add(value))
        case .enter(let node): .enter(node: text.add(node))
        case .close(let node): .close(node: text.add(node))
        case .clear: .clear
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
