// Pages: a tree of pages with one current page describes what a session displays. A popup bound to a page is shown only
// while the page is current, or on the path to the current page. It closes with the last page that has its value.
extension Scheduler {
    mutating func page(_ change: PageChange, _ text: UnsafeRawBufferPointer) -> Refusal? {
        switch admissionError(for: change, text) {
        case .refuse(let refusal): return refuse(refusal, group: nothing, popup: nothing)
        case .nothingToDo: return nil
        case .none: break
        }
        let tree = pages.index(of: text[change.tree]) ?? makeTree(text[change.tree], of: sendersAccount())
        let (former, formerPath) = (pages[tree].values, pages[tree].path)
        changePages(of: tree) { Self.enact(change, on: &$0, text) }
        let closed = if case .close(let node) = change.kind { Array(text[node]) } else { [UInt8]() }
        let gone = former.subtracting(pages[tree].values)
        // A page that was only added concerns no popup.
        let concernsPopups = !gone.isEmpty || pages[tree].path != formerPath
        let task = GroupWork.Task.pages(tree: tree, closed: closed, gone: gone)
        perform(task, in: concernsPopups ? groupsOfBound(to: tree) : [])
        return nil
    }

    /// Returns the maximum number of popups and groups that a change of a tree of pages visits.
    public func visits(ofChangesOfTree name: RawSpan) -> Int {
        guard let tree = name.withUnsafeBytes({ pages.index(of: $0) }) else { return 0 }
        let bound = pages[tree].boundCount
        return bound <= Self.maxWorkPerStep ? bound : groups.count + popups.count
    }

    /// Returns the groups that have a popup bound to a tree, in byte order of their names; all groups if there are too
    /// many.
    private mutating func groupsOfBound(to tree: PageTree.Index) -> [GroupRecord.Index] {
        guard pages[tree].boundCount <= Self.maxWorkPerStep else { return orderedGroups() }
        let bound = popups.relations.members(of: pages[tree].bound).map { popups[popups.relations[$0].popup].group }
        return groups.inOrder(bound, store)
    }

    /// Updates the positions of a group's popups that are bound to a tree. Until then, the rules use the former
    /// positions.
    mutating func pageChanged(
        in group: GroupRecord.Index, _ tree: PageTree.Index, _ node: [UInt8], _ gone: Set<[UInt8]>
    ) {
        var (isBound, closed, freed) = (false, Set<PopupRecord.Index>(), Set<PopupRecord.Index>())
        var next = groups[group].accepted.first
        while let popup = next {
            if let index = popups[popup].relations, popups.relations[index].tree == tree {
                isBound = true
                let wasOnPage = popups.relations[index].isOnPage
                popups.relations[index].isOnPage = isOnPageNow(index)
                updateConditions(of: popup)
                if !gone.isEmpty, gone.contains(Array(store[popups.relations[index].page])) {
                    closed.insert(popup)
                } else if !wasOnPage, popups.relations[index].isOnPage {
                    freed.insert(popup)
                }
            }
            next = popups.next(after: popup, Acceptances.self)
        }
        guard isBound else { return }
        let chosen = closed.isEmpty ? [] : inClosingOrder(group, where: closed.contains)
        let isFree = groups[group].active == nil
        let queue = freed.isEmpty || isFree ? [] : queue(of: group).filter(freed.contains)
        node.withUnsafeBytes { close(chosen, .pageClosed, detail: $0, in: group, freed: queue) }
    }

    private enum AdmissionError {
        case refuse(Refusal)
        case nothingToDo
    }

    /// Returns the refusal of a change, or that it has no effect; `nil` if it has to be performed.
    private mutating func admissionError(for change: PageChange, _ text: UnsafeRawBufferPointer) -> AdmissionError? {
        let tree = pages.index(of: text[change.tree])
        switch change.kind {
        case .open(let node, let parent, let value):
            guard max(change.tree.count, node.count, parent.count, value.count) <= Limits.nameBytes else {
                return .refuse(.tooLong)
            }
            return admissionError(toOpening: text[node], below: text[parent], text[value], in: tree)
        case .enter(let node):
            guard let tree, let index = pages[tree].index(of: text[node]) else { return .refuse(.unknownPage) }
            return index == pages[tree].current ? .nothingToDo : nil
        case .close(let node):
            guard let tree, pages[tree].index(of: text[node]) != nil else { return .refuse(.unknownPage) }
        case .clear:
            guard let tree, !pages[tree].pages.isEmpty else { return .nothingToDo }
        }
        return nil
    }

    private mutating func admissionError(
        toOpening node: UnsafeRawBufferPointer, below parent: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
        in tree: PageTree.Index?
    ) -> AdmissionError? {
        guard let tree, !pages[tree].pages.isEmpty else {
            guard parent.isEmpty else { return .refuse(.unknownPage) }
            let trees = admissionError(in: .pageTrees, used: pages.count, of: limits.pageTrees, for: transaction.sender)
            if tree == nil, let trees { return .refuse(trees) }
            return admissionError(toOpening: node, value)
        }
        if let index = pages[tree].index(of: node) {
            let page = pages[tree][index]
            let itsParent = page.parent.map { pages[tree][$0].node } ?? []
            let isSame =
                itsParent.withUnsafeBytes { $0.equals(parent) } && page.value.withUnsafeBytes { $0.equals(value) }
            return isSame ? .nothingToDo : .refuse(.pageExists)
        }
        if parent.isEmpty { return .refuse(.rootExists) }
        guard let above = pages[tree].index(of: parent) else { return .refuse(.unknownPage) }
        if pages[tree].pages.count >= limits.pagesPerTree { return .refuse(.limit(.pagesPerTree)) }
        if pages[tree].depth(of: above) >= limits.pageDepth { return .refuse(.limit(.pageDepth)) }
        return admissionError(toOpening: node, value)
    }

    private mutating func admissionError(
        toOpening node: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) -> AdmissionError? {
        let page = Page(node: Array(node), value: Array(value), parent: nil)
        return admissionError(toStoring: page.bytes, for: transaction.sender).map { .refuse($0) }
    }

    private static func enact(_ change: PageChange, on tree: inout PageTree, _ text: UnsafeRawBufferPointer) {
        switch change.kind {
        case .open(let node, let parent, let value):
            tree.open(Page(node: Array(text[node]), value: Array(text[value]), parent: tree.index(of: text[parent])))
        case .enter(let node):
            if let index = tree.index(of: text[node]) { tree.enter(index) }
        case .close(let node):
            if let index = tree.index(of: text[node]) { tree.close(index) }
        case .clear: tree.clear()
        }
    }

    // MARK: - Popups bound to pages

    /// Whether the page of a popup is where it has to be, as last updated. `true` for a popup without a page.
    @inline(__always)
    func isOnItsPage(_ index: RelationFields.Index) -> Bool { popups.relations[index].isOnPage }

    /// Whether the page of a popup is where it has to be in the current tree.
    private func isOnPageNow(_ index: RelationFields.Index) -> Bool {
        guard let tree = popups.relations[index].tree else { return true }
        let value = store[popups.relations[index].page]
        let path = pages[tree].path
        switch popups.relations[index].scope {
        case .current: return path.last.map { $0.withUnsafeBytes { $0.equals(value) } } ?? false
        case .within: return path.contains { $0.withUnsafeBytes { $0.equals(value) } }
        }
    }

    mutating func bind(_ index: RelationFields.Index, to page: PageBinding, _ text: UnsafeRawBufferPointer) {
        let account = popups[popups.relations[index].popup].account
        let tree = pages.index(of: text[page.tree]) ?? makeTree(text[page.tree], of: account)
        let bytes = store.usedBytes
        popups.relations[index].page = store.store(text[page.value])
        charge(account, since: bytes)
        popups.relations[index].scope = page.scope
        link(index, to: tree)
    }

    /// Appends a popup to those that are bound to a tree.
    mutating func link(_ index: RelationFields.Index, to tree: PageTree.Index) {
        popups.relations[index].tree = tree
        popups.relations.append(index, to: &pages[tree].bound)
        pages[tree].boundCount += 1
        popups.relations[index].isOnPage = isOnPageNow(index)
        updateConditions(of: popups.relations[index].popup)
    }

    mutating func unbind(_ index: RelationFields.Index) {
        guard let tree = popups.relations[index].tree else { return }
        popups.relations.remove(index, from: &pages[tree].bound)
        popups.relations[index].tree = nil
        pages[tree].boundCount -= 1
        forgetTreeIfEmpty(tree)
    }

    // MARK: - Paths

    /// Returns the values from the root of a tree to a page, or to the current page if `node` is `nil`; empty if there
    /// is no such page.
    public func path(inTree tree: RawSpan, node: RawSpan?) -> [String] {
        guard let tree = tree.withUnsafeBytes({ pages.index(of: $0) }) else { return [] }
        var path = pages[tree].path
        if let node {
            let index = node.withUnsafeBytes { pages[tree].index(of: $0) }
            path = index.map { pages[tree].path(to: $0) } ?? []
        }
        return path.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the values from the root to the current page of the tree that the policy of a group names.
    public func path(ofGroup name: RawSpan) -> [String] {
        let policy = name.withUnsafeBytes { name in
            findGroup(name).map { groups[$0].policy } ?? policies.index(for: name)
        }
        return path(inTree: policies[policy].pageTree.span.bytes, node: nil)
    }

    /// Adds the path to the current page of the policy's tree to the last event.
    mutating func addPath(under policy: PolicyTable.Index) {
        guard let tree = pages.index(of: policies[policy].pageTree) else { return }
        transaction.output.addPath(pages[tree].path)
    }
}
