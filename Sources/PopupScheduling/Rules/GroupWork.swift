// Commands that concern many groups, performed group by group.
//
// What happens in one group depends on no other group. So the groups of a command are handled in byte order of their
// names, a bounded number of them and of their popups per step. Until all are handled, no other command or timer is. So
// the result and the events are those of a single step.

/// The unfinished part of a command that concerns many groups.
struct GroupWork {
    /// The work to be done in each group.
    enum Task {
        /// Updates the positions of popups bound to a tree of pages, and closes those whose page value is gone.
        /// `closed` is the page that the command closed.
        case pages(tree: PageTree.Index, closed: [UInt8], gone: Set<[UInt8]>)
        /// Applies changed suspensions.
        case thresholds
        /// Applies the changed quiet windows of a policy.
        case quietWindows(policy: PolicyTable.Index)
        /// Applies changed policies. `former` contains the policies before the change by their indices.
        case policies(former: [PolicyTable.Index: Policy])
        /// Closes the selected popups.
        case clear(Selector, text: [UInt8])
        /// Closes all popups except an exclusive newcomer.
        case supersede(newcomer: PopupRecord.Index)
        /// Handles the loss of a renderer that was the only one to display some popups. First, its displays are
        /// removed.
        case lostRenderer(LostRenderer)
    }

    var task: Task
    /// The groups in byte order of their names.
    var groups: [GroupRecord.Index]
    var next = 0
}

extension Scheduler {
    /// The number of popups, and of groups without popups, after which a step ends.
    static var maxWorkPerStep: Int { 1024 }

    /// Performs a task in each of the groups: as much as a step may do now, the rest in the following steps.
    mutating func perform(_ task: GroupWork.Task, in groups: [GroupRecord.Index]) {
        transaction.work = GroupWork(task: task, groups: groups)
        continueWork()
    }

    /// Whether the last command or timer is not performed completely.
    public var hasWork: Bool { transaction.work != nil || transaction.closing != nil }

    /// The number of popups and groups visited so far by work that is not constant per command or timer.
    public var visits: Int { transaction.meter.count }

    /// Performs the next part of the unfinished work.
    mutating func continueWork() {
        if transaction.closing != nil { return continueClosing() }
        guard var rest = transaction.work.take() else { return }
        var done = 0
        if case .lostRenderer(var renderer) = rest.task, !renderer.hasNoDisplays {
            done = removeDisplays(&renderer)
            if renderer.hasNoDisplays { rest.groups = groups(of: renderer) }
            rest.task = .lostRenderer(renderer)
            guard renderer.hasNoDisplays else { return transaction.work = rest }
        }
        while rest.next < rest.groups.count, done < Self.maxWorkPerStep, transaction.closing == nil {
            let group = rest.groups[rest.next]
            rest.next += 1
            done += 1 + Int(groups[group].waiting + groups[group].paused) + showingsToMove(in: group)
            perform(rest.task, in: group)
        }
        transaction.meter.count += done
        if rest.next < rest.groups.count || transaction.closing != nil {
            transaction.work = rest
        } else {
            finish(rest.task)
        }
    }

    /// Returns the showings that a group's caps remember, in units that take as long as a popup: changed caps continue
    /// with them.
    private func showingsToMove(in group: GroupRecord.Index) -> Int {
        groups[group].isCapped ? groups.caps.showings(of: group) / Self.showingsPerVisit : 0
    }

    private mutating func perform(_ task: GroupWork.Task, in group: GroupRecord.Index) {
        switch task {
        case .pages(let tree, let closed, let gone):
            pageChanged(in: group, tree, closed, gone)
        case .thresholds:
            thresholdChanged(in: group)
        case .quietWindows(let policy):
            guard groups[group].policy == policy else { return }
            markChanged(group)
            thresholdChanged(in: group)
        case .policies(let former):
            applyPolicy(of: group, former)
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
        case .thresholds, .quietWindows, .policies, .clear, .supersede: break
        }
    }
}
