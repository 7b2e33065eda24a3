import PopupProtocol

/// A builder of frames: with one command as it is, or with several in a `Batch`.
struct FrameBuilder {
    private var batch: [UInt8] = []
    private(set) var commands = 0
    private var firstBody = 0
    private let limits: ClientLimits

    init(limits: ClientLimits) {
        self.limits = limits
    }

    /// Adds a command, in order.
    ///
    /// - Returns: False if it does not fit. The first command always fits.
    mutating func add(header: [UInt8] = [], _ body: [UInt8]) -> Bool {
        let count = header.count + body.count
        guard
            commands == 0 || commands < limits.batchCommands && batch.count + Self.overhead + count <= limits.batchBytes
        else { return false }
        batch.appendLength(WireKeys.Batch.commands, count)
        if commands == 0 { firstBody = batch.count }
        batch += header
        batch += body
        commands += 1
        return true
    }

    /// The frame; empty without a command.
    var frame: [UInt8] {
        commands == 1 ? Array(batch[firstBody...]) : batch
    }

    /// The tag and the longest length of a command in a `Batch`.
    private static let overhead = 4
}
