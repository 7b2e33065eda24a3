import SwiftProtobuf

/// The checks of single fields, by the rules in the schema. Their refusals contain the path of the field.
struct FieldCheck {
    /// The path of the message to which the fields belong, such as `show.presentation`.
    let path: String
    let limits: WireLimits

    /// Returns the checks for a nested message.
    func inside(_ field: String) -> FieldCheck { FieldCheck(path: "\(path).\(field)", limits: limits) }

    func refusal(_ field: String, _ what: String) -> CommandRefusal {
        CommandRefusal(.invalid, "`\(path).\(field)` \(what)")
    }

    func group(_ text: String, _ field: String) throws(CommandRefusal) {
        guard GroupName.isValid(text.utf8.span) else {
            throw refusal(
                field,
                text.isEmpty
                    ? "is missing; name the group"
                    : "is not a valid group name; use 1 to 8 segments joined by `/`, each 1 to 64 of A-Z a-z 0-9 . _ -, 200 bytes in all"
            )
        }
    }

    func pattern(_ text: String, _ field: String) throws(CommandRefusal) {
        guard GroupPattern.form(of: text.utf8.span) != nil else {
            throw refusal(
                field,
                text.isEmpty
                    ? "is missing; name a group, a pattern like `store-12/*`, or `*`"
                    : "is not a valid group name or pattern; use a group name, whole segments followed by `/*`, or `*`")
        }
    }

    /// Checks a required id.
    func id(_ text: String, _ field: String) throws(CommandRefusal) {
        guard !text.isEmpty else { throw refusal(field, "is missing") }
        try optionalID(text, field)
    }

    /// Checks an optional id, key or token; empty means absent.
    func optionalID(_ text: String, _ field: String) throws(CommandRefusal) {
        try line(text, field, maximum: WireLimits.maxIDBytes)
    }

    /// Checks an optional text of one line for people; empty means absent.
    func label(_ text: String, _ field: String) throws(CommandRefusal) {
        try line(text, field, maximum: WireLimits.maxLabelBytes)
    }

    /// Checks an optional tag of a language, which only renderers interpret; empty means absent.
    func language(_ text: String, _ field: String) throws(CommandRefusal) {
        try line(text, field, maximum: WireLimits.maxLanguageBytes)
    }

    /// Checks an optional separator of the values of a path; empty means absent.
    func separator(_ text: String, _ field: String) throws(CommandRefusal) {
        try line(text, field, maximum: WireLimits.maxSeparatorBytes)
    }

    private func line(_ text: String, _ field: String, maximum: Int) throws(CommandRefusal) {
        guard text.utf8.count <= maximum else {
            throw refusal(field, "has \(text.utf8.count) bytes; at most \(maximum) are allowed")
        }
        let bytes = text.utf8.span
        guard bytes.isLine(0..<bytes.count) else {
            throw refusal(field, "has a control character; leave it out")
        }
    }

    /// Checks a time of day.
    func time(_ text: String, _ field: String) throws(CommandRefusal) {
        guard WireQuietWindow.minutes(of: text) != nil else {
            throw refusal(field, "is not a time of day; write it as 22:00")
        }
    }

    /// Checks the name of a client or a nonce.
    func token(_ text: String, _ field: String) throws(CommandRefusal) {
        guard ClientToken.isValid(text.utf8.span) else {
            throw refusal(field, text.isEmpty ? "is missing" : "is not a valid token; use 1 to 64 of A-Z a-z 0-9 . _ -")
        }
    }

    /// Checks an optional name of a producer; empty means absent.
    func producer(_ text: String, _ field: String) throws(CommandRefusal) {
        guard text.isEmpty || ProducerName(text) != nil else {
            throw refusal(field, "is not a valid producer; use 32 hexadecimal digits")
        }
    }

    func known<Value: Enum & CaseIterable>(_ value: Value, _ field: String) throws(CommandRefusal) {
        guard Value.allCases.contains(value) else {
            throw refusal(field, "has no value \(value.rawValue); see its list in the documentation")
        }
    }

    func count(_ count: Int, _ field: String, maximum: Int) throws(CommandRefusal) {
        guard count <= maximum else { throw refusal(field, "has \(count) entries; at most \(maximum) are allowed") }
    }

    func content(_ bytes: Int, _ field: String) throws(CommandRefusal) {
        guard bytes <= limits.contentBytes else {
            throw CommandRefusal(
                .tooLarge,
                "`\(path).\(field)` has \(bytes) bytes; at most \(limits.contentBytes) are allowed: send a reference"
            )
        }
    }
}
