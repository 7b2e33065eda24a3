import PopupClient

/// An answer to the offer of a popup.
enum OfferWord: String, CaseIterable {
    case accept
    case veto
    case later

    var key: Character {
        switch self {
        case .accept: "y"
        case .veto: "n"
        case .later: "l"
        }
    }

    var label: String {
        switch self {
        case .accept: "Show it"
        case .veto: "No"
        case .later: "Later"
        }
    }
}

extension Renderer {
    /// Gives this answer to the offer in a state.
    func answer(_ word: OfferWord, _ screen: GroupState) async throws {
        switch word {
        case .accept: try await accept(screen)
        case .veto: try await veto(screen)
        case .later: try await postpone(screen)
        }
    }
}
