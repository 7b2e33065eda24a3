public import PopupProtocol

/// Makes a decoded command fit for the journal: checks it, and gives it the id that it lacks.
public struct CommandAdmission: Sendable {
    private let validator: CommandValidator
    private let epoch: UInt64
    private var madeIDs: UInt64 = 0

    /// Admits the commands of one epoch. Ids are made from the epoch and a counter, so that none is made twice.
    public init(epoch: UInt64, limits: WireLimits = WireLimits()) {
        validator = CommandValidator(limits: limits)
        self.epoch = epoch
    }

    /// Checks a command and completes it: an absent id is made, what only the broker sets is taken away. Whether the
    /// time zones that it names are there is asked of a `TimeZoneSource`.
    ///
    /// - Throws: `INVALID`, `TOO_LARGE` or `UNSUPPORTED`, naming the field.
    public mutating func admit(_ command: inout WireCommand) throws(CommandRefusal) {
        try validator.validate(command)
        guard case .show(var popup)? = command.command else { return }
        if popup.id.isEmpty {
            madeIDs += 1
            popup.id = "popup-\(epoch)-\(madeIDs)"
        }
        popup.clearRemainingMs()
        popup.attempt = 0
        popup.sinceRevision = 0
        command.show = popup
    }
}
