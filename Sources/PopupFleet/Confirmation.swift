/// The proof that an owner still is one: an answer about the head and a renewal of the claim, both asked for not long ago.
///
/// It counts when a request began, not when its answer came: the answer says nothing about the time in between.
struct Confirmation {
    /// The time at which the latest request began whose answer showed the own head.
    private(set) var headAsked: Int64
    /// The time at which the latest request began whose answer showed the own claim.
    private(set) var claimAsked: Int64

    /// Returns whether both are at most `age` old.
    func holds(at boot: Int64, age: Int64) -> Bool {
        boot - headAsked <= age && boot - claimAsked <= age
    }

    /// Records an answer that showed the own head.
    mutating func noteHead(asked boot: Int64) { headAsked = max(headAsked, boot) }

    /// Records an answer that showed the own claim.
    mutating func noteClaim(asked boot: Int64) { claimAsked = max(claimAsked, boot) }
}
