// Commands that concern many groups, carried out group by group.
//
// What happens in one group depends on no other. So the groups of a command are handled in byte order of their names, a
// bounded part of them a step: nothing else is done before all are handled, so that commands and timers find, and events
// tell, the same as if it had been one step.

/// What is left to do of a command that concerns many groups.
struct GroupWork {
    /// What has to be done in each group.
    enum Task {
        /// Popups bound to a tree of pages are where they have to be, or no longer; those of values that are gone close.
        case pages(tree: Int32, closed: [UInt8], gone: Set<[UInt8]>)
        /// Suspensions changed.
        case thresholds
        /// A policy's quiet windows changed.
        case quietHours(policy: Int32)
        /// Policies changed; what they were by their places.
        case policies(former: [Int32: Policy])
        /// What a selector chooses closes.
        case clear(Selector, text: [UInt8])
        /// A renderer is gone, which displayed some popups alone.
        case lostRenderer(client: Int32, name: [UInt8], lost: Set<Int32>, patterns: [[UInt8]])
    }

    var task: Task
    /// In byte order of their names.
    var groups: [Int32]
    var next = 0
}

extension Scheduler {
    /// The popups, and as many groups without any, after which a step leaves the rest to the next.
    static var mostOfWorkAtOnce: Int { 1024 }

    /// Does what a command wants in each of these groups: at once as much as one step may, the rest in the next steps.
    mutating func carryOut(_ task: GroupWork.Task, in groups: [Int32]) {
        work = GroupWork(task: task, groups: groups)
        goOn()
    }

    /// Handles the next part of what is left to do.
    mutating func goOn() {
        guard var rest = work.take() else { return }
        var done = 0
        while rest.next < rest.groups.count, done < Self.mostOfWorkAtOnce {
            let group = rest.groups[rest.next]
            rest.next += 1
            done += 1 + Int(groups[group].waiting + groups[group].paused)
            perform(rest.task, in: group)
        }
        if rest.next < rest.groups.count { work = rest } else { finish(rest.task) }
    }

    private mutating func perform(_ task: GroupWork.Task, in group: Int32) {
        switch task {
        case .pages(let tree, let closed, let gone):
            pageChanged(in: group, tree, closed, gone)
        case .thresholds:
            thresholdChanged(in: group)
        case .quietHours(let policy):
            guard groups[group].policy == policy else { return }
            touch(group)
            thresholdChanged(in: group)
        case .policies(let former):
            takePlaceOfPolicy(in: group, former)
        case .clear(let selector, let text):
            text.withUnsafeBytes { clear(selector, in: group, $0) }
        case .lostRenderer(_, let name, let lost, let patterns):
            rendererIsLost(in: group, name, lost, patterns)
        }
    }

    private mutating func finish(_ task: GroupWork.Task) {
        switch task {
        case .pages(let tree, _, _): forgetTreeIfEmpty(tree)
        case .lostRenderer(let client, _, _, _): forgetClientIfIdle(client)
        case .thresholds, .quietHours, .policies, .clear: break
        }
    }
}
