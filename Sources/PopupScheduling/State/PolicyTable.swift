/// The policies by the name or pattern that they are for.
struct PolicyTable {
    private var policies: [Policy] = [.priority]
    private var places: [[UInt8]: Int32] = [:]
    private var freePlaces: [Int32] = []

    init() {}

    /// The place of the policy that holds where no other was set.
    static let initial: Int32 = 0

    /// How many were set.
    var count: Int { places.count }

    subscript(place: Int32) -> Policy { policies[Int(place)] }

    func ignoresPriority(_ place: Int32) -> Bool { policies[Int(place)].ignorePriority }

    func contains(_ pattern: UnsafeRawBufferPointer) -> Bool { places[Array(pattern)] != nil }

    /// Sets or replaces the policy of a pattern.
    mutating func set(_ policy: Policy, for pattern: UnsafeRawBufferPointer) {
        let key = Array(pattern)
        if let place = places[key] ?? freePlaces.popLast() {
            places[key] = place
            policies[Int(place)] = policy
        } else {
            places[key] = Int32(policies.count)
            policies.append(policy)
        }
    }

    /// Takes the policy of a pattern out, if there is one.
    mutating func remove(_ pattern: UnsafeRawBufferPointer) {
        if let place = places.removeValue(forKey: Array(pattern)) { freePlaces.append(place) }
    }

    /// The place of the policy for a group: of its exact name, else of the pattern with most segments, else of `*`.
    func place(for name: UnsafeRawBufferPointer) -> Int32 {
        guard !places.isEmpty else { return Self.initial }
        if let place = places[Array(name)] { return place }
        var length = name.count
        while length > 0 {
            length -= 1
            guard name[length] == UInt8(ascii: "/") else { continue }
            if let place = places[Array(name[...length]) + [UInt8(ascii: "*")]] { return place }
        }
        return places[[UInt8(ascii: "*")]] ?? Self.initial
    }
}
