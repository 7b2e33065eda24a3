/// The choice of the connections that are cut while memory is exhausted, by the bytes that each sent without a whole
/// message.
///
/// Each of them may be a good client that is silent. So none is cut unless all of them together may hold much of the
/// memory, and then as few as possible: those with the most bytes.
enum UnprovenBytes {
    /// The maximum number of bytes in memory of a byte on the wire: an empty frame takes two bytes on the wire and 64
    /// in libzmq.
    private static let memoryOfByte: Int64 = 32
    /// The part of the memory limit below which such messages are not why memory is exhausted.
    private static let partOfMemory: Int64 = 8
    /// The part of the bytes that is cut at each check. The next check shows whether that was enough.
    private static let share: Int64 = 8

    /// Returns the indices of the connections to cut: the fewest that hold an eighth of all bytes, the largest first.
    /// There are none if all messages together take less than an eighth of the memory limit.
    static func largest(of bytes: [Int64], memoryLimit: Int) -> [Int] {
        let total = bytes.reduce(0, +)
        guard total > 0, total >= Int64(memoryLimit) / partOfMemory / memoryOfByte else { return [] }
        var chosen: [Int] = []
        var left = max(1, total / share)
        for index in bytes.indices.sorted(by: { bytes[$0] > bytes[$1] }) where left > 0 && bytes[index] > 0 {
            chosen.append(index)
            left -= bytes[index]
        }
        return chosen
    }
}
