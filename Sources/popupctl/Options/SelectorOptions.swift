import ArgumentParser
import PopupClient

/// Which popups: each option narrows the choice.
struct SelectorOptions: ParsableArguments {
    @Argument(help: "A group or a pattern (store-12/*, *).")
    var group: String?

    @Option(help: "Only those of this surface.")
    var surface: String?

    @Option(help: "Only those with this collapse key.")
    var collapseKey: String?

    @Option(help: "Only those of this producer.")
    var producer: String?

    @Option(parsing: .unconditional, help: "Only those of a lower priority.")
    var priorityBelow: Int32?

    @Option(parsing: .unconditional, help: "Only those of a higher priority.")
    var priorityAbove: Int32?

    @Flag(help: "Those that are shown; without --active, --waiting and --paused: all three.")
    var active = false

    @Flag(help: "Those that wait, delayed ones too.")
    var waiting = false

    @Flag(help: "Those that are paused.")
    var paused = false

    var selector: PopupSelector {
        var selector = PopupSelector()
        selector.group = group ?? ""
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
