import Foundation
import PopupClient

/// A carrier's price for a load, as the popup on the shipper's desk.
struct Offer: Equatable {
    var load: String
    var carrier: String
    /// Counts the carrier's offers for the load.
    var round: Int
    /// In euros.
    var price: Int

    /// The group of a load's offers: one negotiation, apart from all others.
    static func group(of load: String) -> String { "freight/\(load)/offers" }

    /// - Parameter run: distinguishes this story from an earlier one with the same broker.
    func popup(run: String) -> Popup {
        var popup = Popup(
            id: "\(run)\(load)-\(carrier)-\(round)", group: Self.group(of: load),
            // The cheaper, the higher: a better price interrupts the one on screen, which comes back afterwards.
            priority: Int32(clamping: (5000 - price) / 10), title: "\(carrier.capitalized) to \(load.capitalized)",
            text: "\(price) €, loading tomorrow",
            actions: [
                WireAction(id: "accept", label: "Accept"), WireAction(id: "counter", label: "Counter"),
                WireAction(id: "decline", label: "Decline"),
            ])
        popup.presentation.countdown = true
        popup.ttlMs = 30_000
        // Long enough to be seen: a better one waits so long.
        popup.minDisplayMs = 500
        return popup
    }

    /// The price that a popup offers: the first number of its text.
    static func price(in popup: Popup) -> Int? {
        popup.contentText.firstMatch(of: /[0-9]+/).flatMap { Int($0.output) }
    }
}
