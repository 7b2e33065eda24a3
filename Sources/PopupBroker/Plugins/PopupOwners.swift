import PopupProtocol

/// The producers of live popups, by the popups' ids.
///
/// The ids are spread over many dictionaries. A dictionary moves all of its entries when it grows, and for a million of
/// them that takes longer than a turn of the loop may.
struct PopupOwners {
    /// The number of dictionaries, a power of two: each holds a thousand of a million ids.
    private static let parts = 1024

    /// The number of popups.
    private(set) var count = 0
    private var dictionaries = [[String: ProducerName?]](repeating: [:], count: parts)

    var isEmpty: Bool { count == 0 }

    /// The owner of a popup: `.some(nil)` for one without a producer, `nil` for an unknown one.
    subscript(popup: String) -> ProducerName?? {
        get { dictionaries[Self.part(of: popup)][popup] }
        set {
            let part = Self.part(of: popup)
            let before = dictionaries[part].count
            dictionaries[part][popup] = newValue
            count += dictionaries[part].count - before
        }
    }

    /// Removes a popup and returns its owner.
    mutating func remove(_ popup: String) -> ProducerName?? {
        let owner = dictionaries[Self.part(of: popup)].removeValue(forKey: popup)
        if owner != nil { count -= 1 }
        return owner
    }

    /// Returns the index of the dictionary for a popup. No client can choose ids for the same one: the hash is
    /// seeded.
    private static func part(of popup: String) -> Int { popup.hashValue & (parts - 1) }
}
