import PopupProtocol

/// The reading of one frame in JSON again and again, with or without a mistake near its end.
struct JSONDecoding {
    private let frame: [UInt8]
    private let reason: WireRefused.Reason?

    /// Creates a frame with a `show`.
    ///
    /// - Parameters:
    ///   - contentType: The value of its last field, in JSON.
    ///   - end: The end of the frame.
    ///   - reason: The reason of the refusal that it must get; `nil`: it is right.
    init(contentType: String, end: String = "}}", reason: WireRefused.Reason? = nil) {
        let text = String(repeating: "x", count: 200)
        frame = Array(
            (#"{"show":{"id":"b000000000","group":"b/0000000","priority":5,"durationMs":3600000,"text":"\#(text)","#
                + #""contentType":\#(contentType)\#(end)"#).utf8)
        self.reason = reason
    }

    func run(_ count: Int) throws {
        var reader = CommandJSON()
        for _ in 0..<count {
            guard outcome(&reader) == reason else { throw WrongWork(description: "the frame was not read as expected") }
        }
    }

    @inline(never)
    private func outcome(_ reader: inout CommandJSON) -> WireRefused.Reason? {
        do throws(CommandRefusal) { try reader.read(frame.span) } catch { return error.reason }
        guard case .refused(let refusal, _)? = reader.parts.first?.content else { return nil }
        return refusal.reason
    }
}
