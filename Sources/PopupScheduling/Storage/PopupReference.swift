/// The popup of an id: a live one, or a remembered closed one.
enum PopupReference: Equatable {
    case live(PopupRecord.Index)
    case closed(ClosedPopups.Index)
}

/// The four bytes of a reference: the highest bit, which no index uses, marks a closed popup.
extension PopupReference: FourByteValue {
    private static var closedBit: UInt32 { 1 << 31 }

    @inline(__always)
    init(bits: UInt32) {
        self =
            bits & Self.closedBit == 0
            ? .live(PopupRecord.Index(bits: bits)) : .closed(ClosedPopups.Index(bits: bits & ~Self.closedBit))
    }

    @inline(__always)
    var bits: UInt32 {
        switch self {
        case .live(let popup): popup.bits
        case .closed(let record): record.bits | Self.closedBit
        }
    }
}
