import PopupClient
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

    private func state(_ popup: String?, since: UInt64, group: String = "lobby") -> Watch.Item {
        var wire = WireGroupState()
        (wire.epoch, wire.group, wire.revision) = (7, group, since)
        if let popup { (wire.active.id, wire.active.sinceRevision) = (popup, since) }
        return .state(EncodedState(GroupState(wire, received: .now)))
    }

    private func write(_ items: Watch.Item...) -> Bool {
        for item in items { reports.take(item) }
        return reports.recordWritten()
    }

    /// Reports to the broker.
    ///
    /// - Parameter meanwhile: What happens after a popup is reported as displayed.
    private func report(meanwhile: @escaping @Sendable (_ popup: String) -> Void = { _ in }) async {
        await reports.report { [broker] popup in
            broker.receive("\(popup) displayed")
            meanwhile(popup)
        } visible: { [broker] popup in
            broker.receive("\(popup) visible")
        }
    }

    /// Sends a report of the renderer, as a request does.
    private func sendHidden(_ popup: String, group: String = "lobby") {
        reports.recordReport(ofRendererOn: popup, in: group)
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
        reports.take(state("a", since: 1))
        await report()
        #expect(broker.takeReports().isEmpty)
        #expect(!write(state(nil, since: 2)))
        await report()
        #expect(broker.takeReports().isEmpty)
    }

    @Test("The renderer's report is the last, whether it comes before, during or after that of the gateway")
    func renderer() async {
        reports.take(state("a", since: 1))
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
        await report { [reports] _ in reports.take(newer) }
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
}
