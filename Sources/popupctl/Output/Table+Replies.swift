import PopupClient
import PopupProtocol
import TerminalText

// The tables of what queries find.
extension Table {
    /// Creates a table of groups with the numbers of their popups.
    init(of groups: [GroupCounts]) {
        self.init(["GROUP", "ACTIVE", "WAITING", "PAUSED", "DELAYED", "SESSION"])
        for counts in groups {
            add([
                counts.group, counts.active.onOneLine + (counts.offered ? " (offered)" : ""), "\(counts.waiting)",
                "\(counts.paused)", "\(counts.delayed)", counts.session.onOneLine,
            ])
        }
    }

    /// Creates a table of closed popups: when, how, and what they said.
    init(of popups: [ClosedPopup]) {
        self.init(["CLOSED", "GROUP", "ID", "HOW", "SHOWN FOR", "CONTENT"])
        for popup in popups {
            let detail = popup.closed.action.isEmpty ? popup.cause : popup.closed.action
            add([
                WatchLine.dateAndTime(milliseconds: popup.time), popup.group, popup.id.onOneLine,
                popup.closed.reason.name + (detail.isEmpty ? "" : " \(detail.onOneLine)"),
                popup.closed.displayedMs == 0 ? "never" : Words.time(milliseconds: popup.closed.displayedMs),
                Words.content(title: popup.title, excerpt: popup.excerpt),
            ])
        }
    }

    /// Creates a table of suspensions.
    init(of suspensions: [PopupSuspension]) {
        self.init(["TOKEN", "GROUP", "BELOW PRIORITY", "SINCE", "BY"])
        for suspension in suspensions {
            add([
                suspension.token.onOneLine, suspension.group,
                suspension.minPriority.map { "\($0)" } ?? "",
                suspension.since > 0 ? WatchLine.dateAndTime(milliseconds: suspension.since) : "", suspension.by,
            ])
        }
    }

    /// Creates a table of renderers with a lease, and what they display.
    init(of renderers: [RendererSummary]) {
        self.init(["CLIENT", "GROUPS", "DISPLAYS", "LAST SEEN"])
        for renderer in renderers {
            let displays = renderer.displays.map { "\($0.id.onOneLine)\($0.visible ? "" : " (hidden)")" }
            add([
                renderer.client, renderer.groups.joined(separator: ", "), displays.joined(separator: ", "),
                "\(Words.time(milliseconds: renderer.silentMs)) ago",
            ])
        }
    }

    /// Creates a table of producers with their sequences.
    init(of producers: [ProducerSequences]) {
        self.init(["PRODUCER", "SETTLED UP TO", "HIGHEST", "LIVE POPUPS", "LAST SENT", "BY"])
        for producer in producers {
            add([
                producer.producer, "\(producer.cumulative)", "\(producer.highest)", "\(producer.popups)",
                "\(Words.time(.milliseconds(producer.silentMs))) ago", producer.by,
            ])
        }
    }
}
