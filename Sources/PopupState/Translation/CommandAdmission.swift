public import PopupProtocol

/// The validation and completion of decoded commands for the journal.
public struct CommandAdmission: Sendable {
    private let validator: CommandValidator
    private let epoch: UInt64
    private var madeIDs: UInt64 = 0

    /// Creates an admission for one epoch. Generated ids consist of the epoch and a counter, so that each is unique.
    public init(epoch: UInt64, limits: WireLimits = WireLimits()) {
        validator = CommandValidator(limits: limits)
        self.epoch = epoch
    }

    /// Checks a command and completes it: generates an absent id, and removes output-only fields. Does not check
    /// whether its time zones exist: see `TimeZoneSource`.
    ///
    /// - Throws: `INVALID`, `TOO_LARGE` or `UNSUPPORTED`, with the path of the field.
    public mutating func admit(_ command: inout WireCommand) throws(CommandRefusal) {
        try validator.validate(command)
        command.by = ""
        // A change copies the popup, so an ordinary one is left as it is.
        guard case .show(var popup)? = command.command, Self.isIncomplete(popup) else { return }
        if popup.id.isEmpty {
            madeIDs += 1
            popup.id = "popup-\(epoch)-\(madeIDs)"
        }
        popup.clearRemainingMs()
        popup.attempt = 0
        popup.sinceRevision = 0
        popup.by = ""
        command.show = popup
    }

    /// Whether a popup has no id, or has output-only fields.
    private static func isIncomplete(_ popup: WirePopup) -> Bool {
        popup.id.isEmpty || popup.hasRemainingMs || popup.attempt != 0 || popup.sinceRevision != 0 || !popup.by.isEmpty
    }
}
