import PopupProtocol

/// A reader of the journal's records of producers: numbers of 7 bits per byte, numbers of 8 bytes, and texts after their
/// length.
struct JournalFields {
    private var rest: ArraySlice<UInt8>
    /// The name of the record, for errors.
    private let what: String

    init(_ bytes: ArraySlice<UInt8>, of what: String) {
        rest = bytes
        self.what = what
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number() throws(JournalContentError) -> UInt64 {
        var reader = FieldReader(0..<rest.count)
        guard let number = reader.varint(in: rest.span) else { throw damaged() }
        rest = rest.dropFirst(reader.position)
        return number
    }

    /// Reads the number of the following elements, of which each takes at least this number of bytes.
    mutating func count(ofBytes bytes: Int) throws(JournalContentError) -> Int {
        let count = try number()
        guard count <= UInt64(rest.count / bytes) else { throw damaged() }
        return Int(count)
    }

    mutating func word() throws(JournalContentError) -> UInt64 {
        guard rest.count >= 8 else { throw damaged() }
        let word = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(8)
        return word
    }

    mutating func producer() throws(JournalContentError) -> ProducerName {
        ProducerName(high: try word().byteSwapped, low: try word().byteSwapped)
    }

    mutating func refusal() throws(JournalContentError) -> SettledRefusal {
        guard let reason = Int(exactly: try number()).flatMap(WireRefused.Reason.init(rawValue:)) else {
            throw damaged()
        }
        return SettledRefusal(reason, try text())
    }

    mutating func text() throws(JournalContentError) -> String {
        let count = try count(ofBytes: 1)
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(bytes.count)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw damaged() }
        return text
    }

    func damaged() -> JournalContentError { JournalContentError(what: "\(what) is damaged") }
}

extension [UInt8] {
    /// Reads a number of 8 bytes, little-endian.
    mutating func appendWord(_ word: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { append(UInt8(truncatingIfNeeded: word >> shift)) }
    }

    /// Reads the 16 bytes of a producer's name.
    mutating func append(_ producer: ProducerName) {
        appendWord(producer.high.byteSwapped)
        appendWord(producer.low.byteSwapped)
    }

    mutating func append(_ refusal: SettledRefusal) {
        appendVarint(UInt64(refusal.reason.rawValue))
        appendVarint(UInt64(refusal.detail.utf8.count))
        append(contentsOf: refusal.detail.utf8)
    }
}
