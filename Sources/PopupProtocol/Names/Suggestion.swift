/// Suggestions for misspelt words.
package enum Suggestion {
    /// Returns the known word nearest to `word`, if it is near enough; of equally near ones the first.
    package static func nearest(to word: String, among known: [String]) -> String? {
        let lowered = word.lowercased()
        let distances = known.map { (name: $0, distance: distance(lowered, $0.lowercased())) }
        guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(2, word.count / 3) && best.distance < word.count ? best.name : nil
    }

    /// Returns the end of an error message about an unknown word: the nearest known word, or all of them.
    package static func advice(for word: String, among known: [String]) -> String {
        if let nearest = nearest(to: word, among: known) { return "did you mean `\(nearest)`?" }
        return "the known ones are " + known.map { "`\($0)`" }.joined(separator: ", ")
    }

    /// Returns the number of letters to insert, remove, replace or exchange with the next one (the optimal string alignment
    /// distance).
    package static func distance(_ a: String, _ b: String) -> Int {
        let a = Array(a.utf8)
        let b = Array(b.utf8)
        var before: [Int] = []
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var next = [i + 1]
            for (j, other) in b.enumerated() {
                var least = min(row[j] + (letter == other ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, letter == b[j - 1], other == a[i - 1] { least = min(least, before[j - 1] + 1) }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[b.count]
    }
}
