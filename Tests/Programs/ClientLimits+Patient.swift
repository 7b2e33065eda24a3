package import PopupClient

extension ClientLimits {
    /// Times as long as a busy machine may take.
    package static var patient: ClientLimits {
        var limits = ClientLimits()
        (limits.sendTimeout, limits.replyTimeout) = (.seconds(60), .seconds(60))
        return limits
    }
}
