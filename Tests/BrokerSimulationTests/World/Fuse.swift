/// Ends the broker's process at a call of one of its ports: from then on none of them does anything any more.
final class Fuse {
    private var point: CrashPoint?
    private(set) var isBurnt = false
    /// Where the process ended.
    private(set) var place = "where it waits"

    var isArmed: Bool { point != nil && !isBurnt }

    func arm(_ point: CrashPoint) { self.point = point }

    func burn() { isBurnt = true }

    /// A port is called.
    ///
    /// - Throws: `Crash` when the process ends here.
    func pass(_ place: Place) throws {
        if isBurnt { throw Crash() }
        switch (place, point) {
        case (.receive, .receive(let left)): count(left, CrashPoint.receive)
        case (.publish, .publish(let left)): count(left, CrashPoint.publish)
        case (.beforeCommit, .beforeCommit), (.afterCommit, .afterCommit): isBurnt = true
        default: break
        }
        guard isBurnt else { return }
        self.place = "\(place)"
        throw Crash()
    }

    private func count(_ left: Int, _ point: (Int) -> CrashPoint) {
        if left == 0 { isBurnt = true } else { self.point = point(left - 1) }
    }

    enum Place {
        case receive
        case beforeCommit
        case afterCommit
        case publish
    }
}

/// The broker's process ended.
struct Crash: Error {}
