import PopupScheduling

extension Instruction {
    /// The command as a timeline calls it: `show("A", priority: 1)`.
    var call: String {
        switch self {
        case .show(let request): "show(\(request.arguments.joined(separator: ", ")))"
        case .update(let change): "update(\(change.arguments.joined(separator: ", ")))"
        case .dismiss(let id, let action, let revision):
            "dismiss(\"\(id)\", \"\(action)\"\(revision.map { ", revision: \($0)" } ?? ""))"
        case .advance(let group): "advance(\"\(group)\")"
        case .clear(let choice): "clear { \(choice.settings.joined(separator: "; ")) }"
        case .suspend(let pattern, let token, let minimum):
            "suspend(\"\(token)\", in: \"\(pattern)\"\(minimum.map { ", below: \($0)" } ?? ""))"
        case .resume(let token): "resume(\"\(token)\")"
        case .removePolicy(let pattern): "removePolicy(for: \"\(pattern)\")"
        case .policy(let pattern, let policy):
            "policy(for: \"\(pattern)\") { \(policy.settings.joined(separator: "; ")) }"
        }
    }
}

extension Timeline {
    /// The code of a timeline, with what the reference says of it.
    static func code(of script: [Told], setting: Setting) -> String {
        let limits = setting.limits == .tight ? ["limits: .tight"] : []
        let seed = setting.seed == 0 ? [] : ["seed: \(setting.seed)"]
        var lines = ["Timeline(\((limits + seed).joined(separator: ", ")))"]
        var timeline = Timeline(limits: setting.limits, seed: setting.seed)
        var last: Milliseconds?
        for told in script {
            let at = told.at == last ? "" : ".at(\(told.at))"
            last = told.at
            lines.append("    \(at).\(told.instruction.call)")
            timeline = timeline.at(told.at).tell(told.instruction)
        }
        let reference = ReferenceScheduler(limits: setting.limits, seed: setting.seed)
        let expected = timeline.run(on: reference).map { "        \($0)" }
        return (lines + ["    .gives(", "        \"\"\""] + expected + ["        \"\"\")"]).joined(separator: "\n")
    }
}

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
    case let text as String: "\"\(text)\""
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
            + argument("content", content, "")
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
            + setting("defaultDuration", defaultDuration, 0) + setting("maximumDuration", maximumDuration, 0)
            + setting("maximumWaiting", maximumWaiting, nil) + setting("overflow", overflow, .rejectNew)
    }
}
