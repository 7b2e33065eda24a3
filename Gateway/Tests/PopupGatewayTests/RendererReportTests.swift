@_spi(Wire) import PopupClient
import PopupProtocol
import Synchronization
import Testing

@testable import PopupGateway

@Suite("Reports of the gateway and of the renderer itself")
struct RendererReportTests {
    /// The reports in the order in which the broker gets them.
    private final class Broker: Sendable {
        private let reports = Mutex<[String]>([])

        func receive(_ report: String) { reports.withLock { $0.append(report) } }

        func takeReports() -> [String] {
            reports.withLock { reports in
                defer { reports = [] }
                return reports
            }
        }
    }

    private let reports = RendererReports()
    private let broker = Broker()

    private func write(_ items: Watch.Item...) -> Bool {
        for item in items { reports.take(item, at: .now) }
        return reports.recordWritten()
    }

    /// Reports to the broker.
    ///
    /// - Parameter meanwhile: What happens after a popup is reported as displayed.
    private func report(meanwhile: @escaping @Sendable (_ popup: String) -> Void = { _ in }) async {
        await reports.report { [broker] popup in
            broker.receive("\(popup) displayed")
            meanwhile(popup)
        } visible: { [broker] shown, isOld in
            broker.receive("\(shown.popup) visible\(isOld ? ", old" : "")")
        }
    }

    /// Sends a report of the renderer, as a request does.
    private func sendHidden(_ popup: String, group: String = "lobby") {
        reports.recordReport(ofRendererOn: .init(popup: popup, group: group), isHidden: true)
        broker.receive("\(popup) hidden")
    }

    @Test("Each showing whose bytes are written is displayed and visible, once")
    func written() async {
        #expect(write(state("a", since: 1), state("b", since: 4, group: "kitchen")))
        await report()
        #expect(broker.takeReports() == ["a displayed", "a visible", "b displayed", "b visible"])
        // The same showing comes again; an update is another one.
        #expect(!write(state("a", since: 1)))
        #expect(write(state("a", since: 2)))
        await report()
        #expect(broker.takeReports() == ["a displayed", "a visible"])
    }

    @Test("What is not written is not reported, and neither is a popup that has gone")
    func unwritten() async {
        #expect(!reports.recordWritten())
        reports.take(state("a", since: 1), at: .now)
        await report()
        #expect(broker.takeReports().isEmpty)
        #expect(!write(state(nil, since: 2)))
        await report()
        #expect(broker.takeReports().isEmpty)
    }

    @Test("The renderer's report is the last, whether it comes before, during or after that of the gateway")
    func renderer() async {
        reports.take(state("a", since: 1), at: .now)
        sendHidden("a")
        #expect(reports.recordWritten())
        await report()
        #expect(broker.takeReports() == ["a hidden", "a displayed"])

        #expect(write(state("a", since: 2)))
        sendHidden("a")
        await report()
        #expect(broker.takeReports() == ["a hidden", "a displayed"])

        #expect(write(state("a", since: 3)))
        await report { popup in sendHidden(popup) }
        #expect(broker.takeReports() == ["a displayed", "a hidden"])

        #expect(write(state("a", since: 4)))
        await report()
        sendHidden("a")
        #expect(broker.takeReports() == ["a displayed", "a visible", "a hidden"])
    }

    @Test("A renderer's report counts for the popup that it names, and not for a later showing")
    func others() async {
        #expect(write(state("a", since: 1), state("b", since: 2, group: "kitchen")))
        sendHidden("b", group: "kitchen")
        sendHidden("c")
        await report()
        #expect(broker.takeReports() == ["b hidden", "c hidden", "a displayed", "a visible", "b displayed"])
        #expect(write(state("b", since: 3, group: "kitchen")))
        await report()
        #expect(broker.takeReports() == ["b displayed", "b visible"])
    }

    @Test("A showing that is taken while the one before is reported is reported when it is written")
    func newer() async {
        let newer = state("a", since: 2)
        #expect(write(state("a", since: 1)))
        await report { [reports] _ in reports.take(newer, at: .now) }
        #expect(broker.takeReports() == ["a displayed"])
        #expect(reports.recordWritten())
        sendHidden("a")
        await report()
        #expect(broker.takeReports() == ["a hidden", "a displayed"])
    }

    @Test("After a reconnect of the broker, each showing is reported again")
    func reconnect() async {
        #expect(write(state("a", since: 1)))
        await report()
        #expect(write(.broker(isConnected: false), .broker(isConnected: true), state("a", since: 1)))
        await report()
        #expect(broker.takeReports() == ["a displayed", "a visible", "a displayed", "a visible"])
    }

    @Test("The time left is to be checked for a state with a display time that was here for longer than a second")
    func old() async {
        let now = ContinuousClock.now
        let late = now + .milliseconds(1500)
        reports.take(state("a", since: 1, remaining: 5000, received: now), at: late)
        reports.take(state("b", since: 2, group: "kitchen", received: now), at: late)
        reports.take(state("c", since: 3, group: "porch", remaining: 5000, received: now), at: now)
        #expect(reports.recordWritten())
        await report()
        let expected = ["a displayed", "a visible, old", "b displayed", "b visible", "c displayed", "c visible"]
        #expect(broker.takeReports() == expected)
    }

    @Test("If only the renderer reports, nothing is to report, and a popup is visible from its report on")
    func manual() {
        let reports = RendererReports(isReporting: false)
        let shown = RendererReports.Shown(popup: "a", group: "lobby")
        reports.take(state("a", since: 1), at: .now)
        #expect(!reports.recordWritten())
        #expect(!reports.isVisible(shown) && reports.visible.isEmpty)
        reports.recordReport(ofRendererOn: shown, isHidden: false)
        #expect(reports.isVisible(shown) && reports.visible == [shown])
        // An update does not hide it, nor does a reconnect of the broker; the renderer and another popup do.
        reports.take(state("a", since: 2), at: .now)
        for item in [.broker(isConnected: true), state("a", since: 2)] { reports.take(item, at: .now) }
        #expect(reports.isVisible(shown))
        reports.recordReport(ofRendererOn: shown, isHidden: true)
        #expect(!reports.isVisible(shown))
        reports.recordReport(ofRendererOn: shown, isHidden: false)
        for popup in ["b", "a"] { reports.take(state(popup, since: 3), at: .now) }
        #expect(!reports.isVisible(shown))
        // Another broker does not know the report.
        reports.recordReport(ofRendererOn: shown, isHidden: false)
        reports.take(state("a", since: 3, epoch: 8), at: .now)
        #expect(!reports.isVisible(shown))
    }

    @Test("A popup is visible until the renderer has reported it as hidden, and again with its next showing")
    func visible() {
        let shown = RendererReports.Shown(popup: "a", group: "lobby")
        #expect(!reports.isVisible(shown))
        #expect(write(state("a", since: 1), state("b", since: 2, group: "kitchen")))
        #expect(reports.isVisible(shown) && !reports.isVisible(.init(popup: "b", group: "lobby")))
        reports.recordReport(ofRendererOn: .init(popup: "b", group: "lobby"), isHidden: true)
        reports.recordReport(ofRendererOn: shown, isHidden: nil)
        #expect(reports.isVisible(shown))
        reports.recordReport(ofRendererOn: shown, isHidden: true)
        #expect(!reports.isVisible(shown))
        #expect(reports.visible == [.init(popup: "b", group: "kitchen")])
        reports.recordReport(ofRendererOn: shown, isHidden: false)
        #expect(reports.isVisible(shown))
        reports.recordReport(ofRendererOn: shown, isHidden: true)
        #expect(write(state("a", since: 3)))
        #expect(reports.isVisible(shown))
        _ = write(state(nil, since: 4))
        #expect(!reports.isVisible(shown))
    }
}

private func state(
    _ popup: String?, since: UInt64, group: String = "lobby", epoch: UInt64 = 7, remaining: UInt32? = nil,
    received: ContinuousClock.Instant = .now
) -> Watch.Item {
    var wire = WireGroupState()
    (wire.epoch, wire.group, wire.revision) = (epoch, group, since)
    if let popup { (wire.active.id, wire.active.sinceRevision) = (popup, since) }
    if let remaining { wire.active.remainingMs = remaining }
    return .state(EncodedState(GroupState(PublishedState(wire: wire), received: received)))
}

@Suite("Tabs with one client's name")
struct RendererTabsTests {
    /// The last report that the broker gets.
    private final class LastReport: Sendable {
        private let text = Mutex("")

        func set(_ name: String) { text.withLock { $0 = name } }
        var name: String { text.withLock { $0 } }
    }

    private let tabs = RendererTabs()
    private let desk = ClientToken("desk")!
    private let left = ClientToken("left")!
    private let right = ClientToken("right")!
    private let lobby = RendererReports.Shown(popup: "a", group: "lobby")

    /// Returns the reports of a tab's stream that shows popups, by group.
    private func open(
        _ tab: ClientToken?, _ popups: [String: String] = ["lobby": "a"], isReporting: Bool = true
    ) -> RendererReports {
        let reports = RendererReports(isReporting: isReporting)
        tabs.add(reports, of: desk, tab: tab)
        for (group, popup) in popups { reports.take(state(popup, since: 1, group: group), at: .now) }
        return reports
    }

    /// Returns whether the broker gets the report of a tab.
    private func report(
        _ kind: WireReport.OneOf_Report, _ tab: ClientToken?, popup: String = "a", whileSending: () -> Void = {}
    ) -> Bool {
        var report = WireReport()
        (report.id, report.client, report.group) = (popup, desk.text, "lobby")
        report.report = kind
        var isSent = false
        tabs.record(report, ofTab: tab) {
            isSent = true
            whileSending()
        }
        return isSent
    }

    /// Returns what is hidden because a stream has ended.
    private func close(_ reports: RendererReports) -> Set<RendererReports.Shown> {
        var hidden: Set<RendererReports.Shown> = []
        tabs.remove(reports, of: desk) { hidden.insert($0) }
        return hidden
    }

    private let hidden = WireReport.OneOf_Report.hidden(WireEmpty())
    private let visible = WireReport.OneOf_Report.visible(WireEmpty())

    @Test("A popup is hidden when the last tab hides it, and visible when the first shows it")
    func visibility() {
        let (first, second) = (open(left), open(right))
        #expect(!report(hidden, left))
        #expect(report(hidden, right))
        #expect(report(visible, left))
        #expect(report(hidden, left))
        #expect(!first.isVisible(lobby))
        #expect(!second.isVisible(lobby))
        // Of a popup that the other tab does not show, the tab alone decides.
        #expect(report(visible, left))
        #expect(report(hidden, right, popup: "b"))
    }

    @Test("What one tab reports does not keep the gateway from reporting for the other")
    func apart() async {
        let (first, second) = (open(left), open(right))
        for reports in [first, second] { #expect(reports.recordWritten()) }
        #expect(!report(hidden, right))
        for (reports, count) in [(first, 1), (second, 0)] {
            await confirmation(expectedCount: count) { confirm in
                await reports.report { _ in
                } visible: { _, _ in
                    confirm()
                }
            }
        }
    }

    @Test("If one tab hides a popup while another shows it, the last report for the broker says that it is visible")
    func order() async {
        let (first, second) = (open(left), open(right))
        for _ in 1...2000 {
            _ = report(visible, left)
            _ = report(hidden, right)
            let last = LastReport()
            async let hiding = report(hidden, left) { last.set("hidden") }
            async let showing = report(visible, right) { last.set("visible") }
            _ = await (hiding, showing)
            #expect(last.name == "visible")
            #expect(!first.isVisible(lobby) && second.isVisible(lobby))
        }
    }

    @Test("A report that cannot be sent is refused, whether the renderer has a stream or not")
    func failing() {
        var report = WireReport()
        (report.id, report.client, report.group, report.report) = ("a", desk.text, "lobby", visible)
        for isOpen in [false, true] {
            if isOpen { _ = open(left) }
            #expect(throws: ClientError.self) {
                try tabs.record(report, ofTab: left) { () throws(ClientError) in throw .closed }
            }
        }
    }

    @Test("A tab that reconnects is one tab, and its report counts for both of its streams")
    func reconnect() {
        let (old, new) = (open(left), open(left))
        #expect(report(hidden, left))
        #expect(old.visible.isEmpty && new.visible.isEmpty)
    }

    @Test("When a tab has left, what no other tab shows is hidden, unless it was the last tab")
    func leaving() {
        let (first, second) = (open(left, ["lobby": "a", "kitchen": "b"]), open(right))
        #expect(!report(hidden, right))
        #expect(close(first) == [lobby, .init(popup: "b", group: "kitchen")])
        #expect(close(second).isEmpty)
        let (third, fourth) = (open(left), open(right))
        #expect(close(third).isEmpty)
        #expect(close(fourth).isEmpty)
    }

    @Test("A report without a tab is that of all tabs of the renderer")
    func nameless() {
        let (first, second) = (open(left), open(nil))
        #expect(report(hidden, nil))
        #expect(first.visible.isEmpty && second.visible.isEmpty)
    }

    @Test("Of tabs that report all by themselves, one hides what the other has reported as visible for nobody")
    func manual() {
        let (first, second) = (open(left, isReporting: false), open(right, isReporting: false))
        #expect(report(visible, left))
        // The right tab has not shown it yet.
        #expect(report(hidden, left))
        for tab in [left, right] { #expect(report(visible, tab)) }
        #expect(!report(hidden, left))
        // A stream that takes the place of the right tab's continues with its report.
        let next = open(right, isReporting: false)
        #expect(close(second).isEmpty)
        #expect(next.isVisible(lobby) && !first.isVisible(lobby))
        #expect(close(next) == [lobby])
    }
}
