/// Values by the names and patterns to which they apply. A look-up by a name does not visit the patterns that do not
/// match it.
struct PatternMap<Value> {
    private var values: [[UInt8]: Value] = [:]
    /// The number of names and patterns by their length: no look-up is needed for a length that none has.
    private var lengths: [Int] = []

    init() {}

    /// The names and patterns, in no particular order.
    var patterns: some Collection<[UInt8]> { values.keys }

    var count: Int { values.count }

    /// The value of exactly this name or pattern.
    subscript(pattern: [UInt8]) -> Value? {
        get { values[pattern] }
        set {
            let former = values[pattern]
            values[pattern] = newValue
            count(pattern.count, (newValue == nil ? 0 : 1) - (former == nil ? 0 : 1))
        }
    }

    /// The value of exactly this name or pattern, or a new one.
    subscript(pattern: [UInt8], default value: @autoclosure () -> Value) -> Value {
        get { values[pattern] ?? value() }
        _modify {
            if values[pattern] == nil { count(pattern.count, 1) }
            yield &values[pattern, default: value()]
        }
    }

    /// Calls `body` with the values that apply to a name: that of the name itself, then those of the matching patterns,
    /// the one with the most segments first. Returns the first result that is not `nil`.
    func first<Result>(for name: UnsafeRawBufferPointer, where body: (Value) -> Result?) -> Result? {
        if hasLength(name.count), let value = values[Array(name)], let result = body(value) { return result }
        var length = name.count
        while length > 0 {
            length -= 1
            guard name[length] == UInt8(ascii: "/"), hasLength(length + 2),
                let value = values[Array(name[...length]) + Pattern.star], let result = body(value)
            else { continue }
            return result
        }
        return hasLength(1) ? values[Pattern.star].flatMap(body) : nil
    }

    private mutating func count(_ length: Int, _ difference: Int) {
        if length >= lengths.count { lengths += repeatElement(0, count: length + 1 - lengths.count) }
        lengths[length] += difference
    }

    private func hasLength(_ count: Int) -> Bool { count < lengths.count && lengths[count] > 0 }
}
