import Foundation
import PopupClient

/// A carrier's price for a load, as a popup for the shipper.
struct Offer: Equatable {
    var load: String
    var carrier: String
    /// The number of the offer among those of the carrier for the load.
    var round: Int
    /// The price in euros.
    var price: Int

    /// Returns the group of a load's offers. Each load is negotiated in a group of its own.
    static func group(of load: String) -> String { "freight/\(load)/offers" }

    /// Returns the popup of the offer.
    ///
    /// - Parameter run: A word that distinguishes this run of the story from earlier ones at the same broker.
    func popup(run: String) -> Popup {
        var popup = Popup(
            id: "\(run)\(load)-\(carrier)-\(round)", group: Self.group(of: load),
            // A lower price has a higher priority: it interrupts the offer on screen, which comes back afterwards.
            priority: Int32(clamping: (5000 - price) / 10), title: "\(carrier.capitalized) to \(load.capitalized)",
            text: "\(price) €, loading tomorrow",
            actions: [
                PopupAction(id: "accept", label: "Accept"), PopupAction(id: "counter", label: "Counter"),
                PopupAction(id: "decline", label: "Decline"),
            ])
        popup.presentation.countdown = true
        popup.ttlMs = 30_000
        // Each offer stays long enough to be seen; a better one waits that long.
        popup.minDisplayMs = 500
        return popup
    }

    /// Returns the price that a popup offers: the first number of its text.
    static func price(in popup: Popup) -> Int? {
        popup.contentText.firstMatch(of: /[0-9]+/).flatMap { Int($0.output) }
    }
}
