import PopupBroker
import PopupProtocol

extension MessageList<WirePopup> {
    /// Returns the reader of the list `defaults`. Each element names the defaults for popups of a pattern, with the
    /// fields of `show`.
    static func defaults(file: String) -> Self {
        let fields: [[String]: [String]] = [
            []: fieldNames(of: WirePopup.self),
            ["actions"]: fieldNames(of: WireAction.self),
            ["flow"]: fieldNames(of: WireFlow.self),
            ["flow", "requires"]: fieldNames(of: WireRequirement.self),
            ["page"]: fieldNames(of: WirePageBinding.self),
            ["presentation"]: fieldNames(of: WirePresentation.self),
        ]
        return Self(file: file, key: "defaults", fields: fields, group: \.group) { popup throws(CommandRefusal) in
            _ = try GroupDefaults([popup])
        }
    }
}
