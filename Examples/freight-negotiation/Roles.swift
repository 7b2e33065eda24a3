import ArgumentParser
@main
struct FreightNegotiation: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "freight-negotiation",
        abstract: "Roles of a story: carriers bargain with shippers over loads. `run.sh` plays all of them.",
        subcommands: [CarrierRole.self, ShipperRole.self, OfficeRole.self, CustomerRole.self])
}
