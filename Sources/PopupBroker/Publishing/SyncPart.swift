import PopupProtocol

/// A part of an answer to `sync`: the states of some groups, one after another.
struct SyncPart {
    /// The number of states.
    private(set) var states = 0
    /// The encoded states.
    private(set) var bytes: [UInt8] = []
    private let isJSON: Bool

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Appends an encoded state. Returns whether it fits; the first one always does.
    mutating func append(_ state: RawSpan) -> Bool {
        let length = isJSON ? state.byteCount + 1 : ProtobufSize.field(WireKeys.Sync.states, count: state.byteCount)
        guard bytes.isEmpty || bytes.count + length <= Syncs.bytesInPart else { return false }
        if !isJSON {
            bytes.appendLength(WireKeys.Sync.states, state.byteCount)
        } else if states > 0 {
            bytes.append(UInt8(ascii: ","))
        }
        state.withUnsafeBytes { bytes.append(contentsOf: $0) }
        states += 1
        return true
    }

    /// The body of the message.
    var body: [UInt8] {
        guard isJSON else { return bytes }
        var json = JSONWriter()
        json.beginObject()
        json.name(WireKeys.Sync.states)
        json.append(list: bytes.span)
        json.endObject()
        return json.bytes
    }
}
