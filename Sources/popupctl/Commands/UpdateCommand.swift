import ArgumentParser
import Foundation
import PopupClient
import PopupProtocol

struct UpdateCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change a live popup in place. What is not given stays as it is.")

    @Argument(help: "The popup.", completion: BrokerCompletion.popups)
    var id: String

    @OptionGroup(title: "Content") var content: ContentOptions

    @Option(name: .shortAndLong, parsing: .unconditional, help: "Its new priority.")
    var priority: Int32?

    @Option(
        name: [.short, .long, .customLong("duration-ms")],
        help: "Its new display time (0: the default of the group).",
        transform: TimeArgument.parse)
    var duration: TimeArgument?

    @Flag(help: "Start the display time again.")
    var restartTimer = false

    @Flag(inversion: .prefixedNo, help: "Whether a newcomer may interrupt it.")
    var interruptible: Bool?

    @OptionGroup(title: "Presentation (replaced as a whole)") var presentation: PresentationOptions

    @OptionGroup var acks: AckOptions

    @OptionGroup(title: "Broker and output") var broker: BrokerOptions

    func send(_ admin: AdminClient) async throws -> String {
        try await admin.update(try update())
        return id
    }

    func run(_ admin: AdminClient) async throws {
        _ = try await send(admin)
        try await printOutcome(of: id, admin) { "\(id): updated, \(Words.explanation($0))" }
    }

    func update() throws -> PopupUpdate {
        var update = PopupUpdate()
        update.id = id
        if let priority { update.priority = priority }
        if let duration { update.durationMs = duration.milliseconds }
        update.restartTimer = restartTimer
        if let interruptible { update.interruptible = interruptible }
        if let contentType = content.contentType { update.contentType = contentType }
        update.actions = presentation.actions.map(\.action)
        if let presentation = presentation.presentation { update.presentation = presentation }
        switch try content.read() {
        case .text(let text): update.text = text
        case .data(let data): update.data = data
        case nil: break
        }
        return update
    }
}
