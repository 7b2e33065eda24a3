/// The group and the popup of a command of another version.
struct JSONSubject {
    var group = ""
    var popup = ""

    var isEmpty: Bool { group.isEmpty && popup.isEmpty }

    /// Reads the next object, and keeps its `group` and `id`.
    mutating func read(_ reader: inout JSONReader, in text: Span<UInt8>) throws(JSONSyntaxError) {
        try reader.expect("{", in: text, or: "an object must begin there")
        if reader.take("}", in: text) { return }
        repeat {
            let name = try reader.string(in: text)
            let isGroup = reader.isText(name, "group", in: text)
            let isPopup = reader.isText(name, "id", in: text)
            try reader.expect(":", in: text, or: "a colon is missing")
            guard isGroup || isPopup, reader.next(in: text) == UInt8(ascii: "\"") else {
                try reader.skip(in: text, level: 1)
                continue
            }
            let value = reader.line(try reader.string(in: text), in: text)
            if isGroup { group = value } else { popup = value }
        } while reader.take(",", in: text)
        try reader.expect("}", in: text, or: "a comma or the end of an object is missing")
    }
}
