import PopupProtocol

/// The effects of other policies: the popups of a comparison whose outcome differs.
public struct PolicyTrialResult: Sendable {
    /// The popups whose outcome differs, as JSON objects, in the order of their first events; at most
    /// `PolicyTrialResult.maxDifferences`.
    public var differences: [String]
    /// The number of further ones.
    public var more: Int
    /// Sentences for people: what was compared, what is missing.
    public var notes: [String]

    /// The maximum number of popups in a result.
    public static let maxDifferences = 200

    /// Creates a result.
    public init(differences: [String], more: Int, notes: [String]) {
        self.differences = differences
        self.more = more
        self.notes = notes
    }

    /// The result as a JSON object.
    var json: String {
        let notes = notes.map { JSONText.quoted($0) }.joined(separator: ",")
        return "{\"differences\":[\(differences.joined(separator: ","))],\"more\":\(more),\"notes\":[\(notes)]}"
    }
}

/// A comparison of policies on what a broker has committed.
public protocol PolicyTrial: Sendable {
    /// Runs what the broker has committed once with the policies that it had and once with another one for a group or
    /// pattern.
    ///
    /// - Parameters:
    ///   - policy: The other policy as a JSON object, in the format of the broker's configuration.
    ///   - since: The time in ms since 1970 from which on popups count.
    /// - Throws: `Problem`; cancellation ends the comparison.
    func run(policy: String, since: Int64) async throws -> PolicyTrialResult
}
