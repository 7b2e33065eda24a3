import PopupProtocol

/// What an outbox file says: the commands that are to be sent, and how they are numbered.
///
/// Pure: it reads bytes, and tells which to write.
struct OutboxContents: Equatable {
    struct Command: Equatable {
        var sequence: UInt64
        var body: [UInt8]
    }

    private(set) var producer: ProducerName
    /// The sequence of the next command.
    private(set) var next: UInt64 = 1
    /// Those that are not settled, by their bodies.
    private var open: [UInt64: [UInt8]] = [:]
    /// What those take in the file.
    private(set) var openBytes = 0

    init(producer: ProducerName) {
        self.producer = producer
    }

    /// In the order of their sequences.
    var commands: [Command] { open.keys.sorted().map { Command(sequence: $0, body: open[$0] ?? []) } }

    // MARK: Writing

    /// Adds commands.
    ///
    /// - Returns: what is to be appended to the file.
    mutating func add(_ bodies: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for body in bodies {
            OutboxRecord.command(producer, sequence: next, body: body).append(to: &bytes)
            insert(next, body)
            next += 1
        }
        return bytes
    }

    /// - Returns: what is to be appended to the file.
    mutating func settle(_ sequences: [UInt64]) -> [UInt8] {
        for sequence in sequences { remove(sequence) }
        var bytes: [UInt8] = []
        OutboxRecord.settled(producer, sequences).append(to: &bytes)
        return bytes
    }

    /// Numbers the open commands anew, from 1 on: the broker's memory of the present name is of no use.
    mutating func startOver(as name: ProducerName) {
        let bodies = commands.map(\.body)
        self = OutboxContents(producer: name)
        _ = add(bodies)
    }

    /// A file that says just this.
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

    /// What was found in a file.
    struct Reading: Equatable {
        var contents: OutboxContents
        /// Bytes that say nothing: the end of a file that was being written when the process or the machine stopped, or
        /// what was damaged.
        var lostBytes = 0
        /// Something is missing, or may have been sent and not be known any more: what is whole goes on under a new name.
        var isDamaged = false
    }

    /// Reads a file; nil: it is none.
    ///
    /// - Parameter name: for an empty file, and for one that is damaged.
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
            case .cutOff, .damaged:
                // Zeros are what a file system shows of an end that has not been written.
                let rest = bytes[position...]
                let next = nextRecord(in: bytes, after: position)
                let isUnwritten = OutboxRecord.read(bytes, at: position) == .cutOff || rest.allSatisfy { $0 == 0 }
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
