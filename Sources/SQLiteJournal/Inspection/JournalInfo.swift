/// A description of a data directory, without its batches and snapshots.
public struct JournalInfo: Sendable, Hashable {
    /// A segment.
    public struct Segment: Sendable, Hashable {
        /// The name of the file.
        public var file: String
        /// The size in bytes, with its WAL.
        public var size: Int
        /// The number of its batches.
        public var batches: Int
        /// The numbers of the first and the last batch; `nil` if there is none.
        public var range: ClosedRange<UInt64>?
        /// The time of the last batch, in ms by the broker's clock.
        public var lastTime: Int64?
        /// The epochs that wrote to it, ascending.
        public var epochs: [UInt64]
        /// The reason why it cannot be read; `nil` if it can. Its batches may be damaged nevertheless: see
        /// `JournalInspection.verify`.
        public var damage: String?
    }

    /// A snapshot.
    public struct Snapshot: Sendable, Hashable {
        /// The name of the file.
        public var file: String
        /// The size in bytes.
        public var size: Int
        /// The number of the last batch that it contains.
        public var sequence: UInt64
        /// The time of that batch, in ms by the broker's clock; `nil` if it cannot be read.
        public var time: Int64?
        /// The epoch in which it was made; `nil` if it cannot be read.
        public var epoch: UInt64?
        /// The reason why it cannot be used; `nil` if its checksums are right.
        public var damage: String?
    }

    /// The path of the directory.
    public var directory: String
    /// The version of the segments' tables that this program writes. Older segments are migrated when they are opened.
    public var schemaVersion: Int
    /// The id of the process that has the journal open; `nil` if none has.
    public var process: Int32?
    /// The greatest epoch; 0 if there is none.
    public var epoch: UInt64
    /// The number of the last committed batch; 0 if there is none.
    public var lastSequence: UInt64
    /// The time of that batch, in ms by the broker's clock; `nil` if there is none or it cannot be read.
    public var lastTime: Int64?
    /// The number of the last batch in the commit mark; `nil` if the mark cannot be read.
    public var mark: UInt64?
    /// The segments, by ascending sequence.
    public var segments: [Segment]
    /// The snapshots, by ascending sequence.
    public var snapshots: [Snapshot]
    /// The names of the quarantined files.
    public var damaged: [String]
}
