// Commands that concern groups, not one popup. A pattern is the name of a group, `shop/*` for the groups below `shop`, or
// `*` for every group.
extension PopupCenter {
    /// Closes the active popup of a group, if there is one, and shows the next. `minimumDisplay` is kept.
    public func advance(_ group: String) {
        var text = TextBuilder()
        try? perform(.advance(group: text.add(group)), text)
    }

    /// Closes popups, the waiting ones too.
    ///
    /// - Parameters:
    ///   - pattern: Their groups.
    ///   - priority: Only popups below it are closed; `nil`: all.
    public func clear(_ pattern: String = "*", below priority: Int32? = nil) {
        var text = TextBuilder()
        var selector = Selector()
        selector.pattern = text.add(pattern)
        selector.priorityBelow = priority
        try? perform(.clear(selector), text)
    }

    /// Holds back popups until `resume`. The active popup is paused, and comes back with the time it had left.
    ///
    /// - Parameters:
    ///   - token: Names the suspension. The same token again replaces it; several tokens hold back together.
    ///   - pattern: The groups.
    ///   - priority: Only popups below it are held back; `nil`: all.
    /// - Throws: `PopupRefusal`: `overload` for the limit `suspensions`, `invalid` for an empty token.
    public func suspend(_ token: String, in pattern: String = "*", below priority: Int32? = nil) throws(PopupRefusal) {
        guard !token.isEmpty else { throw .invalid("token", "is empty; name the suspension") }
        var text = TextBuilder()
        let suspension = Suspension(pattern: text.add(pattern), token: text.add(token), minimumPriority: priority)
        try perform(.suspend(suspension), text)
    }

    /// Ends a suspension. Without effect if there is none with this token.
    public func resume(_ token: String) {
        var text = TextBuilder()
        try? perform(.resume(token: text.add(token)), text)
    }

    /// Sets the policy of a group or pattern, also for popups that are there. A name comes before a pattern, and a
    /// longer pattern before a shorter one.
    ///
    /// - Throws: `PopupRefusal`: `invalid` for a value outside its range, `overload` for the limit `policies`.
    public func setPolicy(_ policy: Policy, for pattern: String = "*") throws(PopupRefusal) {
        try policy.check()
        var text = TextBuilder()
        try perform(.setPolicy(pattern: text.add(pattern), policy), text)
    }

    /// Removes the policy of a group or pattern: the next one in order holds.
    public func removePolicy(for pattern: String) {
        var text = TextBuilder()
        try? perform(.removePolicy(pattern: text.add(pattern)), text)
    }

    /// Sets the session of a group, such as the signed-in user. Popups of another session close; those without a session
    /// stay.
    ///
    /// - Throws: `PopupRefusal`: `invalid` for the name of a group, `tooLarge` for a session.
    public func setSession(of group: String, to session: String) throws(PopupRefusal) {
        try PopupRefusal.checkGroup(group)
        var text = TextBuilder()
        try perform(.setSession(group: text.add(group), session: text.add(session)), text)
    }

    // MARK: - Pages

    /// Opens a page of a tree: a screen of the application. The first one is the root of its tree and is current.
    ///
    /// - Parameters:
    ///   - page: Names the page within its tree.
    ///   - value: What popups are bound to. Several pages may have the same value.
    ///   - parent: The page above; `nil` for the root.
    ///   - tree: Names the tree.
    /// - Throws: `PopupRefusal`: `invalid`, `notFound` for the parent, `conflict` for a page that is open elsewhere.
    public func openPage(
        _ page: String, value: String, below parent: String? = nil, in tree: String
    ) throws(PopupRefusal) {
        guard !page.isEmpty, !value.isEmpty, !tree.isEmpty else {
            throw .invalid("page", "has an empty name, value or tree; name all three")
        }
        var text = TextBuilder()
        let change = PageChange(
            tree: text.add(tree),
            .open(node: text.add(page), parent: text.add(parent ?? ""), value: text.add(value)))
        try perform(.page(change), text)
    }

    /// Makes a page the current one of its tree.
    ///
    /// - Throws: `PopupRefusal`: `notFound`.
    public func enterPage(_ page: String, in tree: String) throws(PopupRefusal) {
        var text = TextBuilder()
        try perform(.page(PageChange(tree: text.add(tree), .enter(node: text.add(page)))), text)
    }

    /// Closes a page and those below it. Popups that are bound to a value which no page has any more close.
    ///
    /// - Throws: `PopupRefusal`: `notFound`.
    public func closePage(_ page: String, in tree: String) throws(PopupRefusal) {
        var text = TextBuilder()
        try perform(.page(PageChange(tree: text.add(tree), .close(node: text.add(page)))), text)
    }

    // MARK: - The screen's part

    /// Answers the offer of a popup, which a policy with `offer` or a popup with `offer` makes before it is shown.
    ///
    /// - Throws: `PopupRefusal`: `stale` if the popup is not offered, `notFound`.
    public func answer(_ id: String, _ choice: Answer.Choice) throws(PopupRefusal) {
        var text = TextBuilder()
        try perform(.answer(Answer(id: text.add(id), client: text.add("app"), choice)), text)
    }

    /// Reports what the screen did with the active popup. Under a policy whose `clock` is `visible`, display time passes
    /// only between `.visible` and `.hidden`. A report of a popup that is not active is without effect.
    ///
    /// - Throws: `PopupRefusal`: `notFound`.
    public func report(_ id: String, _ kind: Report.Kind) throws(PopupRefusal) {
        var text = TextBuilder()
        try perform(.report(Report(id: text.add(id), client: text.add("app"), kind)), text)
    }
}
