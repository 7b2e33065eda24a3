/// Which popups have been sent, heard of and ended, by their numbers: a ring, so that each must have ended when its place
/// is needed again.
struct PopupLedger {
    private static let places = 1 << 22

    private enum Phase: UInt8 {
        case none
        case sent
        case heardOf
    }

    private var phases = [Phase](repeating: .none, count: places)
    private var sentAt = [Int64](repeating: 0, count: places)
    /// Sent, and no event yet.
    private(set) var unheard = 0
    /// Sent, and not ended.
    private(set) var live = 0
    /// The next popup's number.
    private(set) var next = 0

    /// A new popup's number.
    ///
    /// - Throws: When the one that had its place has not ended.
    mutating func send(at time: Int64) throws -> Int {
        let place = next % Self.places
        guard phases[place] == .none else {
            throw SoakFailure(description: "popup \(next - Self.places) has not ended: \(phases[place])")
        }
        phases[place] = .sent
        sentAt[place] = time
        unheard += 1
        live += 1
        next += 1
        return next - 1
    }

    /// Notes a popup's event. Returns how long ago it was sent, in ns, when it is the first.
    mutating func hear(_ number: Int, at time: Int64) -> Int64? {
        let place = number % Self.places
        guard number < next, phases[place] == .sent else { return nil }
        phases[place] = .heardOf
        unheard -= 1
        return time - sentAt[place]
    }

    /// Notes a popup's end. Returns whether it was live.
    mutating func close(_ number: Int) -> Bool {
        let place = number % Self.places
        guard number < next, number >= next - Self.places, phases[place] == .heardOf else { return false }
        phases[place] = .none
        live -= 1
        return true
    }

    /// Whether a popup was not heard of yet.
    func isUnheard(_ number: Int) -> Bool { phases[number % Self.places] == .sent }
}
