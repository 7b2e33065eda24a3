public import PopupProtocol
public import PopupScheduling

extension ShowFrame {
    /// The command for the scheduler. Its ranges refer to the frame; its content is the encoded popup.
    @inlinable @inline(__always)
    package var request: PopupRequest {
        var request = PopupRequest(id: TextRange(id), group: TextRange(group))
        request.priority = priority
        request.duration = durationMs
        request.timeToLive = ttlMs
        request.delay = delayMs
        request.minimumDisplay = minDisplayMs
        request.exclusive = PopupRequest.Exclusivity(exclusive)
        request.collapseKey = TextRange(collapseKey)
        request.surface = TextRange(surface)
        request.interruptible = interruptible
        request.producer = producer.map { ProducerID($0) }
        request.content = TextRange(popup)
        return request
    }
}

extension TextRange {
    @inlinable @inline(__always)
    package init(_ range: FrameRange) {
        self = .none
        (offset, count) = (range.offset, range.count)
    }

    @inlinable @inline(__always)
    package init(_ range: Range<Int>) {
        // The ranges of a frame that was read need no check: a frame is far below 4 GiB.
        self = .none
        offset = UInt32(truncatingIfNeeded: range.lowerBound)
        count = UInt32(truncatingIfNeeded: range.upperBound &- range.lowerBound)
    }
}
