// Commands that concern many groups, carried out group by group.
//
// What happens in one group depends on no other. So the groups of a command are handled in byte order of their names, a
// bounded part of them a step, and of the popups that close together in one group, too: nothing else is done before all
// are handled, so that commands and timers find, and events tell, the same as if it had been one step.

/// What is left to do of a command that concerns many groups.
struct GroupWork {
    /// What has to be done in each group.
    enum Task {
        /// Popups bound to a tree of pages are where they have to be, or no longer; those of values that are gone
        /// close.
        case pages(tree: PageTree.Index, closed: [UInt8], gone: Set<[UInt8]>)
        /// Suspensions changed.
        case thresholds
        /// A policy's quiet windows changed.
        case quietHours(policy: PolicyTable.Index)
        /// Policies changed; what they were by their places.
        case policies(former: [PolicyTable.Index: Policy])
        /// What a selector chooses closes.
        case clear(Selector, text: [UInt8])
        /// Everything gives way to an exclusive popup.
        case supersede(newcomer: PopupRecord.Index)
        /// A renderer is gone, which displayed some popups alone: first it is taken off all that it displayed.
        case lostRenderer(LostRenderer)
    }

    var task: Task
    /// In byte order of their names.
    var groups: [GroupRecord.Index]
    var next = 0
}

extension Scheduler {
    /// The popups, and as many groups without any, after which a step leaves the rest to the next.
    static var mostOfWorkAtOnce: Int { 1024 }

    /// Does what a command wants in each of these groups: at once as much as one step may, the rest in the next steps.
    mutating func perform(_ task: GroupWork.Task, in groups: [GroupRecord.Index]) {
        transaction.work = GroupWork(task: task, groups: groups)
        goOn()
    }

    /// Whether the last command or timer has left something to do.
    public var hasWork: Bool { transaction.work != nil || transaction.closing != nil }

    /// How many popups and groups were gone through, where that may be many for one command or timer: a measure of
    /// work.
    public var visits: Int { transaction.meter.count }

    /// Handles the next part of what is left to do.
    mutating func goOn() {
        if transaction.closing != nil { return goOnClosing() }
        guard var rest = transaction.work.take() else { return }
        var done = 0
        if case .lostRenderer(var renderer) = rest.task, !renderer.isOffScreen {
            done = takeOffScreen(&renderer)
            if renderer.isOffScreen { rest.groups = groups(of: renderer) }
            rest.task = .lostRenderer(renderer)
            guard renderer.isOffScreen else { return transaction.work = rest }
        }
        while rest.next < rest.groups.count, done < Self.mostOfWorkAtOnce, transaction.closing == nil {
            let group = rest.groups[rest.next]
            rest.next += 1
            done += 1 + Int(groups[group].waiting + groups[group].paused)
            perform(rest.task, in: group)
        }
        transaction.meter.count += done
        if rest.next < rest.groups.count || transaction.closing != nil {
            transaction.work = rest
        } else {
            finish(rest.task)
        }
    }

    private mutating func perform(_ task: GroupWork.Task, in group: GroupRecord.Index) {
        switch task {
        case .pages(let tree, let closed, let gone):
            pageChanged(in: group, tree, closed, gone)
        case .thresholds:
            thresholdChanged(in: group)
        case .quietHours(let policy):
            guard groups[group].policy == policy else { return }
            markChanged(group)
            thresholdChanged(in: group)
        case .policies(let former):
            takePlaceOfPolicy(in: group, former)
        case .clear(let selector, let text):
            text.withUnsafeBytes { clear(selector, in: group, $0) }
        case .supersede(let newcomer): supersede(in: group, for: newcomer)
        case .lostRenderer(let renderer): rendererIsLost(renderer, in: group)
        }
    }

    private mutating func finish(_ task: GroupWork.Task) {
        switch task {
        case .pages(let tree, _, _): forgetTreeIfEmpty(tree)
        case .lostRenderer(let renderer): forgetClientIfIdle(renderer.client)
        case .thresholds, .quietHours, .policies, .clear, .supersede: break
        }
    }
}
