import ArgumentParser
import PopupClient

/// The options that select popups. All of them must match.
struct SelectorOptions: ParsableArguments {
    @OptionGroup var target: PatternArgument

    @Option(help: "Only popups of this surface.")
    var surface: String?

    @Option(help: "Only popups with this collapse key.")
    var collapseKey: String?

    @Option(help: "Only popups of this producer.")
    var producer: String?

    @Option(parsing: .unconditional, help: "Only popups of lower priority.")
    var priorityBelow: Int32?

    @Option(parsing: .unconditional, help: "Only popups of higher priority.")
    var priorityAbove: Int32?

    @Flag(help: "Active popups; without --active, --waiting and --paused, all of them.")
    var active = false

    @Flag(help: "Waiting and delayed popups.")
    var waiting = false

    @Flag(help: "Paused popups.")
    var paused = false

    /// The group or pattern, if one is given.
    var groups: [String] { target.groups }

    var selector: PopupSelector {
        var selector = PopupSelector()
        selector.group = target.pattern ?? ""
        selector.surface = surface ?? ""
        selector.collapseKey = collapseKey ?? ""
        selector.producer = producer ?? ""
        if let priorityBelow { selector.priorityBelow = priorityBelow }
        if let priorityAbove { selector.priorityAbove = priorityAbove }
        selector.active = active
        selector.waiting = waiting
        selector.paused = paused
        return selector
    }
}
