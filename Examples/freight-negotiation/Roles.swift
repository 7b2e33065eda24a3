import ArgumentParser
import PopupClient

@main
struct FreightNegotiation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freight-negotiation",
        abstract: "The roles of a negotiation between carriers and shippers about loads. `run.sh` plays all of them.",
        version: ProductVersion.text(of: "freight-negotiation"),
        subcommands: [CarrierRole.self, ShipperRole.self, OfficeRole.self, CustomerRole.self])
}
