import PopupProtocol

/// The contents of an outbox file: the commands to be sent, and their sequences.
///
/// Pure: it reads bytes, and returns the bytes to write.
struct OutboxContents: Equatable {
    struct Command: Equatable {
        var sequence: UInt64
        var body: [UInt8]
    }

    private(set) var producer: ProducerName
    /// The sequence of the next command.
    private(set) var next: UInt64 = 1
    /// The bodies of the unsettled commands, by sequence.
    private var open: [UInt64: [UInt8]] = [:]
    /// The bytes of the open commands in the file.
    private(set) var openBytes = 0

    init(producer: ProducerName) {
        self.producer = producer
    }

    /// The unsettled commands, by sequence.
    var commands: [Command] { open.keys.sorted().map { Command(sequence: $0, body: open[$0] ?? []) } }

    // MARK: Writing

    /// Adds commands.
    ///
    /// - Returns: The bytes to append to the file.
    mutating func add(_ bodies: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for body in bodies {
            OutboxRecord.command(producer, sequence: next, body: body).append(to: &bytes)
            insert(next, body)
            next += 1
        }
        return bytes
    }

    /// Removes settled commands.
    ///
    /// - Returns: The bytes to append to the file.
    mutating func settle(_ sequences: [UInt64]) -> [UInt8] {
        for sequence in sequences { remove(sequence) }
        var bytes: [UInt8] = []
        OutboxRecord.settled(producer, sequences).append(to: &bytes)
        return bytes
    }

    /// Renumbers the open commands from 1 on under a new name.
    mutating func startOver(as name: ProducerName) {
        let bodies = commands.map(\.body)
        self = OutboxContents(producer: name)
        _ = add(bodies)
    }

    /// The bytes of a file with these contents.
    var file: [UInt8] {
        var bytes = OutboxRecord.signature
        OutboxRecord.numbering(producer, next: next).append(to: &bytes)
        for command in commands {
            OutboxRecord.command(producer, sequence: command.sequence, body: command.body).append(to: &bytes)
        }
        return bytes
    }

    private mutating func insert(_ sequence: UInt64, _ body: [UInt8]) {
        remove(sequence)
        open[sequence] = body
        openBytes += body.count + OutboxRecord.commandOverhead
    }

    private mutating func remove(_ sequence: UInt64) {
        guard let body = open.removeValue(forKey: sequence) else { return }
        openBytes -= body.count + OutboxRecord.commandOverhead
    }

    // MARK: Reading

    /// The result of reading a file.
    struct Reading: Equatable {
        var contents: OutboxContents
        /// The bytes without a valid record: the end of a file that was being written when the process or the machine
        /// stopped, or damage.
        var lostBytes = 0
        /// Whether records are missing, so that the intact commands continue under a new name.
        var isDamaged = false
    }

    /// Reads a file. Returns `nil` if it is not an outbox.
    ///
    /// - Parameter name: The name for an empty or damaged file.
    static func read(_ bytes: [UInt8], newName name: ProducerName) -> Reading? {
        if bytes.count < OutboxRecord.signature.count {
            guard OutboxRecord.signature.starts(with: bytes) else { return nil }
            return Reading(contents: OutboxContents(producer: name), lostBytes: bytes.count)
        }
        guard bytes.starts(with: OutboxRecord.signature) else { return nil }
        var reading = Reading(contents: OutboxContents(producer: name))
        var position = OutboxRecord.signature.count
        while position < bytes.count {
            switch OutboxRecord.read(bytes, at: position) {
            case .record(let record, let end):
                reading.contents.take(record)
                position = end
            case .truncated, .damaged:
                // A file system may show an unwritten end as zeros.
                let rest = bytes[position...]
                let next = nextRecord(in: bytes, after: position)
                let isUnwritten = OutboxRecord.read(bytes, at: position) == .truncated || rest.allSatisfy { $0 == 0 }
                if next < bytes.count || !isUnwritten { reading.isDamaged = true }
                reading.lostBytes += next - position
                position = next
            }
        }
        if reading.isDamaged { reading.contents.startOver(as: name) }
        return reading
    }

    private static func nextRecord(in bytes: [UInt8], after position: Int) -> Int {
        var next = position + 1
        while next < bytes.count {
            if case .record = OutboxRecord.read(bytes, at: next) { return next }
            next += 1
        }
        return bytes.count
    }

    private mutating func take(_ record: OutboxRecord) {
        switch record {
        case .numbering(let name, let next):
            producer = name
            self.next = max(next, self.next)
        case .command(_, let sequence, let body):
            insert(sequence, body)
            next = max(next, sequence &+ 1)
        case .settled(_, let sequences):
            for sequence in sequences { remove(sequence) }
        }
    }
}
