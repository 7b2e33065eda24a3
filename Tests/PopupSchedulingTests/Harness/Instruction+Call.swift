import PopupScheduling

extension Instruction {
    /// The command as a timeline calls it: `show("A", priority: 1)`.
    var call: String {
        switch self {
        case .show(let request): "show(\(request.arguments.joined(separator: ", ")))"
        case .update(let change): "update(\(change.arguments.joined(separator: ", ")))"
        case .dismiss(let id, let action, let revision, let client):
            called(
                "dismiss",
                [quoted(id), quoted(action)] + argument("revision", revision, nil) + argument("by", client, ""))
        case .advance(let group): "advance(\"\(group)\")"
        case .clear(let choice): "clear { \(choice.settings.joined(separator: "; ")) }"
        case .suspend(let pattern, let token, let minimum):
            "suspend(\"\(token)\", in: \"\(pattern)\"\(minimum.map { ", below: \($0)" } ?? ""))"
        case .resume(let token): "resume(\"\(token)\")"
        case .removePolicy(let pattern): "removePolicy(for: \"\(pattern)\")"
        case .policy(let pattern, let policy):
            "policy(for: \"\(pattern)\") { \(policy.settings.joined(separator: "; ")) }"
        case .setSession(let group, let session): called("setSession", [quoted(session)] + argument("in", group, "g"))
        case .setWallClock(let ahead): "setWallClock(ahead: \(ahead))"
        case .report(let id, let client, let kind): called("\(kind)", [quoted(id), "by: \(quoted(client))"])
        case .answer(let id, let client, .accept): called("accept", [quoted(id)] + argument("by", client, "r1"))
        case .answer(let id, let client, .veto): called("veto", [quoted(id)] + argument("by", client, "r1"))
        case .answer(let id, let client, .later(let retry)):
            called("later", [quoted(id)] + argument("by", client, "r1") + argument("retry", retry, nil))
        case .lease(let client, let patterns): called("lease", [quoted(client), "\(patterns)"])
        case .page(let tree, .open(let node, let parent, let value)):
            called(
                "open",
                [quoted(node)] + argument("below", parent, "") + argument("value", value, node)
                    + argument("in", tree, "t"))
        case .page(let tree, .enter(let node)): called("enter", [quoted(node)] + argument("in", tree, "t"))
        case .page(let tree, .close(let node)): called("close", [quoted(node)] + argument("in", tree, "t"))
        case .page(let tree, .clear): called("clearPages", argument("in", tree, "t"))
        }
    }

    private func called(_ name: String, _ arguments: [String]) -> String {
        "\(name)(\(arguments.joined(separator: ", ")))"
    }
}

extension Timeline {
    /// The code of a timeline, with what the reference says of it.
    static func code(of script: [Told], setting: Setting) -> String {
        let limits =
            setting.limits == .tight
            ? ["limits: .tight"] : setting.limits == .tightForUsers ? ["limits: .tightForUsers"] : []
        let seed = setting.seed == 0 ? [] : ["seed: \(setting.seed)"]
        var lines = ["Timeline(\((limits + seed).joined(separator: ", ")))"]
        var timeline = Timeline(limits: setting.limits, seed: setting.seed)
        var last: Milliseconds?
        var sender: ProducerID?
        var user = ""
        for told in script {
            let at = told.at == last ? "" : ".at(\(told.at))"
            last = told.at
            let named = told.sender.map { "ProducerID(high: \($0.high), low: \($0.low))" } ?? "nil"
            let from = told.sender == sender ? "" : ".from(\(named))"
            sender = told.sender
            let by = told.user == user ? "" : ".user(\(quoted(told.user)))"
            user = told.user
            lines.append("    \(at)\(by)\(from).\(told.instruction.call)")
            timeline = timeline.at(told.at).user(told.user).from(told.sender).tell(told.instruction)
        }
        let reference = ReferenceScheduler(limits: setting.limits, seed: setting.seed)
        let expected = timeline.run(on: reference).map { "        \($0)" }
        return (lines + ["    .gives(", "        \"\"\""] + expected + ["        \"\"\")"]).joined(separator: "\n")
    }
}

private func quoted(_ text: String) -> String { "\"\(text)\"" }

/// `name: value`, unless it is the default.
private func argument<Value: Equatable>(_ name: String, _ value: Value, _ ordinary: Value) -> [String] {
    value == ordinary ? [] : ["\(name): \(code(value))"]
}

/// `$0.name = value`, unless it is the default.
private func setting<Value: Equatable>(_ name: String, _ value: Value, _ ordinary: Value) -> [String] {
    value == ordinary ? [] : ["$0.\(name) = \(code(value))"]
}

private func code(_ value: Any) -> String {
    switch value {
    case let text as String: quoted(text)
    case let bytes as [UInt8]: "Array(\"\(String(decoding: bytes, as: UTF8.self))\".utf8)"
    case let flow as Instruction.Flow: ".init(\(flow.arguments.joined(separator: ", ")))"
    case let page as Instruction.Page: ".init(\(page.arguments.joined(separator: ", ")))"
    case let caps as [Cap]: "[\(caps.map(\.code).joined(separator: ", "))]"
    case let windows as [QuietWindow]: "[\(windows.map(\.code).joined(separator: ", "))]"
    case let producer as ProducerID: "ProducerID(high: \(producer.high), low: \(producer.low))"
    case let word as any RawRepresentable: ".\(word)"
    default: "\(value)".replacing(/^Optional\((.*)\)$/) { $0.1 }
    }
}

extension Instruction.Request {
    fileprivate var arguments: [String] {
        ["\"\(id)\""] + argument("in", group, "g") + argument("priority", priority, 0)
            + argument("duration", duration, 0) + argument("ttl", timeToLive, 0) + argument("delay", delay, 0)
            + argument("minDisplay", minimumDisplay, 0) + argument("exclusive", exclusive, .none)
            + argument("key", collapseKey, "") + argument("surface", surface, "")
            + argument("interruptible", interruptible, true) + argument("producer", producer, nil)
            + argument("content", content, "") + argument("flow", flow, nil) + argument("page", page, nil)
            + argument("session", session, "") + argument("offer", offer, 0) + argument("quorum", quorum, 0)
            + argument("quorumAll", quorumAll, false) + argument("capKey", capKey, "")
    }
}

extension Instruction.Flow {
    fileprivate var arguments: [String] {
        [quoted(key)] + argument("stage", stage, 0) + argument("requires", requires, "")
            + argument("action", action, "") + argument("hold", hold, 0)
    }
}

extension Instruction.Page {
    fileprivate var arguments: [String] {
        [quoted(value)] + (scope == .current ? [] : [".\(scope)"]) + argument("in", tree, "t")
    }
}

extension Cap {
    fileprivate var code: String {
        let arguments = argument("key", key, []) + ["most: \(most)", "window: \(window)"]
        return "Cap(\(arguments.joined(separator: ", ")))"
    }
}

extension QuietWindow {
    fileprivate var code: String {
        let arguments = ["from: \(from)", "to: \(to)", "zone: \(zone.code)"]
        return "QuietWindow(\((arguments + argument("minimumPriority", minimumPriority, nil)).joined(separator: ", ")))"
    }
}

extension TimeZoneRules {
    fileprivate var code: String {
        if self == .utc { return ".utc" }
        let changes = transitions.map { ".init(at: \($0.at), offset: \($0.offset))" }.joined(separator: ", ")
        return "TimeZoneRules(initialOffset: \(initialOffset), transitions: [\(changes)])"
    }
}

extension Instruction.Change {
    fileprivate var arguments: [String] {
        ["\"\(id)\""] + argument("priority", priority, nil) + argument("duration", duration, nil)
            + argument("restartTimer", restartTimer, false) + argument("interruptible", interruptible, nil)
            + argument("content", content, nil)
    }
}

extension Instruction.Choice {
    fileprivate var settings: [String] {
        setting("pattern", pattern, "") + setting("surface", surface, "") + setting("collapseKey", collapseKey, "")
            + setting("producer", producer, nil) + setting("priorityBelow", priorityBelow, nil)
            + setting("priorityAbove", priorityAbove, nil) + setting("active", active, false)
            + setting("waiting", waiting, false) + setting("paused", paused, false)
    }
}

extension Policy {
    fileprivate var settings: [String] {
        let usual = Policy()
        return setting("higher", higher, usual.higher) + setting("peers", peers, usual.peers)
            + setting("lower", lower, usual.lower) + setting("ignorePriority", ignorePriority, false)
            + setting("resumption", resumption, .remaining) + setting("gap", gap, 0...0)
            + setting("defaultDuration", defaultDuration, 0) + setting("maxDuration", maxDuration, 0)
            + setting("maxWaiting", maxWaiting, nil) + setting("overflow", overflow, .rejectNew)
            + setting("gather", gather, 0) + setting("clock", clock, usual.clock) + setting("offer", offer, 0)
            + setting("offerDefault", offerDefault, usual.offerDefault) + setting("retry", retry, usual.retry)
            + setting("displayTimeout", displayTimeout, 0) + setting("undisplayed", undisplayed, usual.undisplayed)
            + setting("rendererLost", rendererLost, usual.rendererLost)
            + setting("maxAttempts", maxAttempts, usual.maxAttempts) + setting("quorum", quorum, 1)
            + setting("quorumAll", quorumAll, false) + setting("aging", aging, 0) + setting("caps", caps, [])
            + setting("quiet", quiet, []) + setting("pageTree", pageTree, [])
    }
}
