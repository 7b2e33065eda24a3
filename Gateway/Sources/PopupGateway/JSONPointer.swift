import PopupProtocol

extension AnyJSON {
    /// Reads the body of a request.
    ///
    /// - Throws: 400.
    static func body(of request: GatewayRequest) throws(Problem) -> AnyJSON {
        do throws(JSONFault) { return try AnyJSON(request.body) } catch {
            throw Problem(400, "MALFORMED", "the body is not JSON")
        }
    }

    /// Returns the value at the position of a pointer; `nil` if there is none.
    subscript(pointer: JSONPointer) -> AnyJSON? {
        var value = self
        for name in pointer.names {
            switch value {
            case .object(let members):
                guard let member = members[name] else { return nil }
                value = member
            case .list(let elements):
                guard let index = Int(name), elements.indices.contains(index) else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }

    /// The scalar as words of a text; empty for an object or a list.
    var words: String {
        switch self {
        case .text(let text): text
        case .flag(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .null, .list, .object: ""
        }
    }
}

/// A pointer into JSON, RFC 6901: `/labels/severity`.
public struct JSONPointer: Hashable, Sendable {
    let names: [String]

    /// Creates the pointer of a text; `nil` if it is not empty and does not begin with a slash.
    public init?(_ text: some StringProtocol) {
        guard text.isEmpty || text.first == "/" else { return nil }
        names = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
    }
}

/// A text with pointers in braces, which are replaced by values of JSON: `Disk {/labels/device} is full`.
public struct TextTemplate: Hashable, Sendable {
    private enum Part: Hashable {
        case text(String)
        case value(JSONPointer)
    }

    private var parts: [Part] = []

    /// Creates a template; `nil` if a brace is not closed, or does not contain a pointer.
    public init?(_ text: String) {
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}"),
                let pointer = JSONPointer(rest[rest.index(after: open)..<close])
            else { return nil }
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            parts.append(.value(pointer))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
    }

    /// Returns the text for a value. A missing value is empty.
    func text(for value: AnyJSON) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .value(let pointer): value[pointer]?.words ?? ""
            }
        }.joined()
    }
}
