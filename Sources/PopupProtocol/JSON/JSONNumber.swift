/// The exact value of a number in JSON: no digit is lost to floating point, and no number of digits causes an overflow.
struct JSONNumber {
    /// The form of the number.
    enum Form {
        /// An integer whose magnitude has at most 64 bits.
        case whole
        /// A larger integer.
        case large
        /// A number with a fraction.
        case fraction
        /// Not a number.
        case none
    }

    private(set) var form = Form.whole
    private(set) var isNegative = false
    /// The magnitude; only valid for the form `whole`.
    private(set) var magnitude: UInt64 = 0

    /// The result for a text that is not a number.
    static var none: JSONNumber {
        var number = JSONNumber()
        number.form = .none
        return number
    }

    init() {}

    /// Creates the number in a text; `none` if the text is not exactly one number.
    init(_ text: Span<UInt8>) {
        guard let (number, end) = Self.read(text, 0..<text.count), end == text.count else {
            self = .none
            return
        }
        self = number
    }

    /// The value as an `int32`.
    var signed: Int32? {
        guard form == .whole, let value = Int64(exactly: magnitude) else { return nil }
        return Int32(exactly: isNegative ? -value : value)
    }

    /// The value as a `uint32`.
    var unsigned: UInt32? { long.flatMap { UInt32(exactly: $0) } }

    /// The value as a `uint64`.
    var long: UInt64? { form == .whole && (!isNegative || magnitude == 0) ? magnitude : nil }

    /// Returns the number at the beginning of a range, and its end; `nil` if there is none.
    @inline(__always)
    static func read(_ text: Span<UInt8>, _ range: Range<Int>) -> (JSONNumber, end: Int)? {
        var position = range.lowerBound
        var value: UInt64 = 0
        // Nearly all numbers are short and consist of digits only.
        let latest = min(range.upperBound, position &+ 18)
        while position < latest, case let digit = text[unchecked: position] &- UInt8(ascii: "0"), digit < 10 {
            value = value &* 10 &+ UInt64(digit)
            position &+= 1
        }
        let digits = position &- range.lowerBound
        guard digits > 0, digits == 1 || text[unchecked: range.lowerBound] != UInt8(ascii: "0"),
            position == range.upperBound || !goesOn(text[unchecked: position])
        else { return readSlowly(text, range) }
        var number = JSONNumber()
        number.magnitude = value
        return (number, position)
    }

    @inline(__always)
    private static func goesOn(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e")
    }

    @inline(never)
    private static func readSlowly(_ text: Span<UInt8>, _ range: Range<Int>) -> (JSONNumber, end: Int)? {
        var digits = JSONDigits(range)
        var number = JSONNumber()
        number.isNegative = digits.take("-", in: text)
        let first = digits.position
        guard digits.takeDigits(in: text), text[first] != UInt8(ascii: "0") || digits.position == first + 1 else {
            return nil
        }
        if digits.take(".", in: text) {
            guard digits.takeFraction(in: text) else { return nil }
        }
        if digits.take("e", in: text) || digits.take("E", in: text) {
            guard digits.takeExponent(in: text) else { return nil }
        }
        (number.form, number.magnitude) = digits.value
        return (number, digits.position)
    }
}

/// The computation of a number from its digits.
private struct JSONDigits {
    private(set) var position: Int
    private let end: Int
    /// The exponent, as a power of ten.
    private var exponent = 0
    /// The digits up to the last one that is not 0, and the number of zeroes after it.
    private var significant: UInt64 = 0
    private var zeroes = 0
    private var isLarge = false

    /// The limit of an exponent: a frame does not have enough digits to compensate for a greater one.
    private static var farthest: Int { 1_000_000_000 }

    init(_ range: Range<Int>) {
        position = range.lowerBound
        end = range.upperBound
    }

    mutating func take(_ wanted: Unicode.Scalar, in text: Span<UInt8>) -> Bool {
        guard position < end, text[position] == UInt8(ascii: wanted) else { return false }
        position += 1
        return true
    }

    /// Reads digits. Returns whether there was one.
    mutating func takeDigits(in text: Span<UInt8>) -> Bool {
        let start = position
        while let digit = takeDigit(in: text) {
            if digit != 0 {
                // Twenty zeroes make it too large; more have the same effect.
                for _ in 0..<min(zeroes, 20) { multiply(adding: 0) }
                multiply(adding: UInt64(digit))
                zeroes = 0
            } else if significant != 0 {
                zeroes += 1
            }
        }
        return position > start
    }

    mutating func takeFraction(in text: Span<UInt8>) -> Bool {
        let start = position
        guard takeDigits(in: text) else { return false }
        exponent -= position - start
        return true
    }

    mutating func takeExponent(in text: Span<UInt8>) -> Bool {
        let isNegative = take("-", in: text)
        if !isNegative { _ = take("+", in: text) }
        var power: Int?
        while let digit = takeDigit(in: text) { power = min((power ?? 0) * 10 + Int(digit), Self.farthest) }
        guard let power else { return false }
        exponent += isNegative ? -power : power
        return true
    }

    /// The form and the magnitude of the number.
    var value: (JSONNumber.Form, UInt64) {
        if significant == 0 { return (.whole, 0) }
        var power = exponent + zeroes
        if power < 0 { return (.fraction, 0) }
        var digits = self
        while power > 0, !digits.isLarge {
            digits.multiply(adding: 0)
            power -= 1
        }
        return digits.isLarge ? (.large, 0) : (.whole, digits.significant)
    }

    private mutating func takeDigit(in text: Span<UInt8>) -> UInt8? {
        guard position < end, case let digit = text[position] &- UInt8(ascii: "0"), digit < 10 else { return nil }
        position += 1
        return digit
    }

    private mutating func multiply(adding digit: UInt64) {
        let (product, isOver) = significant.multipliedReportingOverflow(by: 10)
        let (sum, isAbove) = product.addingReportingOverflow(digit)
        if isOver || isAbove { isLarge = true }
        if !isLarge { significant = sum }
    }
}
