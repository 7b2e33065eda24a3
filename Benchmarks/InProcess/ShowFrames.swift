import PopupProtocol
import SwiftProtobuf

/// Frames with `show`s as `make bench` sends them: 200 bytes of text, a priority, a duration. Made once; from one to the
/// next only the digits of ids, groups and sequences change, where they stand.
struct ShowFrames: ~Copyable {
    /// The bytes of the present frame, until the next one or the end of this.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }
    /// How many bytes one `show` has.
    let showBytes: Int

    /// How many bytes an id has.
    static let idBytes = 10

    private let memory: UnsafeMutableRawBufferPointer
    /// Where in the frame each `show` begins.
    private let shows: [Int]
    // Where in a `show` its digits stand.
    private let idOffset: Int
    private let groupOffset: Int
    private let sequenceOffset: Int?
    private let groups: Int
    private var id: Digits
    private var group: Digits
    private let firstGroup: Digits
    private var groupNumber = 0
    private var sequence: UInt64 = 1

    private static let producer = "62656e63680000000000000000000001"
    /// A varint of five bytes, more than any number here needs: so it has a fixed place and size.
    private static let sequenceBytes = 5

    /// Frames of so many `show`s, several as a `Batch`, for so many groups in turn; with a producer who numbers them. In
    /// JSON a frame has one, without a number.
    init(shows count: Int = 1, groups: Int = 1000, isNumbered: Bool = false, isJSON: Bool = false) throws {
        let show = isJSON ? Self.showInJSON : try Self.show(isNumbered: isNumbered)
        var frame: [UInt8] = []
        var shows: [Int] = []
        for _ in 0..<count {
            if count > 1 {
                frame.append(BatchFrame.firstByte)
                frame += Self.varint(UInt64(show.count))
            }
            shows.append(frame.count)
            frame += show
        }
        guard let id = show.firstRange(of: "b000000000".utf8), let group = show.firstRange(of: "b/0000000".utf8) else {
            throw WrongWork(description: "the encoded show has no id and group")
        }
        // Their last eight bytes.
        idOffset = id.upperBound - 8
        groupOffset = group.upperBound - 8
        // Its tag follows the producer: field 1, 32 bytes.
        sequenceOffset = isNumbered ? 2 + 32 + 1 : nil
        showBytes = show.count
        self.shows = shows
        self.groups = groups
        memory = .allocate(byteCount: frame.count, alignment: 16)
        memory.copyBytes(from: frame)
        let first = UnsafeRawBufferPointer(rebasing: memory[shows[0]...])
        self.id = Digits(UnsafeRawBufferPointer(rebasing: first[idOffset...]))
        firstGroup = Digits(UnsafeRawBufferPointer(rebasing: first[groupOffset...]))
        self.group = firstGroup
    }

    deinit { memory.deallocate() }

    /// Numbers the frame's `show`s as the next ones.
    mutating func advance() {
        for start in shows {
            id.write(to: memory, at: start + idOffset)
            group.write(to: memory, at: start + groupOffset)
            if let sequenceOffset { writeSequence(at: start + sequenceOffset) }
            id.increment()
            groupNumber += 1
            group.increment()
            if groupNumber == groups {
                groupNumber = 0
                group = firstGroup
            }
        }
    }

    private mutating func writeSequence(at offset: Int) {
        for byte in 0..<Self.sequenceBytes {
            let more: UInt8 = byte < Self.sequenceBytes - 1 ? 0x80 : 0
            memory[offset + byte] = UInt8(truncatingIfNeeded: sequence >> UInt64(7 * byte)) & 0x7F | more
        }
        sequence += 1
    }

    private static func show(isNumbered: Bool) throws -> [UInt8] {
        let popup = WirePopup.with {
            $0.id = "b000000000"
            $0.group = "b/0000000"
            $0.priority = 5
            $0.durationMs = 3_600_000
            $0.text = String(repeating: "x", count: 200)
        }
        let command: [UInt8] = try WireCommand.with { $0.show = popup }.serializedBytes()
        guard isNumbered else { return command }
        let sender: [UInt8] = try WireCommand.with { $0.producer = producer }.serializedBytes()
        return sender + [2 << 3] + [0x80, 0x80, 0x80, 0x80, 0] + command
    }

    private static var showInJSON: [UInt8] {
        let text = String(repeating: "x", count: 200)
        return Array(
            #"{"show":{"id":"b000000000","group":"b/0000000","priority":5,"durationMs":3600000,"text":"\#(text)"}}"#
                .utf8)
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(truncatingIfNeeded: value) | 0x80] + varint(value >> 7)
    }
}

/// The last eight bytes of a name, which count up in decimal digits where they stand. What stands before the digits among
/// them stays, as long as the digits suffice.
struct Digits {
    /// The last digit lowest.
    private var bytes: UInt64

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    }

    mutating func increment() {
        bytes += 1
        var place: UInt64 = 0
        while UInt8(truncatingIfNeeded: bytes >> place) > UInt8(ascii: "9") {
            bytes += 0x100 << place - 10 << place
            place += 8
        }
    }

    func write(to memory: UnsafeMutableRawBufferPointer, at offset: Int) {
        memory.storeBytes(of: bytes.bigEndian, toByteOffset: offset, as: UInt64.self)
    }
}
