/// What a folder holds, without reading the batches and snapshots themselves.
public struct JournalInfo: Sendable, Hashable {
    /// A segment.
    public struct Segment: Sendable, Hashable {
        /// Its name in the folder.
        public var file: String
        /// In bytes, with its WAL.
        public var size: Int
        /// How many batches it has.
        public var batches: Int
        /// The first and the last of them; `nil` when there is none.
        public var range: ClosedRange<UInt64>?
        /// When the last was applied, in ms by the broker's clock.
        public var lastTime: Int64?
        /// The epochs that wrote to it, ascending.
        public var epochs: [UInt64]
        /// Why it can't be read; `nil` when it can. Batches may be damaged all the same: `verify` tells.
        public var damage: String?
    }

    /// A snapshot.
    public struct Snapshot: Sendable, Hashable {
        /// Its name in the folder.
        public var file: String
        /// In bytes.
        public var size: Int
        /// The last batch that it holds.
        public var sequence: UInt64
        /// When that batch was applied, in ms by the broker's clock; `nil` when it can't be read.
        public var time: Int64?
        /// The epoch in which it was made; `nil` when it can't be read.
        public var epoch: UInt64?
        /// Why it can't be used; `nil` when its checksums fit.
        public var damage: String?
    }

    /// Where it is.
    public var folder: String
    /// The version of the segments' tables that this program writes; earlier ones are brought up to it when they are
    /// opened.
    public var schemaVersion: Int
    /// The process that has the journal open; `nil` when none has.
    public var process: Int32?
    /// The greatest epoch; 0 when there was none.
    public var epoch: UInt64
    /// The last batch that was committed; 0 when there was none.
    public var lastSequence: UInt64
    /// When that batch was applied, in ms by the broker's clock; `nil` when there is none or it can't be read.
    public var lastTime: Int64?
    /// The last batch by the mark; `nil` when that can't be read.
    public var mark: UInt64?
    /// By ascending sequence.
    public var segments: [Segment]
    /// By ascending sequence.
    public var snapshots: [Snapshot]
    /// The names of what was quarantined as damaged.
    public var damaged: [String]
}
