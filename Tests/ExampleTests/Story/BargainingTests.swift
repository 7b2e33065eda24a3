import PopupClient
import Testing

@testable import freight_negotiation

@Suite("Bargaining")
struct BargainingTests {
    @Test("a carrier goes down step by step to its floor, then leaves")
    func steps() {
        var bargaining = Bargaining(price: 1300, floor: 1150, step: 100)
        #expect(bargaining.next(reason: "DISMISSED", action: "counter") == .offer(price: 1200))
        #expect(bargaining.next(reason: "DISMISSED", action: "counter") == .offer(price: 1150))
        #expect(bargaining.next(reason: "DISMISSED", action: "counter") == .stop("can't go below 1150 € and leaves"))
    }

    @Test(
        "every other end of an offer ends it",
        arguments: [
            ("DISMISSED", "accept", "has the load for 1300 €"),
            ("DISMISSED", "decline", "is turned down"),
            ("SUPERSEDED", "", "learns that the order is cancelled"),
            ("CLEARED", "", "learns that another has the load"),
            ("EXPIRED", "", "leaves (EXPIRED)"),
        ])
    func ends(reason: String, action: String, words: String) {
        var bargaining = Bargaining(price: 1300, floor: 1150, step: 100)
        #expect(bargaining.next(reason: reason, action: action) == .stop(words))
    }

    @Test("the cheaper offer has the higher priority, and its price can be read back")
    func offers() {
        let dear = Offer(load: "milano", carrier: "anna", round: 1, price: 1400).popup(run: "")
        let cheap = Offer(load: "milano", carrier: "bo", round: 2, price: 1300).popup(run: "r1-")
        #expect(cheap.priority > dear.priority)
        #expect(Offer.price(in: cheap) == 1300)
        #expect((dear.id, cheap.id) == ("milano-anna-1", "r1-milano-bo-2"))
    }
}
