/// A field of an ordinary popup in both encodings, as the schema has it.
struct PopupField: Sendable {
    /// What it holds.
    enum Kind: Sendable {
        case text
        /// `int32`.
        case signed
        /// `uint32`.
        case unsigned
        case flag
        /// An enum; the names of its values, from 0 on.
        case choice([StaticString])
        /// Messages of these fields.
        case message([PopupField])
        /// Any number of messages.
        case messages([PopupField])
    }

    let number: UInt64
    /// Its name in JSON, and as the schema writes it, which JSON may, too.
    let name: StaticString
    let schemaName: StaticString
    let kind: Kind
    /// Whether it says something when it is 0, `false` or empty.
    let hasPresence: Bool

    private init(
        _ number: UInt64, _ name: StaticString, _ schemaName: StaticString, _ kind: Kind, hasPresence: Bool = false
    ) {
        self.number = number
        self.name = name
        self.schemaName = schemaName
        self.kind = kind
        self.hasPresence = hasPresence
    }

    private init(_ number: UInt64, _ name: StaticString, _ kind: Kind, hasPresence: Bool = false) {
        self.init(number, name, name, kind, hasPresence: hasPresence)
    }

    /// Those that `ShowFrame` reads, `data` left out.
    static let ofPopup = [
        PopupField(1, "id", .text),
        PopupField(2, "group", .text),
        PopupField(3, "priority", .signed),
        PopupField(4, "durationMs", "duration_ms", .unsigned),
        PopupField(5, "ttlMs", "ttl_ms", .unsigned),
        PopupField(6, "delayMs", "delay_ms", .unsigned),
        PopupField(7, "minDisplayMs", "min_display_ms", .unsigned),
        PopupField(8, "exclusive", .choice(["NONE", "GROUP", "ALL"])),
        PopupField(9, "collapseKey", "collapse_key", .text),
        PopupField(10, "interruptible", .flag, hasPresence: true),
        PopupField(11, "text", .text, hasPresence: true),
        PopupField(13, "contentType", "content_type", .text),
        PopupField(14, "actions", .messages(ofAction)),
        PopupField(15, "presentation", .message(ofPresentation), hasPresence: true),
        PopupField(19, "surface", .text),
    ]

    private static let ofAction = [PopupField(1, "id", .text), PopupField(2, "label", .text)]

    private static let ofPresentation = [
        PopupField(1, "scene", .choice(["SCENE_UNSPECIFIED", "CENTER", "BOTTOM_SHEET", "TOP_BAR", "FULL_SCREEN"])),
        PopupField(2, "animation", .choice(["ANIMATION_UNSPECIFIED", "NO_ANIMATION", "FADE", "SLIDE", "ZOOM"])),
        PopupField(3, "dismissOnOutside", "dismiss_on_outside", .flag),
        PopupField(4, "countdown", .flag),
        PopupField(5, "backdrop", .flag),
        PopupField(6, "cornerRadius", "corner_radius", .unsigned),
        PopupField(7, "title", .text),
        PopupField(8, "icon", .text),
        PopupField(9, "style", .text),
    ]
}
