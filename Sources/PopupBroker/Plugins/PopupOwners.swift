import PopupProtocol

/// The producers of live popups, by the popups' ids.
///
/// The ids are spread over many dictionaries. A dictionary moves all of its entries when it grows, and for a million of
/// them that takes longer than a turn of the loop may.
struct PopupOwners {
    /// The number of dictionaries, a power of two: each holds a thousand of a million ids.
    private static let parts = 1024

    private var dictionaries = [[String: ProducerName?]](repeating: [:], count: parts)

    /// The owner of a popup: `.some(nil)` for one without a producer, `nil` for an unknown one.
    subscript(popup: String) -> ProducerName?? {
        get { dictionaries[Self.part(of: popup)][popup] }
        set { dictionaries[Self.part(of: popup)][popup] = newValue }
    }

    /// Removes a popup and returns its owner.
    mutating func remove(_ popup: String) -> ProducerName?? {
        dictionaries[Self.part(of: popup)].removeValue(forKey: popup)
    }

    /// Returns the index of the dictionary for a popup. No client can choose ids for the same one: the hash is
    /// seeded.
    private static func part(of popup: String) -> Int { popup.hashValue & (parts - 1) }
}
