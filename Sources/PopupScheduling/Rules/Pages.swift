// Pages: a session's screens are a tree with one current page. Popups bound to a page are shown only on it, or on the way
// to it, and close with the last page that has its value.
extension Scheduler {
    mutating func page(_ change: PageChange, _ text: UnsafeRawBufferPointer) -> Refusal? {
        switch obstacle(to: change, text) {
        case .refuse(let refusal): return refuse(refusal, group: nothing, popup: nothing)
        case .nothingToDo: return nil
        case .none: break
        }
        let tree = pages.place(of: text[change.tree]) ?? pages.make(text[change.tree])
        let bound = boundPopups(of: tree)
        let before = bound.map { isOnItsPage(popups[$0].particulars) }
        let had = bound.map { pages[tree].has(value: store[particulars[popups[$0].particulars].page]) }
        enact(change, on: tree, text)

        let node = if case .close(let node) = change.kind { text[node] } else { nothing }
        var closed: Set<Int32> = []
        var freed: Set<Int32> = []
        for (index, popup) in bound.enumerated() {
            let place = popups[popup].particulars
            if had[index], !pages[tree].has(value: store[particulars[place].page]) {
                closed.insert(popup)
            } else if !before[index], isOnItsPage(place) {
                freed.insert(popup)
            }
        }
        for group in inNameOrder(bound.map { popups[$0].group }) {
            let chosen = lineUp(group).filter(closed.contains)
            let line = line(of: group).filter(freed.contains)
            close(chosen, .pageClosed, detail: node, in: group, freed: line)
        }
        pages.forgetIfEmpty(tree)
        return nil
    }

    private enum Obstacle {
        case refuse(Refusal)
        case nothingToDo
    }

    /// Why a change can't be made, or needn't.
    private func obstacle(to change: PageChange, _ text: UnsafeRawBufferPointer) -> Obstacle? {
        let place = pages.place(of: text[change.tree])
        switch change.kind {
        case .open(let node, let parent, let value):
            guard max(change.tree.count, node.count, parent.count, value.count) <= Limits.nameBytes else {
                return .refuse(.tooLong)
            }
            return obstacle(toOpening: text[node], below: text[parent], text[value], in: place)
        case .enter(let node):
            guard let place, let index = pages[place].index(of: text[node]) else { return .refuse(.unknownPage) }
            return index == pages[place].current ? .nothingToDo : nil
        case .close(let node):
            guard let place, pages[place].index(of: text[node]) != nil else { return .refuse(.unknownPage) }
        case .clear:
            guard let place, !pages[place].pages.isEmpty else { return .nothingToDo }
        }
        return nil
    }

    private func obstacle(
        toOpening node: UnsafeRawBufferPointer, below parent: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
        in place: Int32?
    ) -> Obstacle? {
        guard let place, !pages[place].pages.isEmpty else {
            guard parent.isEmpty else { return .refuse(.unknownPage) }
            return place == nil && pages.count >= limits.trees ? .refuse(.limit(.trees)) : nil
        }
        let all = pages[place].pages
        if let index = pages[place].index(of: node) {
            let itsParent = all[index].parent.map { all[$0].node } ?? []
            let isSame =
                itsParent.withUnsafeBytes { $0.equals(parent) } && all[index].value.withUnsafeBytes { $0.equals(value) }
            return isSame ? .nothingToDo : .refuse(.pageExists)
        }
        if parent.isEmpty { return .refuse(.rootExists) }
        guard let above = pages[place].index(of: parent) else { return .refuse(.unknownPage) }
        if all.count >= limits.pagesPerTree { return .refuse(.limit(.pagesPerTree)) }
        return pages[place].path(to: above).count >= limits.pageDepth ? .refuse(.limit(.pageDepth)) : nil
    }

    private mutating func enact(_ change: PageChange, on tree: Int32, _ text: UnsafeRawBufferPointer) {
        switch change.kind {
        case .open(let node, let parent, let value):
            let above = pages[tree].index(of: text[parent])
            pages[tree].pages.append(Page(node: Array(text[node]), value: Array(text[value]), parent: above))
        case .enter(let node):
            pages[tree].current = pages[tree].index(of: text[node]) ?? 0
        case .close(let node):
            if let index = pages[tree].index(of: text[node]) { pages[tree].close(index) }
        case .clear:
            pages[tree].pages = []
            pages[tree].current = 0
        }
    }

    // MARK: - Popups bound to pages

    /// Whether the page of particulars is where it has to be; true of a popup that is bound to none.
    func isOnItsPage(_ place: Int32) -> Bool {
        let binding = particulars[place]
        guard binding.tree != nobody else { return true }
        let path = pages[binding.tree].currentPath
        let value = store[binding.page]
        let places = binding.scope == .current ? path.suffix(1) : path[...]
        return places.contains { index in pages[binding.tree].pages[index].value.withUnsafeBytes { $0.equals(value) } }
    }

    mutating func bind(_ popup: Int32, to page: PageBinding, _ text: UnsafeRawBufferPointer) {
        let place = popups[popup].particulars
        particulars[place].tree = pages.place(of: text[page.tree]) ?? pages.make(text[page.tree])
        particulars[place].page = store.store(text[page.value])
        particulars[place].scope = page.scope
        linkToTree(popup)
    }

    /// Makes a popup the youngest of those that are bound to its tree.
    mutating func linkToTree(_ popup: Int32) {
        let place = popups[popup].particulars
        let tree = particulars[place].tree
        let youngest = pages[tree].youngestBound
        particulars[place].olderBound = youngest
        if youngest == nobody {
            pages[tree].oldestBound = popup
        } else {
            particulars[popups[youngest].particulars].youngerBound = popup
        }
        pages[tree].youngestBound = popup
    }

    mutating func unbind(_ popup: Int32) {
        let place = popups[popup].particulars
        let tree = particulars[place].tree
        guard tree != nobody else { return }
        let (older, younger) = (particulars[place].olderBound, particulars[place].youngerBound)
        if older == nobody {
            pages[tree].oldestBound = younger
        } else {
            particulars[popups[older].particulars].youngerBound = younger
        }
        if younger == nobody {
            pages[tree].youngestBound = older
        } else {
            particulars[popups[younger].particulars].olderBound = older
        }
        particulars[place].tree = nobody
        pages.forgetIfEmpty(tree)
    }

    private func boundPopups(of tree: Int32) -> [Int32] {
        var bound: [Int32] = []
        var popup = pages[tree].oldestBound
        while popup != nobody {
            bound.append(popup)
            popup = particulars[popups[popup].particulars].youngerBound
        }
        return bound
    }

    // MARK: - Paths

    /// The values from the root of a tree to a page, or to the current one; empty when there is no such page.
    public func path(inTree tree: RawSpan, node: RawSpan?) -> [String] {
        let place = tree.withUnsafeBytes { pages.place(of: $0) }
        guard let place else { return [] }
        var path = pages[place].currentPath
        if let node {
            let index = node.withUnsafeBytes { pages[place].index(of: $0) }
            path = index.map { pages[place].path(to: $0) } ?? []
        }
        return path.map { String(decoding: pages[place].pages[$0].value, as: UTF8.self) }
    }

    /// The values from the root to the current page of the tree to which the policy of a group ties it.
    public func path(ofGroup name: RawSpan) -> [String] {
        let policy = name.withUnsafeBytes { name in
            findGroup(name).map { groups[$0].policy } ?? policies.place(for: name)
        }
        return path(inTree: policies[policy].pageTree.span.bytes, node: nil)
    }

    /// Lets the event told last carry the way to the current page of the policy's tree.
    mutating func tellPath(under policy: Int32) {
        guard let place = pages.place(of: policies[policy].pageTree) else { return }
        output.addPath(pages[place].currentPath.map { pages[place].pages[$0].value })
    }
}
