/// The form of the messages of `state+frame`: one frame, with the topic, a zero byte and the body.
///
/// A subscription matches the beginning of the first frame, so prefixes of topics work as on the other channels. Topics
/// have no zero byte, so the first one ends the topic.
public enum StateFrame {
    /// The byte between the topic and the body.
    public static let separator: UInt8 = 0

    /// Splits a frame into the topic and the body; `nil` if it has no separator.
    public static func split(_ frame: [UInt8]) -> (topic: ArraySlice<UInt8>, body: ArraySlice<UInt8>)? {
        guard let end = frame.firstIndex(of: separator) else { return nil }
        return (frame[..<end], frame[(end + 1)...])
    }
}
