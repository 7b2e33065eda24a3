import PopupScheduling

/// The screens of a session, and sessions.
extension ReferenceScheduler {
    func isOnItsPage(_ popup: Popup) -> Bool {
        guard let page = popup.request.page else { return true }
        let path = path(in: page.tree)
        return page.scope == .current ? path.last == page.value : path.contains(page.value)
    }

    /// The values from the root to the current page.
    func path(in tree: String) -> [String] {
        guard let tree = trees[tree] else { return [] }
        return way(to: tree.current, in: tree).map(\.value)
    }

    private func way(to node: String, in tree: Tree) -> [Tree.Page] {
        guard let page = tree.pages.first(where: { $0.node == node }) else { return [] }
        return page.parent.isEmpty ? [page] : way(to: page.parent, in: tree) + [page]
    }

    func changePages(_ name: String, _ change: Instruction.PageStep) -> Refusal? {
        let before = open()
        let values = trees[name]?.pages.map(\.value) ?? []
        switch change {
        case .open(let node, let parent, let value):
            if let refusal = open(node, parent, value, in: name) { return refusal }
        case .enter(let node):
            if !has(node, in: name) { return refuse(.notFound, .unknownPage, "", in: "") }
            trees[name]!.current = node
        case .close(let node):
            if !has(node, in: name) { return refuse(.notFound, .unknownPage, "", in: "") }
            close(node, in: name)
        case .clear:
            trees[name] = nil
        }
        let gone = Set(values).subtracting(trees[name]?.pages.map(\.value) ?? [])
        for group in groupsInOrder {
            let bound = closingOrder(of: group).filter { popup in
                popup.request.page.map { $0.tree == name && gone.contains($0.value) } ?? false
            }
            close(bound, .pageClosed)
            // The slot that one of them left goes to its flow or the queue.
            let isLeft = bound.contains(where: \.isInSlot)
            reconsider(group) { !isLeft && !before.contains($0.id) }
        }
        return nil
    }

    private func has(_ node: String, in tree: String) -> Bool {
        trees[tree]?.pages.contains { $0.node == node } ?? false
    }

    private func open(_ node: String, _ parent: String, _ value: String, in name: String) -> Refusal? {
        let isBelowUnknown = !parent.isEmpty && !has(parent, in: name)
        let page = Tree.Page(node: node, parent: parent, value: value)
        guard let tree = trees[name] else {
            if isBelowUnknown { return refuse(.notFound, .unknownPage, "", in: "") }
            if let cause = admissionErrorOfTree(name, of: sender) { return refuse(.overload, cause, "", in: "") }
            own(.tree(name), by: account(for: sender))
            trees[name] = Tree(pages: [page], current: node)
            return nil
        }
        if let present = tree.pages.first(where: { $0.node == node }) {
            if present.parent == parent && present.value == value { return nil }
            return refuse(.conflict, .pageExists, "", in: "")
        }
        if isBelowUnknown { return refuse(.notFound, .unknownPage, "", in: "") }
        if parent.isEmpty { return refuse(.conflict, .rootExists, "", in: "") }
        if tree.pages.count >= limits.pagesPerTree { return refuse(.overload, .limit(.pagesPerTree), "", in: "") }
        if way(to: parent, in: tree).count >= limits.pageDepth {
            return refuse(.overload, .limit(.pageDepth), "", in: "")
        }
        trees[name]!.pages.append(page)
        return nil
    }

    /// The page goes with all below it.
    private func close(_ node: String, in name: String) {
        let tree = trees[name]!
        let closed = tree.pages.first { $0.node == node }!
        if closed.parent.isEmpty {
            trees[name] = nil
            return
        }
        func isBelow(_ page: Tree.Page) -> Bool { way(to: page.node, in: tree).contains { $0.node == node } }
        trees[name]!.pages.removeAll(where: isBelow)
        if !has(tree.current, in: name) { trees[name]!.current = closed.parent }
    }

    // MARK: - Sessions

    func isInItsSession(_ popup: Popup) -> Bool {
        popup.request.session.isEmpty || popup.request.session == sessions[popup.group, default: ""]
    }

    func setSession(_ group: String, _ session: String) -> Refusal? {
        let old = sessions[group, default: ""]
        if session == old { return nil }
        if let cause = admissionErrorOfUsing(group, by: sender) { return refuse(.overload, cause, "", in: group) }
        if !session.isEmpty { own(.group(group), by: account(for: sender)) }
        let before = open()
        if revisions[group] == nil { revisions[group] = 0 }
        sessions[group] = session
        let ended = closingOrder(of: group).filter { !old.isEmpty && $0.request.session == old }
        close(ended, .sessionEnded)
        let isLeft = ended.contains(where: \.isInSlot)
        reconsider(group) { !isLeft && !before.contains($0.id) }
        return nil
    }
}
