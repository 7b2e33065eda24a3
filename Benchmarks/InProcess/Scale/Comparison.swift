import Glibc
import PopupScheduling

/// What one kind of work costs against another: both in turn, in slices, so that both see the same machine. Time is the
/// thread's own, so that what else runs on the machine counts little.
enum Comparison {
    /// The median ratio of so many slices, with the lowest and highest, and what one operation takes in the median.
    ///
    /// Work is told the time: it goes on by a millisecond each slice.
    static func of(
        _ rounds: Int, of slice: Int, _ one: (Milliseconds) -> Void, _ other: (Milliseconds) -> Void
    ) -> String {
        var ones: [Double] = []
        var others: [Double] = []
        // The first round warms up.
        for round in 0...rounds {
            let times = (nanoseconds(of: slice, at: round, one), nanoseconds(of: slice, at: round, other))
            guard round > 0 else { continue }
            ones.append(times.0)
            others.append(times.1)
        }
        let ratios = zip(ones, others).map { $0 / $1 }
        let spread = "\(rounded(ratios.min() ?? 0))–\(rounded(ratios.max() ?? 0))"
        return "**\(rounded(median(ratios))) ×** (\(spread)), \(Int(median(ones))) ns to \(Int(median(others))) ns"
    }

    private static func nanoseconds(of slice: Int, at round: Int, _ work: (Milliseconds) -> Void) -> Double {
        let start = Resources.threadNanoseconds()
        for _ in 0..<slice { work(Milliseconds(round)) }
        return Double(Resources.threadNanoseconds() - start) / Double(slice)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
