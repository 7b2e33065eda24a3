package import PopupScheduling

/// An entry of the journal for a change of the wall clock.
package struct WallClockEntry: Equatable {
    /// The time in ms by which the wall clock is ahead of the broker's time from then on; negative if it is behind.
    package var ahead: Milliseconds

    package init(ahead: Milliseconds) { self.ahead = min(max(ahead, -TimeLimits.latest), TimeLimits.latest) }

    /// The encoding in the journal: 8 bytes, little-endian.
    package var bytes: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: ahead >> ($0 * 8)) }
    }

    /// Decodes an entry.
    package init(_ bytes: ArraySlice<UInt8>) throws(JournalContentError) {
        guard bytes.count == 8 else { throw JournalContentError(what: "a setting of the wall clock is damaged") }
        ahead = Milliseconds(bitPattern: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        guard -TimeLimits.latest...TimeLimits.latest ~= ahead else {
            throw JournalContentError(what: "the wall clock is set to a time that can't be")
        }
    }
}
