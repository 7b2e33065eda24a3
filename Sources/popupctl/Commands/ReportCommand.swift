import ArgumentParser
import PopupClient

struct ReportCommand: BrokerCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Report what a renderer did with the active popup, as the renderer does.",
        discussion: """
            To try policies: a renderer without a lease counts as displaying the popup until it closes.
            """)

    @Argument(help: "The popup.", completion: BrokerCompletion.popups)
    var id: String

    @Argument(help: "What the renderer did with it.")
    var report: ReportArgument

    @Option(help: "The renderer.")
    var client: ClientArgument

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func run(_ admin: AdminClient) async throws {
        let observation = Observation(admin: admin)
        let group = try await observation.group(of: id)
        let seen = try await observation.events(of: [group]) {
            try await admin.report(report.report, on: id, as: client.token)
        }
        if let refused = seen.refusal(of: id) { throw Failure.refused(refused) }
        let explanation = try await admin.explain(id)
        guard explanation.phase == .active else {
            throw Failure("`\(id)` is not shown, so the report is dropped: \(Words.explanation(explanation))", .refused)
        }
        guard !broker.json else { return Terminal.print(try JSON.line(explanation)) }
        Terminal.print("\(id): \(report.report.rawValue) by \(client.token.text)")
    }
}

/// A report: `displayed`, `visible` or `hidden`.
struct ReportArgument: ExpressibleByArgument {
    let report: Renderer.Report

    static let allValueStrings = Renderer.Report.allCases.map(\.rawValue)

    init?(argument: String) {
        guard let report = Renderer.Report(rawValue: argument) else { return nil }
        self.report = report
    }
}
