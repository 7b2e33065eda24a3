import Logging
@testable import PopupBroker
import PopupJournal
import PopupProtocol
import PopupScheduling
import SwiftProtobuf
import Testing

@Suite("The commit pipeline, without a loop")
struct CommitPipelineTests {
    private let journal = FullableJournal()
    private let committer: HeldCommitter

    init() { committer = HeldCommitter(journal, leastEntries: 2) }

    private func pipeline(batchMessages: Int = 10) -> CommitPipeline {
        var configuration = BrokerConfiguration()
        configuration.limits.batchMessages = batchMessages
        return CommitPipeline(
            configuration, journal: journal, committer: committer,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Gathers a command that closes this popup.
    private func gather(_ id: String, in pipeline: inout CommitPipeline) throws {
        let command = WireCommand.with { $0.dismiss.id = id }
        let bytes: [UInt8] = try command.serializedBytes()
        pipeline.gathered.recordMessage()
        pipeline.gathered.enter(.command(command), as: .command, bytes.span.bytes, counting: .dismiss)
    }

    /// The popups of the batch that is being applied.
    private func applying(_ pipeline: borrowing CommitPipeline) -> [String] {
        pipeline.applying.entries.map { entry in
            switch pipeline.applying.other(entry) {
            case .state(.command(let command)): command.dismiss.id
            case .refused(let refusal, _): "\(refusal.popup) \(refusal.reason.name)"
            default: "-"
            }
        }
    }

    @Test("commits a small batch at once, and keeps it until it is applied")
    func atOnce() throws {
        var pipeline = pipeline()
        try gather("A", in: &pipeline)
        let isWorthSubmitting = pipeline.isWorthSubmitting
        let isCommitted = try pipeline.commit(at: 5)
        #expect(!isWorthSubmitting && isCommitted)
        #expect(journal.batches.count == 1)
        let (popups, time, sequence) = (applying(pipeline), pipeline.applying.time, pipeline.progress.sequence)
        #expect(popups == ["A"])
        #expect(time == 5)
        #expect(sequence == 1)
        var isCommitting = [pipeline.isCommitting]
        pipeline.endApplying()
        isCommitting.append(pipeline.isCommitting)
        #expect(isCommitting == [true, false])
    }

    @Test(
        "submits a batch of one entry if it has many bytes: the loop does not wait until they are written",
        arguments: [(CommitPipeline.bytesWorthSubmitting - 100, false), (CommitPipeline.bytesWorthSubmitting, true)])
    func large(byteCount: Int, isLarge: Bool) throws {
        var pipeline = pipeline()
        let bytes = [UInt8](repeating: 0, count: byteCount)
        pipeline.gathered.recordMessage()
        pipeline.gathered.enter(.command(WireCommand()), as: .command, bytes.span.bytes, counting: .show)
        let isWorthSubmitting = pipeline.isWorthSubmitting
        #expect(isWorthSubmitting == isLarge)
    }

    @Test("gathers the next batch while one is in flight, and takes them in order")
    func inFlight() throws {
        var pipeline = pipeline()
        for id in ["A", "B"] { try gather(id, in: &pipeline) }
        let isWorthSubmitting = pipeline.isWorthSubmitting
        pipeline.submit(at: 5, 0)
        #expect(isWorthSubmitting)
        #expect(journal.recordedTime == 5)
        try gather("C", in: &pipeline)
        var taken = [try pipeline.takeCompleted(at: 0)]
        committer.isHolding = false
        taken.append(try pipeline.takeCompleted(at: 0))
        #expect(taken == [nil, true])
        // The next is submitted before the first is applied.
        pipeline.submit(at: 6, 5)
        var applied = [applying(pipeline)]
        pipeline.endApplying()
        _ = try pipeline.takeCompleted(at: 6)
        applied.append(applying(pipeline))
        #expect(applied == [["A", "B"], ["C"]])
    }

    @Test("refuses every command of a batch that the journal can't take")
    func full() throws {
        journal.isFull = true
        var pipeline = pipeline()
        try gather("A", in: &pipeline)
        let isCommitted = try pipeline.commit(at: 5)
        let (popups, sequence, batches) = (applying(pipeline), pipeline.progress.sequence, pipeline.batches)
        #expect(!isCommitted)
        #expect(popups == ["A OVERLOAD"])
        #expect(sequence == nil)
        #expect(batches == 1)
    }

    @Test("is back-pressured when the batch behind the one in flight is full")
    func backPressure() throws {
        var pipeline = pipeline(batchMessages: 1)
        try gather("A", in: &pipeline)
        var isBackPressured = [pipeline.isBackPressured]
        pipeline.submit(at: 0, 0)
        isBackPressured.append(pipeline.isBackPressured)
        try gather("B", in: &pipeline)
        isBackPressured.append(pipeline.isBackPressured)
        #expect(isBackPressured == [false, false, true])
    }

    @Test("is back-pressured while a reload waits for the batch in flight")
    func reload() throws {
        var pipeline = pipeline()
        pipeline.waitForReload(true)
        var isBackPressured = [pipeline.isBackPressured]
        try gather("A", in: &pipeline)
        pipeline.submit(at: 0, 0)
        isBackPressured.append(pipeline.isBackPressured)
        pipeline.waitForReload(false)
        isBackPressured.append(pipeline.isBackPressured)
        #expect(isBackPressured == [false, true, false])
    }

    @Test("applies the entries of a batch one after another")
    func entries() throws {
        var pipeline = pipeline()
        for id in ["A", "B"] { try gather(id, in: &pipeline) }
        _ = try pipeline.commit(at: 5)
        var applied: [String] = []
        while pipeline.hasNextEntry {
            if case .state(.command(let command)) = pipeline.applying.other(pipeline.nextEntry) {
                applied.append(command.dismiss.id)
            }
            pipeline.passEntry()
        }
        #expect(applied == ["A", "B"])
    }

    @Test("counts messages without an entry for their turn alone")
    func messagesWithoutEntry() {
        var pipeline = pipeline(batchMessages: 1)
        pipeline.gathered.recordMessage()
        var isFull = [pipeline.isFull]
        pipeline.gathered.forgetMessages()
        isFull.append(pipeline.isFull)
        #expect(isFull == [true, false])
    }
}
